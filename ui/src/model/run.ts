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

/** A step of a run as its events fold. */
export interface StepState extends StepView {
  /** Requests that have to be settled before it goes on. */
  waitsFor: readonly RequestId[];
  /** The step because of which it ended. */
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
  open: readonly { id: RequestId; kind: RequestKind; step: StepId | null }[];
  /** The step that has handed each part on. */
  parents: ReadonlyMap<StepId, StepId>;
  /** Calls of which nobody knows how they ended, with the requests that ask. */
  unknown: ReadonlyMap<CallId, RequestId>;
  /** Everything that happened, in order. */
  trace: readonly Event[];
  usage: Usage;
  modelCalls: number;
  startedAt: number;
  endedAt: number | null;
}

export const NO_USAGE: Usage = { input: 0, cached: 0, output: 0 };

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

/** How a step of a run stands, also one of which nothing has been heard: a run that was stopped has cancelled it. */
export function stepIn(run: RunState | null, id: StepId): StepState {
  const heard = run?.steps.get(id);
  if (heard) return heard;
  return run?.ended === 'cancelled'
    ? { ...untouched(id), status: 'cancelled', endedAt: run.endedAt }
    : untouched(id);
}

/** The same list for all, so that what has none is alike. */
export const NO_PARTS: readonly Step[] = [];

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
  return plan && ownSteps(run, plan).every(isSettled) ? 'synthesizing' : 'running';
}

/** The steps of a run that its plan names: those to which one was handed on are parts of it and not counted. */
export function ownSteps(run: RunState, plan: Planned): StepState[] {
  return plan.steps.map(({ id }) => stepIn(run, id));
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

/** Whether it waits for a person. */
export const isWaiting = (run: RunState): boolean => !isOver(run) && !isGoingOn(run);

/** The run that is shown of several: the latest that goes on, else the latest. */
export function shownOf(runs: readonly RunState[]): RunState | null {
  return runs.findLast(isGoingOn) ?? runs.at(-1) ?? null;
}

/** Whether somebody has to carry the run on: it is not over, and does not wait for a person. */
export function isGoingOn(run: RunState | null): boolean {
  return run !== null && ['queued', 'running', 'synthesizing'].includes(runStatus(run));
}
