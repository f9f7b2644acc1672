import type { HeapEntry, Step } from '../../backend/bindings';
import type { RunState } from '../../model/run';

/**
 * The specialists through which the steps go that are at work or wait: who was named, everybody chosen below, and all
 * above them in the heap, so that the way down from the top is seen.
 */
export function atWork(
  run: RunState | null,
  planned: readonly Step[],
  heap: readonly HeapEntry[],
): ReadonlySet<string> {
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
  const parents = new Map(heap.map((one) => [one.id, one.parent]));
  for (const id of [...found]) {
    // Ends also in a circle.
    for (let above = parents.get(id); above && !found.has(above); above = parents.get(above))
      found.add(above);
  }
  return found;
}
