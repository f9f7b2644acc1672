import type {
  CallId,
  CallView,
  Event,
  PlanRef,
  RequestId,
  RequestKind,
  RunId,
  RunStatus,
  Step,
  StepId,
  StepView,
  TurnId,
  Usage,
} from '../backend/bindings';
import { asked, plus } from './usage';

/** A step of a run as its events fold. */
export interface StepState extends StepView {
  /** Requests that have to be settled before it goes on. */
  waitsFor: readonly RequestId[];
  /** The step because of which it was skipped. */
  because: StepId | null;
  /** The step that was done again since, where its result may no longer hold. */
  staleBy: StepId | null;
  /** Sequence numbers of the model's replies in all attempts. */
  replies: readonly number[];
  /** The steps to which it was handed on in this attempt: it is over when they are. */
  parts: readonly Step[];
}

/** A line of the ledger. */
export interface LedgerCall extends CallView {
  /** The attempt at its step in which it was asked for, from 1. */
  attempt: number;
}

/** A run as its events fold: what is shown of it anywhere. */
export interface RunState {
  id: RunId;
  plan: PlanRef;
  turn: TurnId | null;
  started: boolean;
  /** How it ended, once it has. */
  ended: RunStatus | null;
  stopAsked: boolean;
  steps: ReadonlyMap<StepId, StepState>;
  /** The ledger, in the order in which calls were asked for. */
  calls: readonly LedgerCall[];
  /** Open requests, oldest first, with their kinds. */
  open: readonly { id: RequestId; kind: RequestKind }[];
  /** Calls of which nobody knows how they ended, with the requests that ask. */
  unknown: ReadonlyMap<CallId, RequestId>;
  /** Everything that happened, in order. */
  trace: readonly Event[];
  usage: Usage;
  modelCalls: number;
  startedAt: number;
  endedAt: number | null;
}

const NO_USAGE: Usage = { input: 0, cached: 0, output: 0 };

/** A run that was queued. */
export function queued(event: Extract<Event, { kind: 'run_queued' }>): RunState {
  return {
    id: event.run ?? '',
    plan: event.plan,
    turn: event.turn ?? null,
    started: false,
    ended: null,
    stopAsked: false,
    steps: new Map(),
    calls: [],
    open: [],
    unknown: new Map(),
    trace: [],
    usage: NO_USAGE,
    modelCalls: 0,
    startedAt: event.at,
    endedAt: null,
  };
}

/** A step of which nothing has been heard. */
export function untouched(id: StepId): StepState {
  return {
    id,
    status: 'pending',
    attempt: 0,
    validation: null,
    result: null,
    reason: null,
    warning: false,
    stale: false,
    carriedFrom: null,
    startedAt: null,
    endedAt: null,
    usage: NO_USAGE,
    waitsFor: [],
    because: null,
    staleBy: null,
    replies: [],
    parts: NO_PARTS,
  };
}

/** The same list for all, so that what has none is alike. */
const NO_PARTS: readonly Step[] = [];

/** A run while events are taken in: the lists are its own. */
interface Building extends RunState {
  steps: Map<StepId, StepState>;
  calls: LedgerCall[];
  unknown: Map<CallId, RequestId>;
}

/** A run after more of its events. What did not change keeps its identity. */
export function runAfterAll(run: RunState, events: readonly Event[]): RunState {
  const next: Building = {
    ...run,
    steps: new Map(run.steps),
    calls: [...run.calls],
    unknown: new Map(run.unknown),
    trace: [...run.trace, ...events],
  };
  for (const event of events) change(next, event);
  return next;
}

/** A run as it stood after so many of its events, folded anew from what was recorded: nothing is called for it. */
export function runAt(run: RunState, count: number): RunState {
  const first = run.trace[0];
  if (first?.kind !== 'run_queued' || count >= run.trace.length) return run;
  return runAfterAll(queued(first), run.trace.slice(0, count));
}

/** What is asked of a plan here. */
interface Planned {
  steps: readonly { id: StepId }[];
}

