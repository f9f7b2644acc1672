import type { StepState } from '../../model/run';
import type { State } from '../../shared/parts/Status.svelte';

export { callSign } from '../../shared/signs';

/** The sign of a step. */
export function stepSign(state: StepState | undefined): State {
  if (!state) return 'pending';
  return state.warning || state.stale ? 'warning' : state.status;
}
