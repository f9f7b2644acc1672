import type { Event, StepId } from '../backend/bindings';

/** What came of asking a model for a step. */
export type Asked = Extract<Event, { kind: 'model_replied' | 'model_failed' }>;

/** One attempt at a step. */
export interface Attempt {
  /** From 1. */
  number: number;
  asked: readonly Asked[];
}

/** What happened in a step, each with the number of the attempt in which it did, in order. */
export function inAttempts(
  trace: readonly Event[],
  step: StepId | undefined,
): { event: Event; attempt: number }[] {
  let attempt = 1;
  return trace
    .filter((event) => event.step === step)
    .map((event) => {
      // A step that goes on after a wait is begun once more in the same attempt.
      if (event.kind === 'step_started') attempt = event.attempt;
      return { event, attempt };
    });
}

/**
 * How often a step was begun, and what a model was asked for in each attempt, in order, without those that asked none; without a step,
 * what belongs to none.
 */
export function attemptsOf(trace: readonly Event[], step: StepId | undefined): Attempt[] {
  const attempts: { number: number; asked: Asked[] }[] = [];
  for (const { event, attempt } of inAttempts(trace, step)) {
    if (event.kind !== 'model_replied' && event.kind !== 'model_failed') continue;
    if (attempts.at(-1)?.number !== attempt) attempts.push({ number: attempt, asked: [] });
    attempts.at(-1)?.asked.push(event);
  }
  return attempts;
}
