import type { Plan, PlanId, RunId, StepId, TurnId } from '../backend/bindings';
import { isOver, type RunState } from './run';

/** What the inspector looks at. */
export interface Inspected {
  /** Null: the latest. */
  plan: PlanId | null;
  /** The turn of which it is shown how it was planned, beside that plan; null: the plan itself. */
  turn: TurnId | null;
  /** `plan`: the document as it stands, without a run; null: `runOf` chooses. */
  run: RunId | 'plan' | null;
  /** Null: all. */
  step: StepId | null;
  /** The version that is shown whole; null: versions are compared. */
  version: number | null;
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
