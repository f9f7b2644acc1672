import { SvelteMap } from 'svelte/reactivity';
import { keep, readKept } from './kept';

/** A field for words beside a plan: a comment on a step, a wish how it is planned anew, a step to add, a note. */
export type Box = `comment:${string}` | `rework:${string}` | `add:${string}` | `note:${string}`;

/**
 * What a person writes beside a plan before the engine gets it. It outlives the view and the window: what was begun is
 * there again, open. What was closed is no longer kept for another day, but is there when the field is opened again.
 */
export class Writing {
  #words = new SvelteMap<string, string>();
  #closed = new Map<string, string>();
  /** The field that a person has just opened: it alone takes the focus. */
  #fresh: Box | null = null;

  constructor(private readonly name: string) {
    for (const [box, words] of begun(readKept(name))) this.#words.set(box, words);
  }

  isOpen(box: Box): boolean {
    return this.#words.has(box);
  }

  of(box: Box): string {
    return this.#words.get(box) ?? '';
  }

  /** Opens a field with what was written in it before. */
  open(box: Box): void {
    this.#fresh = box;
    if (!this.isOpen(box)) this.#words.set(box, this.#closed.get(box) ?? '');
    this.#keep();
  }

  write(box: Box, words: string): void {
    this.#words.set(box, words);
    this.#keep();
  }

  /** Closes a field, without sending what stands in it. */
  close(box: Box): void {
    this.#closed.set(box, this.of(box));
    this.#words.delete(box);
    this.#keep();
  }

  /** The engine has these words: the field is closed, unless others were written there meanwhile. Whether it was. */
  sent(box: Box, words: string): boolean {
    if (this.#closed.get(box)?.trim() === words) this.#closed.delete(box);
    if (!this.isOpen(box) || this.of(box).trim() !== words) return false;
    this.#closed.delete(box);
    this.#words.delete(box);
    this.#keep();
    return true;
  }

  /** Whether a field was just opened by the person; once. */
  takesFocus(box: Box): boolean {
    const takes = this.#fresh === box;
    if (takes) this.#fresh = null;
    return takes;
  }

  #keep(): void {
    const written = [...this.#words].filter(([, words]) => words.trim() !== '');
    keep(this.name, written.length === 0 ? '' : JSON.stringify(written));
  }
}

/** What was kept; what is not as it should be is left out. */
function begun(kept: string | null): [string, string][] {
  try {
    const read: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(read) ? read.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(one: unknown): one is [string, string] {
  return Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === 'string');
}
