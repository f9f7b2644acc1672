import { untrack } from 'svelte';

/**
 * What screen readers are told. A polite message waits until the reader pauses; an assertive one does not, and is for
 * what stops a person: a question, a failure.
 */
const said = $state({ polite: '', assertive: '' });

/** Says something. The same words said again are heard again. */
export function announce(words: string, how: 'polite' | 'assertive' = 'polite'): void {
  // Whoever says something does not listen to it.
  const before = untrack(() => said[how]);
  said[how] = before === words ? `${words}\u00a0` : words;
}

/** What was said last, for the element that speaks. */
export function spoken(): { polite: string; assertive: string } {
  return said;
}
