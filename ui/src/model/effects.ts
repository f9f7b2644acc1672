import type { Effects, Plan, PlanDiff } from '../backend/bindings';
import { stepNumber } from './place';

/** What approving allows, as the card says it. */
export interface Allowance {
  /** Paths; the whole folder is `.`. */
  reads: readonly string[];
  writes: readonly string[];
  network: boolean;
  hosts: readonly string[];
  commands: boolean;
  destructive: readonly string[];
  /** The numbers of steps that look for a tool when they run. */
  open: readonly number[];
}

/** The effects of a document with the numbers of its steps. */
export function allowance(effects: Effects, plan: Plan): Allowance {
  return {
    ...effects,
    open: effects.open.flatMap((id) => stepNumber(plan, id) ?? []),
  };
}

/**
 * What a change does to that nothing may be changed: `lifted`, what may change something asks no more where it is granted.
 * That stands in the head of the plan and is granted to no step. Null where it is as it was.
 */
export function onlyLooks({ header }: PlanDiff): 'lifted' | 'set' | null {
  const change = header.find(({ field }) => field === 'readOnly');
  // A plan that may change things does not say so.
  if (!change || (change.before === true) === (change.after === true)) return null;
  return change.before === true ? 'lifted' : 'set';
}

/** The whole of the workspace. */
export const WHOLE = '.';
