import type { Backend } from '../backend/backend';
import type { Event, PlanId, RunId, Step, StepId } from '../backend/bindings';
import { latest, type PlanState, type SessionState, type Turn, type Version } from '../model/session';
import { valueWords } from '../model/values';
import { mostLike } from '../model/words';

/** Where in the plans of a session something stands that was looked for. */
export interface Sought {
  plan: PlanId;
  /** The run that it happened in; null for what a plan itself says. */
  run: RunId | null;
  step: StepId | null;
  /** The version that says it, where another one came since. */
  version: number | null;
}

/** Where an event stands. Of a plan it is the step that has the most of the words; null for what is no part of a plan. */
export async function soughtIn(
  state: SessionState,
  backend: Backend,
  seq: number,
  words: string,
): Promise<Sought | null> {
  for (const run of state.runs.values()) {
    const event = run.trace.find((one) => one.seq === seq);
    if (event) return { plan: run.plan.id, run: run.id, step: stepOf(event, words), version: null };
  }
  for (const plan of state.plans.values()) {
    const decided = plan.versions.find((one) => one.decidedSeq === seq);
    if (decided) return { plan: plan.id, run: null, step: null, version: olderThanLatest(plan, decided) };
    const version = plan.versions.find((one) => one.seq === seq);
    if (!version) continue;
    const { steps } = (await backend.plans.get(plan.id, version.plan.version)).plan;
    const older = olderThanLatest(plan, version);
    return { plan: plan.id, run: null, step: older === null ? saying(steps, words) : null, version: older };
  }
  const comment = state.comments.find((one) => one.seq === seq);
  return comment ? { plan: comment.plan.id, run: null, step: comment.step, version: null } : null;
}

/** What the chat is to show: a turn, and the words that are looked for in what was said there. */
export interface Revealed {
  turn: number;
  said?: 'message' | 'answer';
  words?: string;
}

/** The turn in which something was said: a late answer belongs to its own, whatever began since. */
export function turnOf(turns: readonly Turn[], seq: number): Revealed {
  const answered = turns.findIndex((turn) => turn.answeredSeq === seq);
  if (answered >= 0) return { turn: answered, said: 'answer' };
  return { turn: turns.findLastIndex((turn) => turn.seq <= seq), said: 'message' };
}

/** The number of a version where another one came since. */
function olderThanLatest(plan: PlanState, version: Version): number | null {
  return latest(plan) === version ? null : version.plan.version;
}

/** The step that an event of a run tells of; of one that was handed on, the part that has the most of the words. */
function stepOf(event: Event, words: string): StepId | null {
  const part = event.kind === 'step_delegated' ? saying(event.steps, words) : null;
  return part ?? event.step ?? null;
}

/** The step that says the most of some words; none where no step says any. */
function saying(steps: readonly Step[], words: string): StepId | null {
  const said = steps.map(({ description, expectedOutcome, instructions, input }) =>
    [description, expectedOutcome, instructions, valueWords(input.context)].join(' '),
  );
  const most = mostLike(said, words);
  return most === null ? null : (steps[most]?.id ?? null);
}
