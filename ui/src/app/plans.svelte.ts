import { SvelteMap } from 'svelte/reactivity';
import type { Backend } from '../backend/backend';
import type { RequestId, RequestRow, RunId } from '../backend/bindings';
import { outlineWith, type Outline } from '../model/outline';

/** What a run carries out: the plan's title, and its steps with those to which others are handed on. */
export interface AskingPlan {
  title: string;
  outline: Outline;
}

/**
 * The plans that requests come from. A version never changes, but steps are handed on while it is carried out: it is read
 * again for a request from a step that is not known yet.
 */
export class AskingPlans {
  #plans = new SvelteMap<RunId, AskingPlan>();
  #asked = new Set<RequestId>();
  #reading = new Set<RunId>();

  constructor(private readonly backend: () => Backend) {}

  /** The plan of the run that asks something; null until it is read, and where there is none. */
  of({ run, request, step }: Pick<RequestRow, 'run' | 'request' | 'step'>): AskingPlan | null {
    if (!run) return null;
    const plan = this.#plans.get(run);
    const path = request.path ?? (step ? [step] : []);
    const isWhole = plan !== undefined && path.every((id) => plan.outline.of(id));
    if (!isWhole && !this.#reading.has(run) && !this.#asked.has(request.id)) {
      this.#asked.add(request.id);
      this.#reading.add(run);
      // Later, because plans are asked for while the window is drawn.
      queueMicrotask(() => void this.#read(run, request.id));
    }
    return plan ?? null;
  }

  async #read(run: RunId, request: RequestId): Promise<void> {
    try {
      const { plan, parts } = await this.backend().runs.plan(run);
      this.#reading.delete(run);
      this.#plans.set(run, { title: plan.title, outline: outlineWith(plan, parts) });
    } catch {
      // Without it steps go by their ids; it is asked for again with the next request.
      this.#reading.delete(run);
      this.#asked.delete(request);
    }
  }
}
