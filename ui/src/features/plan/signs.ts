import type { RunStatus } from '../../backend/bindings';
import type { State } from '../../shared/parts/Status.svelte';

/** The sign of a run. */
export function runSign(status: RunStatus): State {
  switch (status) {
    case 'queued':
      return 'pending';
    case 'running':
    case 'synthesizing':
      return 'in_progress';
    case 'waiting_for_input':
    case 'suspended':
    case 'waiting_for_user':
      return 'waiting';
    case 'completed':
      return 'completed';
    case 'completed_with_warnings':
      return 'warning';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'cancelled';
  }
}
