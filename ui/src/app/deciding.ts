/** What is being decided about a plan at the moment. */
export type Deciding = 'approve' | 'save' | 'again' | 'rework' | 'reject' | 'run';

/** What is decided about the document with its changes. */
export const needsEdits: ReadonlySet<Deciding> = new Set(['approve', 'save']);

/** What ends what the plan has under way. */
export const endsWork: ReadonlySet<Deciding> = new Set(['approve', 'again', 'reject']);

/** As the engine says it of a version that is not what it was told to be. */
export const CHANGED = {
  code: 'plan_changed',
  message: 'the plan has changed since it was shown; look at it again',
} as const;
