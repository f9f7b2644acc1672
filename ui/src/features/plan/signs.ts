import type { RunStatus } from '../../backend/bindings';
import type { State } from '../../shared/parts/Status.svelte';
import { runSign } from '../../shared/signs';
import { text } from '../../shared/text';

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
