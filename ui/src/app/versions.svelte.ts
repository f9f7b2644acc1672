import { SvelteMap } from 'svelte/reactivity';
import type { Backend } from '../backend/backend';
import type { Plan } from '../backend/bindings';
import type { RunState } from '../model/run';

/** What runs carry out, also where another version of the plan came since. A version never changes: each is read once. */
export class Versions {
  #plans = new SvelteMap<string, Plan>();
  #reading = new Set<string>();

  constructor(
    private readonly backend: Backend,
    /** Called with what went wrong; it is asked for again when the window is drawn anew. */
    private readonly failed: (thrown: unknown) => void,
  ) {}

  /** The document of a run; null until it is read. */
  of(run: RunState): Plan | null {
    const version = `${run.plan.id} ${run.plan.version}`;
    const plan = this.#plans.get(version);
    if (!plan && !this.#reading.has(version)) {
      this.#reading.add(version);
      // Later, because documents are asked for while the window is drawn.
      queueMicrotask(() => void this.#read(run, version));
    }
    return plan ?? null;
  }

  async #read(run: RunState, version: string): Promise<void> {
    try {
      this.#plans.set(version, (await this.backend.runs.plan(run.id)).plan);
    } catch (thrown) {
      this.failed(thrown);
    }
    this.#reading.delete(version);
  }
}
