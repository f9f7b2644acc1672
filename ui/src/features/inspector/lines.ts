import { callLine } from '../../model/content';
import { callsBySteps, countedFor, isOfNow, type Taken } from '../../model/ledger';
import type { Outline, OutlinedStep } from '../../model/outline';
import { isSettled, type LedgerCall, type RunState } from '../../model/run';
import { duration } from '../../shared/format';
import type { State } from '../../shared/parts/Status.svelte';
import { text } from '../../shared/text';
import { callSays } from './signs';

const words = text.inspect;

/** A line of the ledger as it is shown. */
export interface Line {
  key: string;
  state: State;
  label: string;
  call?: LedgerCall;
  words: string;
  right: string;
  /** The first of several steps in a row that need no tool. */
  idle?: { key: string; number: string };
}

/** What was called, step by step, and what is still required; `taken` are the steps that the run did not do itself. */
export function linesOf(outline: Outline, run: RunState | null, taken: ReadonlyMap<string, Taken>): Line[] {
  const found: Line[] = [];
  const made = callsBySteps(run);
  for (const outlined of outline.steps) {
    const { step, number, parts } = outlined;
    const from = taken.get(step.id);
    const own = made.get(step.id) ?? [];
    found.push(...own.map((call) => line(run, call)));
    const source = from?.run ?? run;
    const counted = source ? countedFor(source, step.id, from ? undefined : made) : [];
    if (from?.run) found.push(...counted.map((call) => takenLine(call, step.id, from)));
    if (from && !from.run) found.push(...step.requiredTools.map((tool) => gone(run, step.id, tool)));
    else found.push(...missing(run, outlined, counted));
    const needsTool = step.requiredTools.length > 0 || step.stepType === 'tool';
    if (needsTool || own.length > 0 || counted.length > 0 || parts.length > 0) continue;
    const idle = found.at(-1)?.idle ?? { key: step.id, number };
    if (found.at(-1)?.idle) found.pop();
    found.push({
      key: idle.key,
      state: 'none',
      label: '',
      words: words.noTool(idle.number, number),
      right: '',
      idle,
    });
  }
  // Of attempts that were given up: their parts are no steps any more, and their calls were made all the same.
  for (const [step, calls] of made)
    if (!outline.of(step))
      found.push(...calls.map((call) => ({ ...line(run, call), right: words.earlierAttempt })));
  return found;
}

function line(run: RunState | null, call: LedgerCall): Line {
  const again = run && ((run.steps.get(call.step)?.attempt ?? 0) > 1 || !isOfNow(run, call));
  return called(run, call, call.call, again ? words.attempt(call.attempt) : '');
}

function takenLine(call: LedgerCall, step: string, { run, number }: Taken): Line {
  return called(run, call, `${step} ${call.call}`, number ? words.carriedShort(number) : '');
}

function called(run: RunState | null, call: LedgerCall, key: string, where: string): Line {
  const { state, label } = callSays(run, call);
  const took = call.durationMs === null ? label : duration(call.durationMs);
  const how = call.durationMs !== null && call.by === 'user' ? words.byYou : took;
  const right = [where, how].filter(Boolean).join(' · ');
  return { key, state, label, call, words: callLine(call.arguments), right };
}

/** The tools that a step has to call, and of which nothing counts or is under way. */
function missing(
  run: RunState | null,
  { step, number }: OutlinedStep,
  counted: readonly LedgerCall[],
): Line[] {
  const is = (tool: string) => (call: LedgerCall) =>
    call.tool === tool && (call.satisfied || ['planned', 'open', 'suspended'].includes(call.state));
  const stands = run?.steps.get(step.id);
  const over = stands !== undefined && isSettled(stands) && stands.startedAt !== null;
  return step.requiredTools
    .filter((tool) => !counted.some(is(tool)))
    .map((tool) => ({
      key: `${step.id} ${tool}`,
      state: over ? 'failed' : 'pending',
      label: over ? words.missing : words.notCalled,
      words: tool,
      right: words.requiredBy(number),
    }));
}

/** What a tool proves that a run has called which is no longer there. */
function gone(run: RunState | null, step: string, tool: string): Line {
  const proven = run?.steps.get(step)?.validation === 'passed';
  return {
    key: `${step} ${tool}`,
    state: proven ? 'completed' : 'none',
    label: proven ? words.proven : '',
    words: tool,
    right: proven ? words.carriedGone : words.carriedGoneUnproven,
  };
}
