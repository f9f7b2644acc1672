import { SvelteMap } from 'svelte/reactivity';
import type { Backend } from '../backend/backend';
import type { ModelRole } from '../backend/bindings';

interface Window {
  readonly backend: Backend;
  readModels: () => Promise<void>;
}

/** A model that is being chosen; null is that for everything. */
interface Choice {
  readonly id: string | null;
}

/**
 * Which model does what, while that is being chosen: for one endpoint the engine may wait in the keyring until it is
 * unlocked, for another not. For each role one choice is made after the other, so that the newest is the one that holds.
 */
export class ModelChoices {
  readonly #newest = new SvelteMap<ModelRole, Choice>();
  /** Settles once everything that was chosen before was taken or refused. */
  readonly #before = new Map<ModelRole, Promise<void>>();

  constructor(private readonly window: Window) {}

  /** What is being chosen for a role; undefined while nothing is. */
  of(role: ModelRole): string | null | undefined {
    return this.#newest.get(role)?.id;
  }

  /** Chooses a model, unless another one was chosen by the time it is its turn; rejects where it is refused and still wanted. */
  choose(role: ModelRole, id: string | null): Promise<void> {
    const choice: Choice = { id };
    this.#newest.set(role, choice);
    const made = this.#make(role, choice, this.#before.get(role));
    this.#before.set(
      role,
      made.catch(() => undefined),
    );
    return made;
  }

  async #make(role: ModelRole, choice: Choice, before: Promise<void> | undefined): Promise<void> {
    await before;
    if (this.#newest.get(role) !== choice) return;
    const { backend, readModels } = this.window;
    try {
      await backend.models.choose(role, choice.id);
    } catch (thrown) {
      if (this.#newest.get(role) === choice) throw thrown;
    } finally {
      await readModels();
      if (this.#newest.get(role) === choice) this.#newest.delete(role);
    }
  }
}
