import type { CallId, LoadingState, Place, PlanningSign, Signal } from '../backend/bindings';

/** A plan while the planner writes it. */
export interface Planning {
  thought: string;
  title: string;
  steps: readonly { index: number; description: string; tool: string | null }[];
  /** A direct answer. */
  answer: string;
}

/** A text while it is written. */
export interface Writing {
  text: string;
  thought: string;
}

/** What is going on and is never stored: it is void as soon as the event comes that it leads to. */
export interface Live {
  planning: ReadonlyMap<string, Planning>;
  /** Text by the place where it is written. */
  texts: ReadonlyMap<string, Writing>;
  /** The newest output of long calls. */
  calls: ReadonlyMap<CallId, string>;
  loading: { state: LoadingState; elapsedMs: number } | null;
}

/** Nothing goes on. */
export const quiet: Live = {
  planning: new Map(),
  texts: new Map(),
  calls: new Map(),
  loading: null,
};

const nothing: Planning = { thought: '', title: '', steps: [], answer: '' };

/** Where a piece of text belongs: a step of a run, or the turn. */
export function placeKey(place: Pick<Place, 'turn' | 'run' | 'step'>): string {
  return place.step ? `${place.run ?? ''}/${place.step}` : (place.turn ?? '');
}

/** The longest output of a call that is kept for show. */
const CALL_OUTPUT = 4000;

/** What goes on after one more signal of the session. */
export function liveAfter(live: Live, signal: Signal): Live {
  switch (signal.type) {
    case 'planning': {
      const key = signal.turn ?? '';
      const planning = new Map(live.planning);
      planning.set(key, planningAfter(planning.get(key) ?? nothing, signal.progress));
      return { ...live, planning, loading: null };
    }
    case 'text': {
      if (signal.kind === 'structure') return live;
      const key = placeKey(signal);
      const before = live.texts.get(key) ?? { text: '', thought: '' };
      const texts = new Map(live.texts);
      const grown =
        signal.kind === 'thought'
          ? { thought: before.thought + signal.text }
          : { text: before.text + signal.text };
      texts.set(key, { ...before, ...grown });
      // A model that writes is loaded. While one is being loaded, that is told again each second.
      return { ...live, texts, loading: null };
    }
    case 'again':
      return without(live, placeKey(signal));
    case 'under_way':
      return signal.pieces.reduce(liveAfter, { ...quiet, loading: live.loading });
    case 'work':
      return signal.active ? live : quiet;
    case 'call': {
      const calls = new Map(live.calls);
      calls.set(signal.call, ((calls.get(signal.call) ?? '') + signal.text).slice(-CALL_OUTPUT));
      return { ...live, calls };
    }
    case 'loading':
      return { ...live, loading: ['ready', 'ended'].includes(signal.state) ? null : signal };
    case 'committed':
      return afterEvent(live, signal);
    default:
      return live;
  }
}

function planningAfter(before: Planning, sign: PlanningSign): Planning {
  switch (sign.type) {
    case 'thought':
      return { ...before, thought: before.thought + sign.text };
    case 'title':
      return { ...before, title: sign.text };
    case 'answer':
      return { ...before, answer: before.answer + sign.text };
    case 'step':
      return { ...before, steps: [...before.steps.filter((one) => one.index !== sign.index), sign] };
    case 'again':
      return nothing;
  }
}

function afterEvent(live: Live, { event }: Extract<Signal, { type: 'committed' }>): Live {
  switch (event.kind) {
    case 'model_replied':
    case 'model_failed':
      return without({ ...live, loading: null }, placeKey(event));
    case 'answered':
    case 'step_ended':
      return without(live, placeKey(event));
    case 'plan_proposed':
    case 'turn_ended': {
      if (!event.turn || !live.planning.has(event.turn)) return without(live, event.turn ?? '');
      const planning = new Map(live.planning);
      planning.delete(event.turn);
      return { ...without(live, event.turn), planning };
    }
    case 'call_ended': {
      if (!live.calls.has(event.call)) return live;
      const calls = new Map(live.calls);
      calls.delete(event.call);
      return { ...live, calls };
    }
    default:
      return live;
  }
}

function without(live: Live, key: string): Live {
  if (!live.texts.has(key)) return live;
  const texts = new Map(live.texts);
  texts.delete(key);
  return { ...live, texts };
}
