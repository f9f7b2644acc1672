/** A word as the engine's index splits text: letters and digits, in scripts without spaces each by itself. */
const ALONE =
  '[\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}]';
const WORD = new RegExp(`${ALONE}|(?:(?!${ALONE})[\\p{Alphabetic}\\p{N}])+`, 'gu');

const folded = (word: string) =>
  word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

function rangeOf(text: Text, start: number, length: number): Range {
  const range = document.createRange();
  range.setStart(text, start);
  range.setEnd(text, start + length);
  return range;
}

/** Where in an element words stand that were looked for: each of them, the last one also as a beginning. */
export function* soughtWithin(element: Node, words: string): Generator<Range> {
  const wanted = [...words.matchAll(WORD)].map(([word]) => folded(word));
  const last = wanted.at(-1);
  if (last === undefined) return;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    for (const word of text.data.matchAll(WORD)) {
      const said = folded(word[0]);
      if (wanted.includes(said) || said.startsWith(last)) yield rangeOf(text, word.index, word[0].length);
    }
  }
}

/** Scrolls a frame so far that a place in it is seen. */
export function bringIntoSight(place: Range, frame: HTMLElement): void {
  const [seen, around] = [place.getBoundingClientRect(), frame.getBoundingClientRect()];
  if (seen.top >= around.top && seen.bottom <= around.bottom) return;
  frame.scrollTop += seen.top - around.top - around.height / 3;
}
