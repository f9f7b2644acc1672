import type { CallView } from '../backend/bindings';
import type { State } from './parts/Status.svelte';

/** The sign of a call of a tool. */
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
