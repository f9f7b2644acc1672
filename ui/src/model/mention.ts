/** Naming something in a message by typing `@` and part of its name. */

export type MentionKind = 'file' | 'plan' | 'session' | 'tool' | 'specialist';

/** Something that can be named. */
export interface Mentionable {
  kind: MentionKind;
  /** Unique among those of its kind. */
  id: string;
  /** What it is found and shown by. */
  label: string;
  about: string;
  /** What stands in the message for it. */
  words: string;
}

/** Where a mention is being written. */
export interface Mention {
  /** The place of the `@`. */
  from: number;
  /** The place behind what was written of it. */
  to: number;
  query: string;
}

/** How many are offered, and how many of one kind while others are found too. */
const SHOWN = 8;
const OF_A_KIND = 4;
/** A longer stretch without an end is no name any more. */
const LONGEST = 80;

/** The mention in which the caret stands, if any. An `@` inside of a word, as in an address, begins none. */
export function mentionAt(text: string, caret: number): Mention | null {
  const from = text.lastIndexOf('@', caret - 1);
  if (from < 0 || caret - from > LONGEST) return null;
  const before = text.charAt(from - 1);
  const query = text.slice(from + 1, caret);
  if ((before !== '' && !/[\s([{"'“‘]/.test(before)) || /\s/.test(query)) return null;
  return { from, to: caret, query };
}

/** What fits best to what was written, best first; a few of every kind. */
export function found(all: readonly Mentionable[], query: string): Mentionable[] {
  const wanted = query.toLowerCase();
  const ranked = all
    .map((one) => ({ one, rank: rank(one, wanted) }))
    .filter(({ rank: at }) => at < Infinity)
    .sort((one, other) => one.rank - other.rank)
    .map(({ one }) => one);
  const counts = new Map<MentionKind, number>();
  const first: Mentionable[] = [];
  const rest: Mentionable[] = [];
  for (const one of ranked) {
    const count = counts.get(one.kind) ?? 0;
    counts.set(one.kind, count + 1);
    (count < OF_A_KIND ? first : rest).push(one);
  }
  const order = new Map(ranked.map((one, at) => [one, at]));
  return [...first, ...rest]
    .slice(0, SHOWN)
    .sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0));
}

/** The better it fits, the less; infinite where it does not. */
function rank({ label }: Mentionable, wanted: string): number {
  const name = label.toLowerCase();
  const last = name.slice(name.lastIndexOf('/') + 1);
  if (wanted === '') return 0;
  if (name === wanted || last === wanted) return 1;
  if (last.startsWith(wanted)) return 2;
  if (name.startsWith(wanted)) return 3;
  if (last.includes(wanted)) return 4;
  if (name.includes(wanted)) return 5;
  return Infinity;
}

/** The text with a mention written out, and where the caret comes to stand. */
export function written(
  text: string,
  mention: Mention,
  { words }: Mentionable,
): { text: string; caret: number } {
  const rest = text.slice(mention.to);
  const gap = /^\s/.test(rest) ? '' : ' ';
  return {
    text: text.slice(0, mention.from) + words + gap + rest,
    caret: mention.from + words.length + 1,
  };
}

/** A path as it stands in a sentence. */
export function pathWords(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
