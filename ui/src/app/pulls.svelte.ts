import { SvelteMap } from 'svelte/reactivity';
import type { Signal } from '../backend/bindings';
import { backendError, type BackendError } from '../backend/errors';

/** Transfers of models: bytes that came, and bytes in all. */
export class Pulls extends SvelteMap<string, { done: number; total: number; failure: BackendError | null }> {
  /** Takes in what is told of one. */
  hear(signal: Extract<Signal, { type: 'pull' | 'pull_ended' }>): void {
    const { model } = signal;
    if (signal.type === 'pull') this.set(model, { done: signal.done, total: signal.total, failure: null });
    else if (signal.failure) this.set(model, { done: 0, total: 0, failure: backendError(signal.failure) });
    else this.delete(model);
  }
}
