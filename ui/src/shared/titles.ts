import type { SessionId, SessionRow } from '../backend/bindings';
import { text } from './text';

/** What a session is called where it is spoken of. */
export function titleOf(rows: readonly SessionRow[], id: SessionId): string {
  return rows.find((row) => row.id === id)?.title || text.common.untitled;
}
