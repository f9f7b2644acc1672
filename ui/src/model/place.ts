import type { Fault, Plan, RequestKind, StepId } from '../backend/bindings';
import type { Outline } from './outline';

/** The place of a fault as text, `steps[2].dependencies`; empty for the whole document. */
export function placeText(fault: Fault): string {
  return fault.path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}

/** The number under which people see a step: its place in the list, from 1. */
export function stepNumber(plan: Plan, id: StepId): number | null {
  const at = plan.steps.findIndex((step) => step.id === id);
  return at < 0 ? null : at + 1;
}

/** Steps by their numbers, `1, 3`; ids that are not in the plan stay ids. */
export function stepNumbers(plan: Plan, ids: readonly StepId[]): string {
  return ids.map((id) => stepNumber(plan, id) ?? id).join(', ');
}

/** Where something belongs: the title of its plan, and the steps from the root down to its own. */
export interface Trail {
  title: string;
  steps: { id: StepId; number: string | null; words: string }[];
}

/** The way to the last step of a path. Steps that are not known go by their ids. */
export function trailOf(of: { title: string; outline: Outline } | null, path: readonly StepId[]): Trail {
  const steps = path.map((id) => {
    const known = of?.outline.of(id);
    return { id, number: known?.number ?? null, words: known?.step.description || id };
  });
  return { title: of?.title ?? '', steps };
}

/** What a request asks, with the number that people see where the engine itself names the step that asks. */
export function numbered(prompt: string, kind: RequestKind, trail: Trail): string {
  const asking = trail.steps.at(-1);
  if (!asking?.number || (kind !== 'permit' && kind !== 'cap')) return prompt;
  return prompt.replace(`step ${asking.id}`, `step ${asking.number}`);
}

/** A refusal of the engine, in which steps are named by their ids, with the numbers that people see. */
export function withNumbers(plan: Plan, sentence: string): string {
  const named = inNumbers(plan, sentence, () => true);
  return named.charAt(0).toUpperCase() + named.slice(1);
}

/**
 * The same of what may hold words of anybody: steps are those that are called so, or with which it begins. Others may be
 * names of files.
 */
export function reasonWithNumbers(of: Plan | Outline, reason: string): string {
  return inNumbers(
    of,
    reason,
    (isCalled, before, after) => isCalled || (before === '' && after.startsWith(':')),
  );
}

function inNumbers(
  of: Plan | Outline,
  sentence: string,
  isStep: (isCalled: boolean, before: string, after: string) => boolean,
): string {
  const numberOf =
    'of' in of
      ? (id: string) => of.of(id)?.number
      : (id: string) => of.steps.findIndex((step) => step.id === id) + 1 || undefined;
  return sentence.replace(
    /(?<![\w/.-])((?:step|part) )?([\w/.-]+)/gi,
    (words, called: string | undefined, word: string, at: number) => {
      const bare = word.replace(/\.$/, '');
      const number = numberOf(bare);
      const after = sentence.slice(at + words.length);
      if (number === undefined || !isStep(called !== undefined, sentence.slice(0, at), after)) return words;
      const begins = at === 0 || /^[SP]/.test(called ?? '');
      return `${begins ? 'Step' : 'step'} ${number}${word.slice(bare.length)}`;
    },
  );
}
