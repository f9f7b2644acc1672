import type { Event, PlanId } from '../backend/bindings';
import type { Deciding } from './deciding';
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

/** The turns and the runs that are not over; of a plan, those that another version of it ends. */
export function underWay({ turns, runs }: SessionState, plan?: PlanId): string[] {
  const going = [...runs.values()].filter((run) => !isOver(run) && (!plan || run.plan.id === plan));
  const open = turns.filter((turn) => !plan && turn.status === null).map((turn) => turn.id);
  return [...going.flatMap((run) => [run.id, run.turn]), ...open].filter((id) => typeof id === 'string');
}

/** What a decision about a plan ends: the turns in which its versions wait, and runs only where another one is approved. */
export function endedBy(what: Deciding, state: SessionState, plan: PlanId): string[] {
  const own = state.plans.get(plan);
  const waits = [own?.turn, ...(own?.versions ?? []).map(({ turn }) => turn)];
  return [
    ...(what === 'approve' ? underWay(state, plan) : []),
    ...waits.filter((id) => typeof id === 'string'),
  ];
}

/** Whether nothing goes on in the turns and runs of a session. */
export function isStill({ turns, runs }: SessionState): boolean {
  return turns.at(-1)?.status !== null && [...runs.values()].every(isOver);
}
