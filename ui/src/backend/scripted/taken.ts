import type { Content, Plan, RunRow, Step, ValidationStatus } from '../bindings';
import { downstream } from './stories';
import type { World } from './world';

/** What an earlier run of a plan did for a step. */
export interface TakenStep {
  carriedFrom: string;
  validation: ValidationStatus;
  result?: Content;
}

/** The steps of an approved version that need not be done again; from a step on where one is said. */
export function takenOver(world: World, plan: Plan, from?: string): ReadonlyMap<string, TakenStep> {
  const runs = [...world.runs.values()].filter((run) => run.plan.id === plan.id);
  const earlier = runs.findLast((run) => from !== undefined || run.plan.version < plan.version);
  // What a workflow did the last time is to be done again.
  const whole = from === undefined && world.session(plan.sessionId).kind === 'workflow';
  if (!earlier || whole) return new Map();
  const anew = from === undefined ? [] : downstream(plan, from);
  return new Map([...leftAsTheyWere(world, earlier, plan)].filter(([step]) => !anew.includes(step)));
}

/** The steps that a run has completed and that a plan leaves as they were, dependencies included. */
function leftAsTheyWere(world: World, earlier: RunRow, plan: Plan): ReadonlyMap<string, TakenStep> {
  const old = world.version(earlier.plan).plan;
  const done = completedIn(world, earlier);
  const taken = new Map<string, TakenStep>();
  const isSame = (step: Step) =>
    old.steps.some((one) => JSON.stringify(bare(one)) === JSON.stringify(bare(step)));
  let left = plan.steps.filter(isSame);
  for (let found = true; found;) {
    found = false;
    for (const step of left) {
      const did = done.get(step.id);
      if (!did || !step.dependencies.every((need) => taken.has(need))) continue;
      taken.set(step.id, did);
      found = true;
    }
    left = left.filter((step) => !taken.has(step.id));
  }
  return taken;
}

/** A step without what follows from the whole plan. */
function bare({ grants: _, ...step }: Step): Omit<Step, 'grants'> {
  return step;
}

function completedIn(world: World, run: RunRow): Map<string, TakenStep> {
  const done = new Map<string, TakenStep>();
  for (const event of world.events.get(run.session) ?? []) {
    if (event.run !== run.id || !event.step) continue;
    if (event.kind === 'step_reset') {
      done.delete(event.step);
      for (const stale of event.stale ?? []) done.delete(stale);
    }
    if (event.kind !== 'step_ended' || event.status !== 'completed') continue;
    const { validation, result, carriedFrom = run.id } = event;
    done.set(event.step, { carriedFrom, validation, ...(result && { result }) });
  }
  return done;
}
