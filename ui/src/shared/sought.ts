import { bestOf, seeker, type Found } from '../model/words';

/** Where a word stands that was looked for. */
export interface Place extends Found {
  text: Text;
  /** How many letters stand before it. */
  at: number;
}

/** Where in an element words stand that are looked for. */
export function* soughtWithin(element: Node, words: string): Generator<Place> {
  const find = seeker(words);
  if (!find) return;
  // What only screen readers hear is not seen to be marked.
  const seen = (node: Node) =>
    node.parentElement?.closest('.hidden-text') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, seen);
  let before = 0;
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    for (const found of find(text.data)) yield { text, at: before + found.start, ...found };
    before += text.data.length;
  }
}

/** The place from which on the most of the words stand together. */
export const bestPlace = (element: Node, words: string) => bestOf(soughtWithin(element, words));

/** Scrolls what is around a place so far that it is seen. */
export function bringIntoSight({ text, start, end }: Place): void {
  const range = document.createRange();
  range.setStart(text, start);
  range.setEnd(text, end);
  for (let frame = text.parentElement; frame; frame = frame.parentElement) {
    if (frame.scrollHeight <= frame.clientHeight || !/auto|scroll/.test(getComputedStyle(frame).overflowY))
      continue;
    const [seen, around] = [range.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (seen.top < around.top || seen.bottom > around.bottom)
      frame.scrollTop += seen.top - around.top - around.height / 3;
  }
}
