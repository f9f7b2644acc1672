import type { Step } from '../../backend/bindings';
import type { RunState } from '../../model/run';

/** The specialists through which the steps go that are at work or wait: who was named, and everybody chosen below. */
export function atWork(run: RunState | null, planned: readonly Step[]): ReadonlySet<string> {
  const found = new Set<string>();
  if (!run) return found;
  const handedOn = run.trace.flatMap((event) => (event.kind === 'step_delegated' ? event.steps : []));
  for (const step of [...planned, ...handedOn]) {
    const status = run.steps.get(step.id)?.status;
    if (step.executor.kind !== 'specialist' || (status !== 'in_progress' && status !== 'waiting')) continue;
    found.add(step.executor.id);
    for (const event of run.trace) {
      if (event.kind !== 'step_expanded' || event.step !== step.id) continue;
      for (const choice of event.expanded.path) found.add(choice.chosen);
    }
  }
  return found;
}
