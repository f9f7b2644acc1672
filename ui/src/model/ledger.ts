import type { RunId, StepId } from '../backend/bindings';
import { runAt } from './fold';
import type { LedgerCall, RunState } from './run';

/** The calls of a run by the steps that asked for them, those of all attempts, in order. */
export function callsBySteps(run: Pick<RunState, 'calls'> | null): ReadonlyMap<StepId, LedgerCall[]> {
  const made = new Map<StepId, LedgerCall[]>();
  for (const call of run?.calls ?? []) {
    const own = made.get(call.step);
    if (own) own.push(call);
    else made.set(call.step, [call]);
  }
  return made;
}

/** Whether a call was asked for in the attempt at its step that stands: what an earlier one called proves nothing of it. */
export function isOfNow(run: Pick<RunState, 'steps'>, call: LedgerCall): boolean {
  const step = run.steps.get(call.step);
  // A step that is to be done again has not begun: its attempt is still the one that was given up.
  return step !== undefined && step.startedAt !== null && step.attempt === call.attempt;
}

/** The calls that count for a step: what it and its parts asked for in the attempts that stand. */
export function countedFor(run: RunState, step: StepId, made = callsBySteps(run)): LedgerCall[] {
  const own = made.get(step)?.filter((call) => isOfNow(run, call)) ?? [];
  const parts = run.steps.get(step)?.parts ?? [];
  return [...own, ...parts.flatMap((part) => countedFor(run, part.id, made))];
}

/** Where a completed step comes from that a run did not do itself. */
export interface Taken {
  /** The run that did it. */
  from: RunId;
  /** That run as it stood when the step was taken over; null where it is no longer there. */
  run: RunState | null;
  /** Its place among the runs of the plan, from 1. */
  number: number | null;
}

/** The steps that a run has taken over from others of its plan, each with where it was done. */
export function takenOver(
  runs: ReadonlyMap<RunId, RunState>,
  run: RunState | null,
): ReadonlyMap<StepId, Taken> {
  const taken = new Map<StepId, Taken>();
  for (const { id, carriedFrom: from } of run?.steps.values() ?? []) {
    // Its own run: another step of it has done the task, and the reason says which.
    if (!from || !run || from === run.id) continue;
    const all = [...runs.values()].filter((one) => one.plan.id === run.plan.id);
    const origin = all.find((one) => one.id === from);
    // What was taken over from one that had itself taken it over is what that one found.
    const first = Math.min(...[...all, run].map((one) => tookAt(one, id, from)));
    taken.set(id, {
      from,
      run: origin ? runAt(origin, countBefore(origin, first)) : null,
      number: origin ? all.indexOf(origin) + 1 : null,
    });
  }
  return taken;
}

/** The sequence number with which a run took a step over from another one; without end where it did not. */
function tookAt({ trace }: RunState, step: StepId, from: RunId): number {
  for (const event of trace) {
    // All of it is taken over before anything is done.
    if (event.kind === 'step_started') break;
    if (event.kind === 'step_ended' && event.step === step && event.carriedFrom === from) return event.seq;
  }
  return Infinity;
}

function countBefore({ trace }: RunState, seq: number): number {
  const count = trace.findIndex((event) => event.seq > seq);
  return count === -1 ? trace.length : count;
}
