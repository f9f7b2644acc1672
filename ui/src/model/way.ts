import type { Event, Executor, Expanded, Settled, Step, StepId } from '../backend/bindings';
import { asked } from './usage';

/** One who came in on the way to whoever does a step. */
export interface Came {
  who: string;
  how:
    | { kind: 'named'; by: 'plan' | 'you' }
    /** As an agent is called: by whom, in which step. */
    | { kind: 'called'; by: Executor; step: StepId }
    /** While a step ran whose specialist has no tools of its own; null where what tells of that is no longer there. */
    | { kind: 'handed'; by: string; step: StepId; settled: Settled | null }
    /** Before the step began. */
    | { kind: 'chosen'; settled: Settled };
}

/** How a step came to who does it. */
export interface Way {
  came: readonly Came[];
  /** To whom it was itself handed on while it ran. */
  handed: { to: readonly string[]; settled: Settled | null } | null;
  /** How often a model was asked who does it; null where nothing had to be settled. */
  calls: number | null;
}

type Delegated = Extract<Event, { kind: 'step_delegated' }>;

/** How a step was handed on: as its ledger tells it, with what that has cost. */
interface Handing {
  to: readonly Step[];
  /** Null in a history of before that was written down. */
  settled: Settled | null;
  calls: number;
}

/** The way to who does a step, from whoever the plan names on. `of` knows the steps of the plan and their parts. */
export function wayOf(step: Step, of: (id: StepId | null) => Step | undefined, trace: readonly Event[]): Way {
  const came: Came[] = [];
  let calls: number | null = null;
  const cost = (more: number) => (calls = (calls ?? 0) + more);

  const steps = [step];
  for (let above = parentOf(step, of); above; above = parentOf(above, of)) {
    // Whoever calls an agent has chosen it: how that one was found is the way of another step.
    const top = steps[0];
    if (top?.origin !== 'delegate' || steps.includes(above)) break;
    steps.unshift(above);
  }
  for (const one of steps) {
    const above = parentOf(one, of);
    const who = one.executor.id;
    if (above && one.origin === 'agent_call')
      came.push({ who, how: { kind: 'called', by: above.executor, step: above.id } });
    else if (above && one.origin === 'delegate') {
      const handing = handingOf(trace, above.id, one.id);
      const settled = handing?.settled ?? null;
      came.push({ who, how: { kind: 'handed', by: above.executor.id, step: above.id, settled } });
      if (handing) cost(handing.calls);
    } else came.push({ who, how: { kind: 'named', by: one.origin === 'user' ? 'you' : 'plan' } });
  }

  const expanded = expandedOf(trace, step.id);
  for (const choice of expanded?.path ?? [])
    came.push({ who: choice.chosen, how: { kind: 'chosen', settled: choice.by } });
  if (expanded) cost(expanded.calls);

  const own = handingOf(trace, step.id);
  if (own) cost(own.calls);
  const handed = own && { to: own.to.map((part) => part.executor.id), settled: own.settled };
  return { came, handed, calls };
}

function parentOf(step: Step, of: (id: StepId | null) => Step | undefined): Step | undefined {
  return step.parentId === null ? undefined : of(step.parentId);
}

function expandedOf(trace: readonly Event[], step: StepId): Expanded | null {
  const event = trace.findLast(
    (one): one is Extract<Event, { kind: 'step_expanded' }> =>
      one.kind === 'step_expanded' && one.step === step,
  );
  return event?.expanded ?? null;
}

/** How a step was handed on last, or to the part that is named; null where it was not. */
function handingOf(trace: readonly Event[], step: StepId, part?: StepId): Handing | null {
  const own = trace.filter((event) => event.step === step);
  const is = (event: Event): event is Delegated =>
    event.kind === 'step_delegated' &&
    event.call === undefined &&
    (part === undefined || event.steps.some(({ id }) => id === part));
  const begun = own.findLastIndex((event) => event.kind === 'step_reset');
  const at = own.findLastIndex((event, place) => is(event) && (part !== undefined || place > begun));
  const delegated = own[at];
  if (!delegated || !is(delegated)) return null;

  let calls = 0;
  // What was asked for it stands right before it.
  for (const event of own.slice(0, at).reverse()) {
    if (event.kind === 'step_started' || event.kind === 'step_delegated') break;
    if (event.kind === 'model_replied' && event.purpose === 'choose') calls += asked(event);
    if (event.kind === 'model_failed' && event.purpose === 'choose') calls += 1;
  }
  return { to: delegated.steps, settled: delegated.by ?? null, calls };
}
