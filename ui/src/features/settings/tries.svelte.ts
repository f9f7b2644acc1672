import { SvelteMap } from 'svelte/reactivity';
import type { App } from '../../app/app.svelte';
import { backendError, type BackendError } from '../../backend/errors';
import { duration } from '../../shared/format';
import { text } from '../../shared/text';

/** How asking a model something tiny went. */
export interface Tried {
  ok: boolean;
  words: string;
  error: BackendError | null;
}

/** Models that are tried out: null while that goes on. */
export class Tries {
  readonly results = new SvelteMap<string, Tried | null>();

  constructor(private readonly app: App) {}

  async test(id: string): Promise<Tried> {
    this.results.set(id, null);
    const tried = await this.#ask(id);
    // What was forgotten meanwhile stays so: it is about what was there before.
    if (this.results.has(id)) this.results.set(id, tried);
    return tried;
  }

  async #ask(id: string): Promise<Tried> {
    const words = text.settings.models;
    try {
      const { structured, durationMs } = await this.app.backend.models.test(id);
      const took = duration(durationMs);
      return { ok: true, words: structured ? words.works(took) : words.worksLoosely(took), error: null };
    } catch (thrown) {
      const error = backendError(thrown);
      // Asking has looked into its file: one that turned out to be another can be fetched anew now.
      if (error.code === 'model_missing') await this.app.readModels();
      return { ok: false, words: error.message, error };
    }
  }
}
