import { SvelteMap } from 'svelte/reactivity';
import type { RequestId, RequestRow } from '../backend/bindings';

/** What was written of answers and not sent, wherever a request is shown. */
export class Drafts {
  #texts = new SvelteMap<RequestId, string>();

  /** Takes in what the engine kept; what was written here meanwhile is newer. */
  read(rows: readonly RequestRow[]): void {
    for (const { request, draft } of rows) {
      if (draft && !this.#texts.has(request.id)) this.#texts.set(request.id, draft);
    }
  }

  write(id: RequestId, text: string): void {
    this.#texts.set(id, text);
  }

  /** The requests with what was written of their answers. */
  over(rows: readonly RequestRow[]): RequestRow[] {
    return rows.map((row) => {
      const draft = this.#texts.get(row.request.id);
      return draft === undefined ? row : { ...row, draft };
    });
  }
}
