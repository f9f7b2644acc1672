import type { SessionId } from '../backend/bindings';

/** What is looked for: in every session, or within one. */
export interface Search {
  text: string;
  within?: SessionId;
}

/** What the middle of the window shows. */
export type Route =
  | { view: 'new' }
  /** Where it was found by a search, with that. */
  | { view: 'session'; id: SessionId; sought?: Search }
  | { view: 'inbox' }
  | { view: 'plans' }
  | { view: 'tools'; contract?: string }
  | ({ view: 'search' } & Search)
  | { view: 'settings'; part: string }
  | { view: 'welcome' };
