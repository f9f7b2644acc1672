import type { RunStatus } from '../../backend/bindings';
import type { State } from '../../shared/parts/Status.svelte';
import { text } from '../../shared/text';

/** The sign of a run. */
function runSign(status: RunStatus): State {
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

/** How a run stands: also while the model is loaded for it, and when nobody carries it on any more. */
export function runSays(
  status: RunStatus,
  now: { loading: { elapsedMs: number } | null; interrupted: boolean },
): { state: State; label: string } {
  const goesOn = ['queued', 'running', 'synthesizing'].includes(status);
  if (now.interrupted && goesOn) return { state: 'warning', label: text.plan.interrupted };
  if (now.loading && status === 'running')
    return { state: 'in_progress', label: text.chat.loadingModel(now.loading.elapsedMs) };
  return { state: runSign(status), label: text.states.run[status] };
}
