import { SvelteMap } from 'svelte/reactivity';
import type { Backend } from '../backend/backend';
import type { Plan, RequestRow, RunId } from '../backend/bindings';

/** The plans that requests come from. A version never changes, so the plan of each run is read once. */
export class AskingPlans {
  #plans = new SvelteMap<RunId, Plan>();
  #asked = new Set<RunId>();

  constructor(private readonly backend: () => Backend) {}

  /** The plan of the run that asks something; null until it is read, and where there is none. */
  of({ session, run }: Pick<RequestRow, 'session' | 'run'>): Plan | null {
    if (!run) return null;
    if (!this.#asked.has(run)) {
      this.#asked.add(run);
      // Later, because plans are asked for while the window is drawn.
      queueMicrotask(() => void this.#read(session, run));
    }
    return this.#plans.get(run) ?? null;
  }

  async #read(session: string, id: RunId): Promise<void> {
    try {
      const { runs, plans } = this.backend();
      const run = (await runs.list(session)).find((one) => one.id === id);
      if (run) this.#plans.set(id, (await plans.get(run.plan.id, run.plan.version)).plan);
    } catch {
      // Without it steps go by their ids; it is asked for again with the next request.
      this.#asked.delete(id);
    }
  }
}
