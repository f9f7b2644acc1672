import type { Backend } from '../backend/backend';
import type { Event, SessionId, SessionRow } from '../backend/bindings';
import { rowsAfter, rowsRead, rowsWithout } from '../model/rows';

/** The list of sessions: what was told of one is never undone by what was read meanwhile. */
export class Listing {
  rows = $state.raw<readonly SessionRow[]>([]);
  /** The sessions in which something happened since the rows were last asked for. */
  #touched = new Set<SessionId>();
  #deleted = new Set<SessionId>();

  constructor(private readonly backend: () => Backend) {}

  hear(events: readonly Event[]): void {
    this.rows = rowsAfter(this.rows, events);
    for (const event of events) this.#touched.add(event.session);
  }

  drop(id: SessionId): void {
    this.rows = rowsWithout(this.rows, id);
    this.#deleted.add(id);
  }

  isDeleted(id: SessionId): boolean {
    return this.#deleted.has(id);
  }

  /** Takes what was read; whether nothing happened meanwhile that may be newer. */
  take(read: readonly SessionRow[]): boolean {
    this.rows = rowsRead(this.rows, read, this.#touched, this.#deleted);
    return this.#touched.size === 0;
  }

  /** Reads again until nothing happens meanwhile. */
  async read(): Promise<void> {
    let read: readonly SessionRow[];
    do {
      this.#touched.clear();
      read = await this.backend().sessions.list({ archived: true, limit: 0, offset: 0 });
    } while (!this.take(read));
  }
}
