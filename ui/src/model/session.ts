import type {
  Comment,
  Decider,
  Event,
  Fault,
  PlanId,
  PlanRef,
  PlanStatus,
  RequestId,
  RequestRow,
  RunId,
  SessionKind,
  TurnId,
} from '../backend/bindings';
import { openedRequest } from '../backend/rows';
import { queued, runAfterAll } from './fold';
import { isGoingOn, shownOf, type RunState } from './run';
import { changeBy, newTurn, type Turn } from './turn';
import { asked } from './usage';

export type { Turn };

/** How a version of a plan stands. */
export interface Version {
  plan: PlanRef;
  status: PlanStatus;
  faults: readonly Fault[];
  /** The event that proposed it, and the turn that this was in. */
  seq: number;
  turn: TurnId | null;
  at: number;
  by: Decider | null;
  /** The note of an approval or the reason of a rejection. */
  note: string | null;
  /** The event that decided it. */
  decidedSeq: number | null;
}

/** A plan with its versions, oldest first. */
export interface PlanState {
  id: PlanId;
  turn: TurnId;
  versions: readonly Version[];
}

/** A comment, and the event that it came with. */
type Said = Comment & { seq: number };

/** A session as its events fold. */
export interface SessionState {
  title: string;
  kind: SessionKind;
  workspace: string | null;
  archived: boolean;
  turns: readonly Turn[];
  plans: ReadonlyMap<PlanId, PlanState>;
  runs: ReadonlyMap<RunId, RunState>;
  requests: ReadonlyMap<RequestId, RequestRow>;
  comments: readonly Said[];
  /** What all of it has cost: calls of models, and their tokens. */
  spent: { calls: number; tokens: number };
  /** The sequence number of the last event that was taken in. */
  seq: number;
}

/** A session before its first event. */
export const emptySession: SessionState = {
  title: '',
  kind: 'chat',
  workspace: null,
  archived: false,
  turns: [],
  plans: new Map(),
  runs: new Map(),
  requests: new Map(),
  comments: [],
  spent: { calls: 0, tokens: 0 },
  seq: 0,
};

type Kind<K extends Event['kind']> = Extract<Event, { kind: K }>;

/**
 * A session after more of its events. Events that were taken in before are left out, so that a list that was read may
 * overlap with what was told meanwhile. What did not change keeps its identity.
 */
export function sessionAfter(state: SessionState, events: readonly Event[]): SessionState {
  const fresh = events.filter((event) => event.seq > state.seq);
  if (fresh.length === 0) return state;
  const next: Building = {
    ...state,
    turns: [...state.turns],
    plans: new Map(state.plans),
    requests: new Map(state.requests),
    comments: [...state.comments],
    shared: new Set(state.turns),
  };
  const ofRuns = new Map<RunId, Event[]>();
  const queues = new Map<RunId, Kind<'run_queued'>>();
  for (const event of fresh) {
    next.seq = event.seq;
    take(next, event);
    if (goesOn(event)) {
      const turn = turnOf(next, event.turn);
      if (turn) [turn.status, turn.error, turn.endedAt] = [null, null, null];
    }
    if (!event.run) continue;
    if (event.kind === 'run_queued') queues.set(event.run, event);
    const own = ofRuns.get(event.run);
    if (own) own.push(event);
    else ofRuns.set(event.run, [event]);
  }
  if (ofRuns.size > 0) next.runs = runsAfter(state.runs, ofRuns, queues);
  const { shared: _, ...after } = next;
  return after;
}

interface Building extends SessionState {
  turns: Turn[];
  plans: Map<PlanId, PlanState>;
  requests: Map<RequestId, RequestRow>;
  comments: Said[];
  /** The turns that somebody else holds, too; all others can be changed where they are. */
  shared: ReadonlySet<Turn>;
}

function runsAfter(
  before: ReadonlyMap<RunId, RunState>,
  events: ReadonlyMap<RunId, Event[]>,
  queues: ReadonlyMap<RunId, Kind<'run_queued'>>,
): ReadonlyMap<RunId, RunState> {
  const runs = new Map(before);
  for (const [id, own] of events) {
    const queue = queues.get(id);
    const run = runs.get(id) ?? (queue && queued(queue));
    if (run) runs.set(id, runAfterAll(run, own));
  }
  return runs;
}

function take(state: Building, event: Event): void {
  switch (event.kind) {
    case 'session_created':
      state.title = event.title;
      state.kind = event.sessionKind;
      state.workspace = event.workspace ?? null;
      return;
    case 'session_renamed':
      state.title = event.title;
      return;
    case 'session_archived':
      state.archived = event.archived;
      return;
    case 'message_received':
      state.turns.push(newTurn(event.turn ?? `message-${event.seq}`, event, event.text));
      return;
    case 'plan_proposed':
    case 'plan_approved':
    case 'plan_rejected':
    case 'plan_superseded':
      return takePlan(state, event);
    case 'commented':
      state.comments.push({
        plan: event.plan,
        step: event.on ?? null,
        text: event.text,
        at: event.at,
        seq: event.seq,
      });
      return;
    case 'request_opened':
    case 'request_answered':
    case 'request_cancelled':
      return takeRequest(state, event);
    default:
      return takeTurn(state, event);
  }
}

/** Whether a turn goes on by an event, also one that was over: as the engine has it (`core/src/run/turn.rs`). */
function goesOn(event: Event): boolean {
  return event.kind === 'plan_approved' ? event.starts === true : GO_ON.has(event.kind);
}

const GO_ON: ReadonlySet<string> = new Set(['run_queued', 'run_started', 'step_reset', 'request_answered']);

/** Where a turn stands, or -1: what happens is most often in one of the last. */
const placeOf = ({ turns }: Building, id: TurnId): number => turns.findLastIndex((turn) => turn.id === id);

