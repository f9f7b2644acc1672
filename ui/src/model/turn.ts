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

type Changes = {
  readonly [Kind in Event['kind']]?: (turn: Turn, event: Extract<Event, { kind: Kind }>) => void;
};

/** What events change of their turn, where it stands; of any other event it stays the same one. */
const changes: Changes = {
  run_queued: (turn, { run }) => (turn.runs = [...turn.runs, run ?? '']),
  model_replied: (turn, event) => {
    turn.usage = plus(turn.usage, event.usage);
    turn.modelCalls += asked(event);
    turn.trouble = null;
    if (!event.run) turn.planning = [...turn.planning, event];
  },
  model_failed: (turn, event) => {
    turn.trouble = event.error;
    if (!event.run) turn.planning = [...turn.planning, event];
  },
  warned: (turn, { message }) => (turn.warnings = [...turn.warnings, message]),
  step_ended: (turn, { reason }) => {
    // What became the reason why a step stands as it does is told there.
    if (reason && turn.warnings.includes(reason))
      turn.warnings = turn.warnings.filter((warning) => warning !== reason);
  },
  answered: (turn, { text, at, seq }) => {
    turn.answer = text;
    turn.answeredAt = at;
    turn.answeredSeq = seq;
  },
  turn_ended: (turn, { status, error, at }) => {
    turn.status = status;
    turn.error = error ?? null;
    turn.trouble = null;
    turn.endedAt = at;
  },
};

/** What such an event changes of its turn; undefined where that is nothing. */
export function changeBy({ kind }: Event): ((turn: Turn, event: Event) => void) | undefined {
  return changes[kind] as ((turn: Turn, event: Event) => void) | undefined;
}
