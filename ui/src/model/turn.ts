import type {
  Content,
  Event,
  PlanId,
  RequestId,
  RunId,
  TurnId,
  TurnStatus,
  Usage,
} from '../backend/bindings';
import type { Asked } from './attempts';
import { asked, plus } from './usage';

/** One message and what followed from it. A plan or a run that came without a message has an entry of its own. */
export interface Turn {
  id: TurnId;
  seq: number;
  at: number;
  message: string | null;
  /** The request that the message has answered. */
  answers: RequestId | null;
  /** The plans of which this turn, of all, has proposed a version last. */
  plans: readonly PlanId[];
  /** The runs that were queued in it. */
  runs: readonly RunId[];
  /** What the planner said without being asked for a plan, or the answer of the run. */
  answer: Content | null;
  answeredAt: number | null;
  /** The event that said it. */
  answeredSeq: number | null;
  /** Absent while it goes on. */
  status: TurnStatus | null;
  error: string | null;
  warnings: readonly string[];
  /** What models were asked before there was a run: for the plan, and how the message stands to an earlier one. */
  planning: readonly Asked[];
  /** The last thing that went wrong with a model, while it is tried again. */
  trouble: string | null;
  usage: Usage;
  modelCalls: number;
  endedAt: number | null;
}

/** Most turns of a long session have none of something: one list for all of them. */
const NONE: readonly never[] = [];
const NO_USAGE: Usage = { input: 0, cached: 0, output: 0 };

/** A turn as it begins. */
export function newTurn(id: TurnId, event: Event, message: string | null): Turn {
  return {
    id,
    seq: event.seq,
    at: event.at,
    message,
    answers: null,
    plans: NONE,
    runs: NONE,
    answer: null,
    answeredAt: null,
    answeredSeq: null,
    status: null,
    error: null,
    warnings: NONE,
    planning: NONE,
    trouble: null,
    usage: NO_USAGE,
    modelCalls: 0,
    endedAt: null,
  };
}

const CHANGES: ReadonlySet<Event['kind']> = new Set([
  'run_queued',
  'model_replied',
  'model_failed',
  'warned',
  'step_ended',
  'answered',
  'turn_ended',
]);

/** Whether an event changes its turn: of any other, that stays the same one. */
export const changesTurn = ({ kind }: Event): boolean => CHANGES.has(kind);

/** Changes a turn, where it stands, by one of its events. */
export function changeTurn(turn: Turn, event: Event): void {
  switch (event.kind) {
    case 'run_queued':
      turn.runs = [...turn.runs, event.run ?? ''];
      return;
    case 'model_replied':
      turn.usage = plus(turn.usage, event.usage);
      turn.modelCalls += asked(event);
      turn.trouble = null;
      if (!event.run) turn.planning = [...turn.planning, event];
      return;
    case 'model_failed':
      turn.trouble = event.error;
      if (!event.run) turn.planning = [...turn.planning, event];
      return;
    case 'warned':
      turn.warnings = [...turn.warnings, event.message];
      return;
    case 'step_ended':
      // What became the reason why a step stands as it does is told there.
      if (event.reason && turn.warnings.includes(event.reason))
        turn.warnings = turn.warnings.filter((warning) => warning !== event.reason);
      return;
    case 'answered':
      turn.answer = event.text;
      turn.answeredAt = event.at;
      turn.answeredSeq = event.seq;
      return;
    case 'turn_ended':
      turn.status = event.status;
      turn.error = event.error ?? null;
      turn.trouble = null;
      turn.endedAt = event.at;
      return;
    default:
      return;
  }
}
