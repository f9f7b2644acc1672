/** How a run changes by its events, as the engine folds them (`run/state` there). */

import type { CallId, CallView, Event, RequestId, StepId } from '../backend/bindings';
import {
  isSettled,
  NO_PARTS,
  NO_USAGE,
  untouched,
  type LedgerCall,
  type RunState,
  type StepState,
} from './run';
import { asked, plus } from './usage';

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
    parents: new Map(),
    unknown: new Map(),
    trace: [],
    usage: NO_USAGE,
    modelCalls: 0,
    startedAt: event.at,
    endedAt: null,
  };
}

/** A run while events are taken in: the lists are its own. */
interface Building extends RunState {
  steps: Map<StepId, StepState>;
  calls: LedgerCall[];
  parents: Map<StepId, StepId>;
  unknown: Map<CallId, RequestId>;
}

/** A run after more of its events. What did not change keeps its identity. */
export function runAfterAll(run: RunState, events: readonly Event[]): RunState {
  const next: Building = {
    ...run,
    steps: new Map(run.steps),
    calls: [...run.calls],
    parents: new Map(run.parents),
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
      run.open = [...run.open, { id: event.request.id, kind: event.request.kind, step: event.step ?? null }];
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
    for (const part of event.steps) run.parents.set(part.id, event.step ?? '');
    setStep(run, event.step, (before) => ({ parts: [...before.parts, ...event.steps] }));
  } else if (event.kind === 'step_ended') {
    // What it asks has no answer any more; what others ask goes on without it.
    for (const own of run.open.filter((one) => one.step === event.step)) settleRequest(run, own.id);
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

/**
 * A step, and all that ended because of it, is pending again; not what has begun an effect, which takes a word about
 * itself, nor parts of what is over.
 */
function reset(run: Building, step: StepId | undefined, stale: readonly StepId[]): void {
  const left = step ? [step] : [];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const before = run.steps.get(id) ?? untouched(id);
    if (!isSettled(before) || !countsIn(run, id) || (id !== step && hasBegunEffects(run, before))) continue;
    const { attempt, usage, replies, parts } = before;
    run.steps.set(id, { ...untouched(id), attempt, usage, replies, parts });
    for (const other of run.steps.values()) if (other.because === id) left.push(other.id);
  }
  for (const id of stale)
    setStep(run, id, (before) =>
      before.status === 'completed' ? { stale: true, staleBy: step ?? null } : { stale: false },
    );
  run.ended = null;
  run.endedAt = null;
  run.stopAsked = false;
}

/** Whether a step is one of the plan, or a part of what one hands on that is not over. */
function countsIn(run: Building, id: StepId): boolean {
  const parent = run.parents.get(id);
  if (parent === undefined) return true;
  const above = run.steps.get(parent);
  return above !== undefined && !isSettled(above) && above.parts.some((part) => part.id === id);
}

/** Whether the current attempt of a step, or a part of it, has begun a call that may change something. */
function hasBegunEffects(run: Building, step: StepState): boolean {
  const isEffect = (call: LedgerCall): boolean =>
    call.step === step.id && call.attempt === step.attempt && call.risk !== null && call.risk !== 'read';
  const parts = step.parts.map(({ id }) => run.steps.get(id) ?? untouched(id));
  return run.calls.some(isEffect) || parts.some((part) => hasBegunEffects(run, part));
}

function reply(run: Building, event: Extract<Event, { kind: 'model_replied' }>): void {
  run.usage = plus(run.usage, event.usage);
  run.modelCalls += asked(event);
  if (event.purpose !== 'step') {
    // What it took to find who does a step counts as the step's.
    if (event.purpose !== 'synthesis')
      setStep(run, event.step, (before) => ({ usage: plus(before.usage, event.usage) }));
    return;
  }
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
      // It may have been answered while this was on its way.
      if (!run.open.some((one) => one.id === event.request)) return;
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
