import { SvelteMap } from 'svelte/reactivity';
import type { Signal } from '../backend/bindings';
import { backendError, type BackendError } from '../backend/errors';

/** The transfer of a model: bytes that came, and bytes in all; why it has ended without the model. */
export interface Pull {
  done: number;
  total: number;
  failure: BackendError | null;
}

const BEGINS: Pull = { done: 0, total: 0, failure: null };

/** Transfers of models that go on, and those that have failed. */
export class Pulls extends SvelteMap<string, Pull> {
  /** Those that were begun here, whose end is the answer to that as well. */
  readonly #awaited = new Set<string>();

  /** Has a model come here, and says how that ends. */
  async fetch(model: string, pull: () => Promise<void>): Promise<void> {
    this.#awaited.add(model);
    this.set(model, BEGINS);
    try {
      await pull();
      this.delete(model);
    } catch (thrown) {
      this.set(model, { ...BEGINS, failure: backendError(thrown) });
    }
    this.#awaited.delete(model);
  }

  /** Takes in what is told of one. */
  hear(signal: Extract<Signal, { type: 'pull' | 'pull_ended' }>): void {
    const { model } = signal;
    if (signal.type === 'pull') this.set(model, { done: signal.done, total: signal.total, failure: null });
    else if (signal.failure) this.set(model, { ...BEGINS, failure: backendError(signal.failure) });
    else this.delete(model);
  }

  /** Some of what was told is lost, perhaps the end of one: one that still goes on tells of itself again. */
  missed(): void {
    for (const [model, { failure }] of [...this])
      if (failure === null && !this.#awaited.has(model)) this.delete(model);
  }
}
