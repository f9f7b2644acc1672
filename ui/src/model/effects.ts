import type { Effects, Plan } from '../backend/bindings';
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

/** The whole of the workspace. */
export const WHOLE = '.';
