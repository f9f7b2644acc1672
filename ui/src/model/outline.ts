import type { Step, StepId } from '../backend/bindings';
import type { RunState } from './run';

/** A step as people see it in a list: of the plan, or a part to which a step was handed on while it ran. */
export interface OutlinedStep {
  step: Step;
  /** Its place in the list, from 1; that of a part says whose part it is, `2.1`. */
  number: string;
  /** How many steps it is a part of; 0 for what the plan itself holds. */
  depth: number;
  /** The steps to which it was handed on. */
  parts: readonly Step[];
}

/** The steps of a plan with the parts of each right below it. */
export interface Outline {
  steps: readonly OutlinedStep[];
  of(id: StepId | null | undefined): OutlinedStep | undefined;
}

/** Steps by ids as far as they are known; `before` where nothing of it would be another. */
export function outlineOf(
  plan: { steps: readonly Step[] },
  run: Pick<RunState, 'steps'> | null,
  before?: Outline,
): Outline {
  return outlined(plan, (id) => run?.steps.get(id)?.parts ?? [], before);
}

/** The same, of parts that are told in a list in which each names the step it is a part of. */
export function outlineWith(plan: { steps: readonly Step[] }, parts: readonly Step[]): Outline {
  return outlined(plan, (id) => parts.filter((part) => part.parentId === id));
}

function outlined(
  plan: { steps: readonly Step[] },
  partsOf: (id: StepId) => readonly Step[],
  before?: Outline,
): Outline {
  const steps: OutlinedStep[] = [];
  const places = new Map<StepId, OutlinedStep>();
  const add = (all: readonly Step[], above: OutlinedStep | null) => {
    for (const [at, step] of all.entries()) {
      // An id that is there already would be a part of itself.
      if (places.has(step.id)) continue;
      const one: OutlinedStep = {
        step,
        number: above ? `${above.number}.${at + 1}` : String(at + 1),
        depth: above ? above.depth + 1 : 0,
        parts: partsOf(step.id),
      };
      steps.push(one);
      places.set(step.id, one);
      add(one.parts, one);
    }
  };
  add(plan.steps, null);
  if (before && isAlike(before.steps, steps)) return before;
  return { steps, of: (id) => places.get(id ?? '') };
}

function isAlike(one: readonly OutlinedStep[], other: readonly OutlinedStep[]): boolean {
  const is = ({ step, number }: OutlinedStep, at: number) =>
    step === other[at]?.step && number === other[at].number;
  return one.length === other.length && one.every(is);
}

/** The numbers of steps, `1, 3`; ids that are not there stay ids. */
export function numbersOf(outline: Outline, ids: readonly StepId[]): string {
  return ids.map((id) => outline.of(id)?.number ?? id).join(', ');
}

/**
 * What each step waits for, as it is drawn: a step that was handed on comes before its parts, and what builds on it comes
 * after the last of them, because it is over when they are.
 */
export function drawnNeeds(outline: Outline): { id: StepId; needs: readonly StepId[] }[] {
  const ends = (id: StepId): StepId[] => {
    const parts = outline.of(id)?.parts ?? [];
    const needed = new Set(parts.flatMap((part) => part.dependencies));
    const last = parts.filter((part) => !needed.has(part.id));
    return last.length === 0 ? [id] : last.flatMap((part) => ends(part.id));
  };
  return outline.steps.map(({ step, depth }) => {
    const needs = step.dependencies.flatMap(ends);
    const above = depth > 0 && needs.length === 0 && step.parentId !== null ? [step.parentId] : [];
    // A step may wait for a whole and for its last part, and is drawn behind that one once.
    return { id: step.id, needs: [...new Set([...needs, ...above])] };
  });
}
