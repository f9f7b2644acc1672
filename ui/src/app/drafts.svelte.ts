import { SvelteMap } from 'svelte/reactivity';
import type { AnswerDraft, RequestId, RequestRow } from '../backend/bindings';

/** Answers that were begun and not sent, wherever a request is shown. */
export class Drafts {
  #begun = new SvelteMap<RequestId, AnswerDraft>();

  /** Takes in what the engine kept; what was begun here meanwhile is newer. */
  read(rows: readonly RequestRow[]): void {
    for (const { request, draft } of rows) {
      if (draft && !this.#begun.has(request.id)) this.#begun.set(request.id, draft);
    }
  }

  write(id: RequestId, draft: AnswerDraft): void {
    this.#begun.set(id, draft);
  }

  /** The requests with what was begun of their answers. */
  over(rows: readonly RequestRow[]): RequestRow[] {
    return rows.map((row) => {
      const draft = this.#begun.get(row.request.id);
      return draft === undefined ? row : { ...row, draft };
    });
  }
}
