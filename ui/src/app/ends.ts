import type { Event, PlanId } from '../backend/bindings';
import { isOver } from '../model/run';
import type { SessionState } from '../model/session';

/** Whether a message or a run came to nothing. */
export function isFailure(event: Event): boolean {
  return (event.kind === 'turn_ended' || event.kind === 'run_ended') && event.status === 'failed';
}

/** The run or the turn that was stopped, or is to be, by what an event says; null where it says nothing of that. */
export function stopped(event: Event): string | null {
  if (event.kind === 'run_stop_asked') return event.run ?? null;
  if (event.kind === 'run_ended' && event.status === 'cancelled') return event.run ?? null;
  if (event.kind === 'turn_ended' && event.status === 'cancelled') return event.turn ?? null;
  return null;
}

/** The turns and the runs of a plan that another decision about it ends; without a plan, all that are not over. */
export function underWay({ turns, plans, runs }: SessionState, plan?: PlanId): string[] {
  const going = [...runs.values()].filter((run) => !isOver(run) && (!plan || run.plan.id === plan));
  const own = plan ? plans.get(plan) : undefined;
  const inTurns = plan
    ? [own?.turn, ...(own?.versions ?? []).map((version) => version.turn)]
    : turns.filter((turn) => turn.status === null).map((turn) => turn.id);
  return [...going.flatMap((run) => [run.id, run.turn]), ...inTurns].filter((id) => typeof id === 'string');
}
