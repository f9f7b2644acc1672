import type { Fault, Plan, PlanDiff, PlanEdit, StepId } from '../backend/bindings';
import { sharing } from './sharing';

/** An unsaved document with what it came from, for undo and redo. The document itself is changed by the engine. */
export interface Draft {
  /** The version that it was made from. */
  base: Plan;
  document: Plan;
  past: readonly Plan[];
  future: readonly Plan[];
  /** Why the last change was refused, and at which step. */
  refused: { reason: string; step: StepId | null } | null;
}

/** How many changes can be undone. */
const DEPTH = 200;

/** Nothing changed yet, or what was changed before. */
export function begin(base: Plan, kept: Plan = base): Draft {
  const document = sharing(base, kept);
  return { base, document, past: document === base ? [] : [base], future: [], refused: null };
}

/** After a change that the engine made. One that changes nothing is none to be undone. */
export function changed(draft: Draft, made: Plan): Draft {
  const document = sharing(draft.document, made);
  if (document === draft.document) return { ...draft, refused: null };
  return {
    ...draft,
    document,
    past: [...draft.past, draft.document].slice(-DEPTH),
    future: [],
    refused: null,
  };
}

/** With the latest version in the place of what was changed of an earlier one, which can be had again. */
export function dropped(draft: Draft, latest: Plan): Draft {
  return { base: latest, document: latest, past: [draft.document], future: [], refused: null };
}

/** After a change that the engine refused, or that could not even be asked for. */
export function refused(draft: Draft, reason: string, edit?: PlanEdit): Draft {
  const step = edit && 'step' in edit && typeof edit.step === 'string' ? edit.step : null;
  return { ...draft, refused: { reason, step } };
}

/** One change back. */
export function undo(draft: Draft): Draft {
  const document = draft.past.at(-1);
  if (!document) return draft;
  return {
    ...draft,
    document,
    past: draft.past.slice(0, -1),
    future: [draft.document, ...draft.future],
    refused: null,
  };
}

/** One change forward again. */
export function redo(draft: Draft): Draft {
  const [document, ...future] = draft.future;
  if (!document) return draft;
  return { ...draft, document, past: [...draft.past, draft.document], future, refused: null };
}

/** Whether there is something to save. Quick where the documents share what they have in common. */
export function isDirty(draft: Draft): boolean {
  return sharing(draft.base, draft.document) !== draft.base;
}

/** The faults of each step, and those of the document as a whole under null. */
export function faultsByStep(
  plan: Plan,
  faults: readonly Fault[],
): ReadonlyMap<StepId | null, readonly Fault[]> {
  const found = new Map<StepId | null, Fault[]>();
  for (const fault of faults) {
    const [first, index] = fault.path;
    const step = first === 'steps' && typeof index === 'number' ? (plan.steps[index]?.id ?? null) : null;
    const own = found.get(step);
    if (own) own.push(fault);
    else found.set(step, [fault]);
  }
  return found;
}

/** Whether two versions say the same. */
export function isSame(diff: PlanDiff): boolean {
  return Object.values(diff).every((list) => list.length === 0);
}