/** A turn, to be changed where it stands: one that somebody else holds, too, is copied first. */
function turnOf(state: Building, id: TurnId | undefined): Turn | undefined {
  if (!id) return undefined;
  const at = placeOf(state, id);
  const turn = state.turns[at];
  return turn && state.shared.has(turn) ? (state.turns[at] = { ...turn }) : turn;
}

function takeTurn(state: Building, event: Event): void {
  if (event.kind === 'model_replied')
    state.spent = {
      calls: state.spent.calls + asked(event),
      tokens: state.spent.tokens + event.usage.input + event.usage.output,
    };
  // A run that no message asked for, as those of a workflow, has a turn of its own.
  if (event.kind === 'run_queued' && event.turn && placeOf(state, event.turn) < 0)
    state.turns.push(newTurn(event.turn, event, null));
  const change = changeBy(event);
  const turn = change && turnOf(state, event.turn);
  if (turn) change(turn, event);
}

function takePlan(
  state: Building,
  event: Kind<'plan_proposed' | 'plan_approved' | 'plan_rejected' | 'plan_superseded'>,
): void {
  const { id } = event.plan;
  let plan = state.plans.get(id);
  if (!plan) {
    let turn = event.turn;
    // A plan that no message asked for, as one from a file, has a turn of its own.
    if (!turn || placeOf(state, turn) < 0) {
      turn ??= `plan-${id}`;
      state.turns.push(newTurn(turn, event, null));
    }
    plan = { id, turn, versions: [] };
    addPlan(state, turn, id);
  } else if (event.kind === 'plan_proposed' && event.turn && event.turn !== plan.turn) {
    const { turn } = event;
    if (placeOf(state, turn) >= 0) {
      const before = turnOf(state, plan.turn);
      if (before) before.plans = before.plans.filter((one) => one !== id);
      addPlan(state, turn, id);
      plan = { ...plan, turn };
    }
  }
  state.plans.set(id, { ...plan, versions: versionsAfter(plan.versions, event) });
}

function addPlan(state: Building, id: TurnId, plan: PlanId): void {
  const turn = turnOf(state, id);
  if (turn) turn.plans = [...turn.plans, plan];
}

function versionsAfter(
  versions: readonly Version[],
  event: Kind<'plan_proposed' | 'plan_approved' | 'plan_rejected' | 'plan_superseded'>,
): readonly Version[] {
  if (event.kind === 'plan_proposed') {
    const version: Version = {
      plan: event.plan,
      status: 'proposed',
      faults: event.faults ?? [],
      seq: event.seq,
      turn: event.turn ?? null,
      at: event.at,
      by: null,
      note: null,
      decidedSeq: null,
    };
    return [...versions.filter((one) => one.plan.version !== event.plan.version), version];
  }
  const change: Partial<Version> =
    event.kind === 'plan_approved'
      ? { status: 'approved', by: event.by, note: event.note ?? null, decidedSeq: event.seq }
      : event.kind === 'plan_rejected'
        ? { status: 'rejected', note: event.reason ?? null, decidedSeq: event.seq }
        : { status: 'superseded' };
  return versions.map((one) => (one.plan.version === event.plan.version ? { ...one, ...change } : one));
}

function takeRequest(
  state: Building,
  event: Kind<'request_opened' | 'request_answered' | 'request_cancelled'>,
): void {
  if (event.kind === 'request_opened') {
    state.requests.set(event.request.id, openedRequest(event));
    return;
  }
  const row = state.requests.get(event.request);
  if (!row) return;
  const answered = event.kind === 'request_answered';
  const status = answered ? 'answered' : 'cancelled';
  state.requests.set(event.request, { ...row, status, answer: answered ? event.answer : null });
  // Only a question is answered by a message, be it written or chosen on a card: all else is settled where it was asked.
  const turn = answered && event.turn !== row.turn ? turnOf(state, event.turn) : undefined;
  if (turn) turn.answers = event.request;
}

/** The open requests of a session, oldest first. Those of a cancelled run wait for nobody. */
export function openRequests(state: SessionState): RequestRow[] {
  return [...state.requests.values()].filter(
    (row) => row.status === 'open' && !(row.run && state.runs.get(row.run)?.ended === 'cancelled'),
  );
}

/** The plan that is shown by itself: that of the run that goes on, else the one that was proposed last. */
export function newestPlan(state: SessionState): PlanId | null {
  const run = shownOf([...state.runs.values()]);
  return (isGoingOn(run) ? run?.plan.id : null) ?? [...state.plans.keys()].at(-1) ?? null;
}

/** The plans that turns have proposed, and that a later one goes on from: they stand there. */
export function goneOnFrom(state: SessionState): ReadonlyMap<TurnId, readonly PlanId[]> {
  const gone = new Map<TurnId, PlanId[]>();
  for (const { id, turn, versions } of state.plans.values())
    for (const from of new Set(versions.map((version) => version.turn)))
      if (from !== null && from !== turn) gone.set(from, [...(gone.get(from) ?? []), id]);
  return gone;
}

/** The latest version of a plan. */
export function latest(plan: PlanState): Version | undefined {
  return plan.versions.at(-1);
}

/** Whether a message asks for what was asked right before it. Two answers of the same words ask for nothing. */
export function asksAgain({ message, answers }: Turn, before: Turn | undefined): boolean {
  return message !== null && message === before?.message && answers === null && before.answers === null;
}

/** Whether nothing has come of a turn yet. What has answered a question carries on a run that an earlier turn has. */
export function isUnplanned({ status, answer, answers, plans, runs }: Turn): boolean {
  return !status && !answer && !answers && plans.length + runs.length === 0;
}