/** The status as the engine derives it; `plan` as far as it is known. */
export function runStatus(run: RunState, plan?: Planned): RunStatus {
  if (run.ended) return run.ended;
  if (!run.started) return 'queued';
  if (run.open.some((request) => request.kind === 'help')) return 'waiting_for_user';
  let waiting = false;
  for (const step of run.steps.values()) {
    if (step.status === 'in_progress' && !waitsForParts(run, step)) return 'running';
    waiting ||= step.status === 'waiting';
  }
  if (waiting) {
    return run.open[0]?.kind === 'question' ? 'waiting_for_input' : 'suspended';
  }
  const own = plan && ownSteps(run, plan);
  return own?.length === plan?.steps.length && own?.every(isSettled) ? 'synthesizing' : 'running';
}

/** The steps of a run that its plan names: those to which one was handed on are parts of it and not counted. */
export function ownSteps(run: RunState, plan: Planned): StepState[] {
  return plan.steps.flatMap(({ id }) => run.steps.get(id) ?? []);
}

/** Whether a step is in progress only because steps to which it was handed on are not over. */
function waitsForParts(run: RunState, step: StepState): boolean {
  const isOpen = ({ id }: Step): boolean => !isSettled(run.steps.get(id) ?? untouched(id));
  return step.parts.some(isOpen);
}

/** Whether a call began and nobody knows how it ended: the person is asked, or has gone on without it. */
export function isUnknown(run: RunState, call: CallId): 'asked' | 'left' | null {
  const request = run.unknown.get(call);
  if (request === undefined) return null;
  return run.open.some((one) => one.id === request) ? 'asked' : 'left';
}

/** Whether a call did something that may have left a file. */
export function isWritten(call: CallView): boolean {
  return call.state === 'success' && (call.risk === 'write' || call.risk === 'destructive');
}

/** Whether a step is over. */
export function isSettled(step: StepState): boolean {
  return ['completed', 'failed', 'skipped', 'cancelled'].includes(step.status);
}

/** Whether nothing more happens in the run without a person. */
export function isOver(run: RunState): boolean {
  return run.ended !== null;
}

/** Whether somebody has to carry the run on: it is not over, and does not wait for a person. */
export function isGoingOn(run: RunState | null): boolean {
  return run !== null && ['queued', 'running', 'synthesizing'].includes(runStatus(run));
}

function change(run: Building, event: Event): void {
  switch (event.kind) {
    case 'run_started':
      run.started = true;
      return;
    case 'run_stop_asked':
      run.stopAsked = true;
      return;
    case 'run_ended':
      run.ended = event.status;
      run.endedAt = event.at;
      if (event.status === 'cancelled') cancelRest(run, event.at);
      return;
    case 'model_replied':
      return reply(run, event);
    case 'step_started':
    case 'step_ended':
    case 'step_reset':
    case 'step_delegated':
      return changeStep(run, event);
    case 'request_opened':
      run.open = [...run.open, { id: event.request.id, kind: event.request.kind }];
      if (event.request.kind === 'unknown_outcome' && event.request.call)
        run.unknown.set(event.request.call, event.request.id);
      return wait(run, event.step, event.request.id);
    case 'request_answered':
    case 'request_cancelled':
      return settleRequest(run, event.request);
    default:
      return changeCall(run, event);
  }
}

function setStep(
  run: Building,
  id: StepId | undefined,
  step: (before: StepState) => Partial<StepState>,
): void {
  if (!id) return;
  const before = run.steps.get(id) ?? untouched(id);
  run.steps.set(id, { ...before, ...step(before) });
}

function changeStep(
  run: Building,
  event: Extract<Event, { kind: 'step_started' | 'step_ended' | 'step_reset' | 'step_delegated' }>,
): void {
  if (event.kind === 'step_started') {
    const { attempt, at: startedAt } = event;
    setStep(run, event.step, () => ({ status: 'in_progress', attempt, startedAt, parts: NO_PARTS }));
  } else if (event.kind === 'step_delegated') {
    setStep(run, event.step, (before) => ({ parts: [...before.parts, ...event.steps] }));
  } else if (event.kind === 'step_ended') {
    setStep(run, event.step, (before) => ({
      status: event.status,
      validation: event.validation,
      result: event.result ?? null,
      reason: event.reason ?? null,
      because: event.because ?? null,
      carriedFrom: event.carriedFrom ?? null,
      warning: event.status === 'completed' && (Boolean(event.reason) || event.validation === 'failed'),
      endedAt: event.at,
      waitsFor: [],
      startedAt: before.startedAt,
    }));
  } else {
    reset(run, event.step, event.stale ?? []);
  }
}

