import { untrack } from 'svelte';

/**
 * What screen readers are told. A polite message waits until the reader pauses; an assertive one does not, and is for
 * what stops a person: a question, a failure.
 */
const said = $state({ polite: '', assertive: '' });

/** What is said in the same go, which would take the place of what was said just before it. */
let inOneGo = { polite: '', assertive: '' };

/** Says something. The same words said again are heard again, and what is said in one go is heard together. */
export function announce(words: string, how: 'polite' | 'assertive' = 'polite'): void {
  if (!inOneGo.polite && !inOneGo.assertive) setTimeout(() => (inOneGo = { polite: '', assertive: '' }));
  const all = inOneGo[how] ? `${inOneGo[how]} ${words}` : words;
  inOneGo[how] = all;
  // Whoever says something does not listen to it.
  const before = untrack(() => said[how]);
  said[how] = before === all ? `${all}\u00a0` : all;
}

/** What was said last, for the element that speaks. */
export function spoken(): { polite: string; assertive: string } {
  return said;
}
