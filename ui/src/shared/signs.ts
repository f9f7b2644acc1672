import type { CallView, PlanStanding, RunStatus } from '../backend/bindings';
import type { State } from './parts/Status.svelte';
import { text } from './text';

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
      return call.satisfied && !call.missed ? 'completed' : 'warning';
    case 'error':
      return 'failed';
    case 'refused':
      return 'cancelled';
  }
}

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

/** How a plan stands, with its sign. */
export function planSays({ status, run }: PlanStanding): { state: State; label: string } {
  if (status === 'proposed') return { state: 'proposed', label: text.plan.waits };
  if (status === 'rejected') return { state: 'cancelled', label: text.plan.rejected };
  if (status === 'superseded') return { state: 'cancelled', label: text.plan.replaced };
  if (run === null) return { state: 'pending', label: text.plan.waitsForRun };
  return { state: runSign(run), label: text.plan.ran[run] };
}
