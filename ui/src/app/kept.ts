/** Small texts that outlive the page, where the page may keep any: what a person wrote and did not send. */

const PREFIX = 'assent.';
/** Longer texts are kept once nobody has written for a moment: at each keystroke it would be felt. */
const LONG = 100_000;
const PAUSE_MS = 500;

/** The texts that are not kept yet, or cannot be, by their names: here they are while the page is. */
const waiting = new Map<string, string>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** What is kept of a session, by name: the message that is being written, the question it answers, and those that wait. */
export const keptOf = {
  composed: (session: string) => `composed.${session}`,
  question: (session: string) => `question.${session}`,
  queue: (session: string) => `queue.${session}`,
};

/** The text kept under a name. */
export function readKept(name: string): string | null {
  const text = waiting.get(name);
  if (text !== undefined) return text;
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    // A page that may keep nothing works all the same.
    return null;
  }
}

/** Keeps a text under a name; an empty one is forgotten. A long one is kept a moment later, or by `keepNow`. */
export function keep(name: string, text: string): void {
  if (text.length <= LONG) {
    write(name, text);
    return;
  }
  waiting.set(name, text);
  clearTimeout(timer);
  timer = setTimeout(keepNow, PAUSE_MS);
}

/** The names that begin so and under which something is kept. */
export function keptNames(beginning: string): string[] {
  try {
    const stored = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '');
    const names = stored.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
    return [...new Set([...names, ...waiting.keys()])].filter((name) => name.startsWith(beginning));
  } catch {
    return [...waiting.keys()].filter((name) => name.startsWith(beginning));
  }
}

/** Keeps at once what waits to be kept: the page may be about to go. */
export function keepNow(): void {
  clearTimeout(timer);
  for (const [name, text] of [...waiting]) write(name, text);
}

/** Whether the text under a name will be there after the page, which is tried at once: a page may keep only so much. */
export function outlives(name: string): boolean {
  keepNow();
  return !waiting.has(name);
}

function write(name: string, text: string): void {
  waiting.delete(name);
  try {
    if (text === '') localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, text);
  } catch {
    if (text !== '') waiting.set(name, text);
  }
}
