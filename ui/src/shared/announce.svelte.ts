import { untrack } from 'svelte';

interface Said {
  polite: string;
  assertive: string;
}

/**
 * What screen readers are told. A polite message waits until the reader pauses; an assertive one does not, and is for
 * what stops a person: a question, a failure.
 */
const said = $state<Said>({ polite: '', assertive: '' });

/**
 * The elements that speak. Only the newest one does: it stands in the dialog that was opened last, and nothing outside of
 * that is heard. The others keep what they said, so that nothing is heard once more when the dialog goes.
 */
const speakers: Said[] = [];

/** What is said in the same go, which would take the place of what was said just before it. */
let inOneGo: Said = { polite: '', assertive: '' };

/** Says something. The same words said again are heard again, and what is said in one go is heard together. */
export function announce(words: string, how: keyof Said = 'polite'): void {
  if (!inOneGo.polite && !inOneGo.assertive) setTimeout(() => (inOneGo = { polite: '', assertive: '' }));
  const all = inOneGo[how] ? `${inOneGo[how]} ${words}` : words;
  inOneGo[how] = all;
  say(said, how, all);
  const speaker = speakers.at(-1);
  if (speaker) say(speaker, how, all);
}

function say(by: Said, how: keyof Said, words: string): void {
  // Whoever says something does not listen to it.
  const before = untrack(() => by[how]);
  by[how] = before === words ? `${words}\u00a0` : words;
}

/** What was said last, whichever element has said it. */
export function spoken(): Readonly<Said> {
  return said;
}

/** What a further element is to say, and how it ceases to speak. */
export function speaker(): [says: Readonly<Said>, end: () => void] {
  const own = $state<Said>({ polite: '', assertive: '' });
  speakers.push(own);
  return [own, () => end(own)];
}

function end(own: Said): void {
  const spoke = speakers.at(-1) === own;
  speakers.splice(speakers.indexOf(own), 1);
  const next = speakers.at(-1);
  if (!spoke || !next) return;
  // What was said as it goes, mostly that something is done, nobody has heard there.
  if (inOneGo.polite) say(next, 'polite', inOneGo.polite);
  if (inOneGo.assertive) say(next, 'assertive', inOneGo.assertive);
}