/** A step, and all that was skipped because of it, is pending again. */
function reset(run: Building, step: StepId | undefined, stale: readonly StepId[]): void {
  const left = step ? [step] : [];
  const again = new Set<StepId>();
  while (left.length > 0) {
    const id = left.pop() as StepId;
    if (again.has(id)) continue;
    again.add(id);
    for (const other of run.steps.values()) {
      if (other.status === 'skipped' && other.because === id) left.push(other.id);
    }
  }
  for (const id of again) {
    setStep(run, id, (before) => ({
      ...untouched(id),
      attempt: before.attempt,
      usage: before.usage,
      replies: before.replies,
    }));
  }
  for (const id of stale)
    setStep(run, id, (before) =>
      before.status === 'completed' ? { stale: true, staleBy: step ?? null } : { stale: false },
    );
  run.ended = null;
  run.endedAt = null;
}

function reply(run: Building, event: Extract<Event, { kind: 'model_replied' }>): void {
  run.usage = plus(run.usage, event.usage);
  run.modelCalls += asked(event);
  if (event.purpose !== 'step') return;
  setStep(run, event.step, (before) => ({
    usage: plus(before.usage, event.usage),
    replies: [...before.replies, event.seq],
  }));
  const step = event.step ?? '';
  const attempt = run.steps.get(step)?.attempt ?? 0;
  const planned = (event.calls ?? []).map((call): LedgerCall => ({
    call: call.id,
    step,
    attempt,
    tool: call.tool,
    arguments: call.arguments,
    state: 'planned',
    output: null,
    error: null,
    fault: null,
    satisfied: false,
    missed: null,
    by: null,
    risk: null,
    startedAt: null,
    durationMs: null,
  }));
  run.calls.push(...planned);
}

function setCall(run: Building, id: CallId, call: (before: LedgerCall) => Partial<CallView>): void {
  const at = run.calls.findLastIndex((one) => one.call === id);
  const before = run.calls[at];
  if (before) run.calls[at] = { ...before, ...call(before) };
}

function changeCall(run: Building, event: Event): void {
  switch (event.kind) {
    case 'call_started':
      if (event.repeats) repeat(run, event.repeats, event.call);
      return setCall(run, event.call, (before) => ({
        state: 'open',
        risk: event.risk ?? 'read',
        startedAt: event.at,
        arguments: event.arguments ?? before.arguments,
      }));
    case 'call_ended':
      run.unknown.delete(event.call);
      return setCall(run, event.call, () => ({
        state: event.status,
        output: event.output,
        error: event.error ?? null,
        satisfied: event.satisfied,
        missed: event.missed ?? null,
        by: event.by ?? null,
        durationMs: event.durationMs,
      }));
    case 'call_suspended':
      return setCall(run, event.call, () => ({ state: 'suspended' }));
    case 'call_refused':
      return setCall(run, event.call, () => ({ state: 'refused', fault: event.fault }));
    case 'call_held':
      return wait(run, event.step, event.request);
    default:
      return;
  }
}

function repeat(run: Building, original: CallId, again: CallId): void {
  const first = run.calls.find((one) => one.call === original);
  if (first) run.calls.push({ ...first, call: again });
}

function wait(run: Building, step: StepId | undefined, request: RequestId): void {
  setStep(run, step, (before) => ({ status: 'waiting', waitsFor: [...before.waitsFor, request] }));
}

function settleRequest(run: Building, request: RequestId): void {
  run.open = run.open.filter((one) => one.id !== request);
  for (const step of run.steps.values()) {
    if (!step.waitsFor.includes(request)) continue;
    setStep(run, step.id, (before) => {
      const waitsFor = before.waitsFor.filter((one) => one !== request);
      const goesOn = before.status === 'waiting' && waitsFor.length === 0;
      return { waitsFor, status: goesOn ? 'in_progress' : before.status };
    });
  }
}

function cancelRest(run: Building, at: number): void {
  run.open = [];
  for (const step of run.steps.values()) {
    if (!isSettled(step)) setStep(run, step.id, () => ({ status: 'cancelled', endedAt: at, waitsFor: [] }));
  }
}
