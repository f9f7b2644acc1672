import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import type { Backend } from '../backend/backend';
import type { Content, JsonValue } from '../backend/bindings';
import { inlineOf } from '../model/content';

type Blob = Extract<Content, { blob: string }>;

/** What is kept beyond `FEWEST`, as it is written down. */
const MOST_BYTES = 16_000_000;
/** However large they are, so many are kept: what is in sight together would take each other's place otherwise. */
const FEWEST = 20;

/** Values that do not stand in their events: each is read once, and kept while it is among the last that were. */
export class Contents {
  #read = new SvelteMap<string, { value: JsonValue; bytes: number }>();
  #bytes = 0;
  #asked = new Map<string, Promise<JsonValue>>();

  constructor(private readonly backend: () => Backend) {}

  /** A value, where it stands in its event or was read. */
  of(content: Content | null | undefined): JsonValue | undefined {
    if (!content) return undefined;
    return 'blob' in content ? this.#read.get(content.blob)?.value : inlineOf(content);
  }

  /** The value, from wherever it is. */
  async read(content: Content): Promise<JsonValue> {
    const known = untrack(() => this.of(content));
    if (known !== undefined || !('blob' in content)) return known ?? null;
    const asked = this.#asked.get(content.blob) ?? this.#ask(content);
    this.#asked.set(content.blob, asked);
    return asked;
  }

  async #ask(content: Blob): Promise<JsonValue> {
    try {
      const value = await this.backend().contents.read(content);
      this.#keep(content, value);
      return value;
    } finally {
      this.#asked.delete(content.blob);
    }
  }

  #keep({ blob, bytes }: Blob, value: JsonValue): void {
    this.#read.set(blob, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: its }] of this.#read) {
      if (this.#bytes <= MOST_BYTES || this.#read.size <= FEWEST) break;
      this.#read.delete(oldest);
      this.#bytes -= its;
    }
  }
}
