import { SvelteSet } from 'svelte/reactivity';
import type { Backend } from '../backend/backend';
import type { SessionId, Signal } from '../backend/bindings';

/** The sessions in which something goes on: what was told of one is never undone by what was read meanwhile. */
export class ActiveSessions extends SvelteSet<SessionId> {
  /** Those of which was told since all of them were last asked for. */
  readonly #told = new Set<SessionId>();

  constructor(private readonly backend: () => Backend) {
    super();
  }

  hear({ session, active }: Extract<Signal, { type: 'work' }>): void {
    this.#told.add(session);
    this[active ? 'add' : 'delete'](session);
  }

  /** Takes what was read. */
  take(read: readonly SessionId[]): void {
    const now = new Set(read);
    for (const id of new Set([...this, ...now]))
      if (!this.#told.has(id)) this[now.has(id) ? 'add' : 'delete'](id);
  }

  async read(): Promise<void> {
    this.#told.clear();
    this.take(await this.backend().messages.active());
  }
}
