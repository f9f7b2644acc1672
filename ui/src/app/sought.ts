import type { Backend } from '../backend/backend';
import type { PlanId, RunId, Step, StepId } from '../backend/bindings';
import { latest, type SessionState, type Turn } from '../model/session';
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
    if (event) return { plan: run.plan.id, run: run.id, step: event.step ?? null, version: null };
  }
  for (const plan of state.plans.values()) {
    const version = plan.versions.find((one) => one.seq === seq);
    if (!version) continue;
    const { steps } = (await backend.plans.get(plan.id, version.plan.version)).plan;
    return latest(plan) === version
      ? { plan: plan.id, run: null, step: saying(steps, words), version: null }
      : { plan: plan.id, run: null, step: null, version: version.plan.version };
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

/** The step that says the most of some words; none where no step says any. */
function saying(steps: readonly Step[], words: string): StepId | null {
  const said = steps.map(({ description, expectedOutcome }) => `${description} ${expectedOutcome ?? ''}`);
  const most = mostLike(said, words);
  return most === null ? null : (steps[most]?.id ?? null);
}
