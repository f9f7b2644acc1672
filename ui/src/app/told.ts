import type { Event, Failure, SessionId, Signal } from '../backend/bindings';
import { liveAfter, quiet, type Live } from '../model/live';

/** What several signals tell of a session. */
interface Told {
  events: Event[];
  live: Live;
  /** Whether something was left out. */
  behind: boolean;
  /** Whether work goes on in it; absent where nothing was said of that. */
  active?: boolean;
  /** Why work of it came to nothing. */
  failure?: Failure;
}

/** What signals tell of a session; `live` is what was known of what is being written in it. */
export function told(id: SessionId, live: Live, signals: readonly Signal[]): Told {
  const all: Told = { events: [], live, behind: false };
  for (const signal of signals) {
    if (signal.type === 'behind') {
      all.behind = true;
      all.live = quiet;
      continue;
    }
    const of = signal.type === 'committed' ? signal.event.session : 'session' in signal ? signal.session : id;
    if (of !== id) continue;
    if (signal.type === 'committed') all.events.push(signal.event);
    else if (signal.type === 'work') all.active = signal.active;
    else if (signal.type === 'trouble') all.failure = signal.failure;
    all.live = liveAfter(all.live, signal);
  }
  return all;
}
