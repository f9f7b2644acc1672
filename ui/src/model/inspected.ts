import type { Plan } from '../backend/bindings';
import { isOver, type RunState } from './run';

/**
 * The run of a plan that is shown where none was chosen: the one that carried out what stands, else one that goes on; null
 * where the document as it stands was never carried out. What is `unsaved` never was.
 */
export function runOf(
  runs: readonly RunState[],
  document: Pick<Plan, 'version'> | null,
  unsaved: boolean,
): RunState | null {
  const own = unsaved ? undefined : runs.findLast((run) => run.plan.version === document?.version);
  const latest = runs.at(-1);
  return own ?? (latest && !isOver(latest) ? latest : null);
}
