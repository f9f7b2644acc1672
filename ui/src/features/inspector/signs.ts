import type { StepState } from '../../model/run';
import type { State } from '../../shared/parts/Status.svelte';
import { text } from '../../shared/text';

export { callSign } from '../../shared/signs';

/** The sign of a step. */
export function stepSign(state: StepState | undefined): State {
  if (!state) return 'pending';
  return state.warning || state.stale ? 'warning' : state.status;
}

/** How a step stands, in a word or two. */
export function stepWord(state: StepState): string {
  const word = text.states.step[state.status];
  return state.stale ? `${word}, ${text.inspect.outOfDate.toLowerCase()}` : word;
}
