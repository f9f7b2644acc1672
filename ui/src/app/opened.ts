import type { SessionId } from '../backend/bindings';
import type { OpenSession } from './session.svelte';

/** How many sessions stay in memory after another one was opened. */
const KEPT = 8;

/** The sessions that are kept up with what happens in them, the one that was opened last at the end. */
export class Opened {
  #sessions = new Map<SessionId, OpenSession>();

  constructor(
    private readonly made: (id: SessionId) => OpenSession,
    private readonly isActive: (id: SessionId) => boolean,
  ) {}

  get(id: SessionId): OpenSession | undefined {
    return this.#sessions.get(id);
  }

  all(): Iterable<OpenSession> {
    return this.#sessions.values();
  }

  drop(id: SessionId): void {
    this.#sessions.delete(id);
  }

  /** One of them, as it is where it was opened before, and what is still being read of it. */
  open(id: SessionId): [session: OpenSession, read: Promise<void> | undefined] {
    const known = this.get(id);
    const session = known ?? this.made(id);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    for (const [old, kept] of [...this.#sessions].slice(0, -KEPT)) {
      // What waits to be sent is sent from a session that is not shown, too; and what is being written is told in pieces.
      if (kept.queue.waiting.length === 0 && !this.isActive(old)) this.drop(old);
    }
    return [session, known && !known.unread ? undefined : session.load()];
  }
}
