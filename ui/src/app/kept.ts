/** Small texts that outlive the page, where the page may keep any: what a person wrote and did not send. */

const PREFIX = 'assent.';
/** Longer texts stay in memory only: keeping them at each keystroke would be felt. */
const LONGEST = 100_000;

/** The text kept under a name. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    // A page that may keep nothing works all the same.
    return null;
  }
}

/** Keeps a text under a name; an empty one is forgotten. */
export function keep(name: string, text: string): void {
  try {
    if (text === '' || text.length > LONGEST) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, text);
  } catch {
    // As above.
  }
}
