import type { Event, StepId } from '../backend/bindings';

/** What came of asking a model for a step. */
export type Asked = Extract<Event, { kind: 'model_replied' | 'model_failed' }>;

/** One attempt at a step. */
export interface Attempt {
  /** From 1. */
  number: number;
  asked: readonly Asked[];
}

/** How often a step was begun, and what a model was asked for in each attempt, in order; without a step, what belongs to none. */
export function attemptsOf(trace: readonly Event[], step: StepId | undefined): Attempt[] {
  const attempts: { number: number; asked: Asked[] }[] = [];
  for (const event of trace) {
    if (event.step !== step) continue;
    // A step that goes on after a wait is begun once more in the same attempt.
    if (event.kind === 'step_started' && attempts.at(-1)?.number !== event.attempt)
      attempts.push({ number: event.attempt, asked: [] });
    if (event.kind === 'model_replied' || event.kind === 'model_failed') {
      if (attempts.length === 0) attempts.push({ number: 1, asked: [] });
      attempts.at(-1)?.asked.push(event);
    }
  }
  return attempts.filter((attempt) => attempt.asked.length > 0);
}
