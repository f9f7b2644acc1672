import type { CallView } from '../../backend/bindings';
import { isUnknown, type RunState, type StepState } from '../../model/run';
import type { State } from '../../shared/parts/Status.svelte';
import { callSign } from '../../shared/signs';
import { text } from '../../shared/text';

/** How a call of a run stands. */
export function callSays(run: RunState | null, call: CallView): { state: State; label: string } {
  const unknown = run && call.state === 'open' ? isUnknown(run, call.call) : null;
  if (unknown === 'asked') return { state: 'waiting', label: text.states.call.suspended };
  if (unknown === 'left') return { state: 'none', label: text.inspect.outcomeUnknown };
  const label = call.missed ? text.inspect.missed(call.missed) : text.states.call[call.state];
  return { state: callSign(call), label };
}

/** The sign of a step. */
export function stepSign(state: StepState): State {
  return state.warning || state.stale ? 'warning' : state.status;
}

/** How a step stands, in a word or two. */
export function stepWord(state: StepState): string {
  const word = text.states.step[state.status];
  return state.stale ? `${word}, ${text.inspect.outOfDate.toLowerCase()}` : word;
}
