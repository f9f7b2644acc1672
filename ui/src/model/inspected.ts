import type { Plan, PlanId, RunId, StepId, TurnId } from '../backend/bindings';
import { isOver, type RunState } from './run';

/** What the inspector looks at. */
export interface Inspected {
  /** Null: the newest. */
  plan: PlanId | null;
  /** Whether it is that plan only for the part of it that is open: nobody has chosen it. */
  passing: boolean;
  /** The turn of which it is shown how it was planned, beside that plan; null: the plan itself. */
  turn: TurnId | null;
  /** `plan`: the document as it stands, without a run; null: `runOf` chooses. */
  run: RunId | 'plan' | null;
  /** Null: all. */
  step: StepId | null;
  /** The version that is shown whole; null: versions are compared. */
  version: number | null;
}

/** What the inspector looks at before anybody has chosen anything. */
export const theNewest: Inspected = {
  plan: null,
  passing: false,
  turn: null,
  run: null,
  step: null,
  version: null,
};

/** A plan that nobody has chosen: it is held as long as a part of it is open, and the newest is followed then. */
export function held(now: Inspected): Inspected {
  const passing = (now.step ?? now.version ?? now.run) !== null;
  return { ...now, plan: passing ? now.plan : null, passing };
}

/** Whether a document was carried out as it stands; what is `unsaved` never was. */
export function wasRun(
  runs: readonly RunState[],
  document: Pick<Plan, 'version'> | null,
  unsaved: boolean,
): boolean {
  return !unsaved && runs.some((run) => run.plan.version === document?.version);
}

/**
 * The run of a plan that is shown: the chosen one, else the one that carried out what stands, else one that goes on; null
 * for the document as it stands.
 */
export function runOf(
  runs: readonly RunState[],
  document: Pick<Plan, 'version'> | null,
  unsaved: boolean,
  chosen: Inspected['run'] = null,
): RunState | null {
  const picked = runs.find((run) => run.id === chosen);
  if (picked) return picked;
  if (wasRun(runs, document, unsaved))
    return runs.findLast((run) => run.plan.version === document?.version) ?? null;
  const latest = runs.at(-1);
  return latest && !isOver(latest) && chosen !== 'plan' ? latest : null;
}
