import type { Failure, SessionId } from '../backend/bindings';
import { backendError, type BackendError } from '../backend/errors';

/** Why the work of a session could not go on. */
export interface Trouble {
  session: SessionId;
  error: BackendError;
}

/** What went wrong in sessions that nobody looked at just then: kept until somebody does, or has seen enough of it. */
export class Troubles {
  /** The latest of each session. */
  all = $state.raw<readonly Trouble[]>([]);

  add(session: SessionId, failure: Failure): void {
    this.take(session);
    this.all = [...this.all, { session, error: backendError(failure) }];
  }

  /** Takes away what is kept of a session, and gives it. */
  take(session: SessionId): BackendError | null {
    const found = this.all.find((one) => one.session === session);
    if (found) this.all = this.all.filter((one) => one !== found);
    return found?.error ?? null;
  }
}
