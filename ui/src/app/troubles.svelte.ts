import type { Event, Failure, SessionId, Signal, TurnId } from '../backend/bindings';
import { backendError, type BackendError } from '../backend/errors';

/** Why the work of a session could not go on. */
export interface Trouble {
  session: SessionId;
  error: BackendError;
  /** Whether the session says it itself, at the message that failed. */
  atMessage: boolean;
}

/** What went wrong in sessions that nobody looked at just then: kept until somebody does, or has seen enough of it. */
export class Troubles {
  /** The latest of each session. */
  all = $state.raw<readonly Trouble[]>([]);
  /** The turns that are about to end as a run of theirs has: how that ended, its session tells from afar. */
  #ran = new Set<TurnId>();

  constructor(private readonly isInSight: (session: SessionId) => boolean) {}

  hear(signals: readonly Signal[]): void {
    for (const signal of signals) {
      if (signal.type === 'trouble') this.#add(signal.session, signal.failure, false);
      else if (signal.type === 'committed') this.#happened(signal.event);
    }
  }

  /** A message that came to nothing before there was a run is no work that broke off: its end says why. */
  #happened(event: Event): void {
    if (!event.turn) return;
    if (event.kind === 'run_ended') this.#ran.add(event.turn);
    if (event.kind !== 'turn_ended') return;
    const ran = this.#ran.delete(event.turn);
    if (event.status === 'failed' && !ran)
      this.#add(event.session, { code: 'internal', message: event.error ?? '' }, true);
  }

  #add(session: SessionId, failure: Failure, atMessage: boolean): void {
    if (this.isInSight(session)) return;
    this.take(session);
    this.all = [...this.all, { session, error: backendError(failure), atMessage }];
  }

  /** Takes away what is kept of a session that is shown now, and gives what is told there nowhere else. */
  seen(session: SessionId): BackendError | null {
    const found = this.take(session);
    return found && !found.atMessage ? found.error : null;
  }

  /** Takes away what is kept of a session, and gives it. */
  take(session: SessionId): Trouble | null {
    const found = this.all.find((one) => one.session === session) ?? null;
    if (found) this.all = this.all.filter((one) => one !== found);
    return found;
  }
}
