import type { CallView } from '../../backend/bindings';
import type { StepState } from '../../model/run';
import type { State } from '../../shared/parts/Status.svelte';

/** The sign of a call. */
export function callSign(call: CallView): State {
  switch (call.state) {
    case 'planned':
      return 'pending';
    case 'open':
      return 'in_progress';
    case 'suspended':
      return 'waiting';
    case 'success':
      return call.satisfied ? 'completed' : 'warning';
    case 'error':
      return 'failed';
    case 'refused':
      return 'cancelled';
  }
}

/** The sign of a step. */
export function stepSign(state: StepState | undefined): State {
  if (!state) return 'pending';
  return state.warning || state.stale ? 'warning' : state.status;
}
