/** Letters that the engine's index finds under others: those of Latin with diacritics. */
const FOLDED = new Map(
  Object.entries({
    a: 'àáâãäåāăą',
    c: 'çćĉċč',
    d: 'ďđ',
    e: 'èéêëēĕėęě',
    g: 'ĝğġģ',
    i: 'ìíîïĩīĭįı',
    l: 'ĺļľŀł',
    n: 'ñńņň',
    o: 'òóôõöøōŏő',
    r: 'ŕŗř',
    s: 'śŝşšș',
    t: 'ţťŧț',
    u: 'ùúûüũūŭůűų',
    y: 'ýÿŷ',
    z: 'źżž',
    ss: 'ß',
  }).flatMap(([plain, letters]) => [...letters].map((letter) => [letter, plain] as const)),
);

/** A word as that index splits text: letters and digits, in scripts that are written without spaces each by itself. */
const ALONE =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}';
const LETTER = '[\\p{Alphabetic}\\p{N}]';
const WORD = new RegExp(`(?=${LETTER})[${ALONE}]|(?:(?![${ALONE}])${LETTER})+`, 'gu');

const folded = (word: string) =>
  Array.from(word, (letter) =>
    Array.from(letter.toLowerCase(), (lower) => FOLDED.get(lower) ?? lower).join(''),
  ).join('');

/** Where a word stands that was looked for. */
export interface Place {
  text: Text;
  start: number;
  end: number;
  /** What it says, as it is compared. */
  word: string;
  /** How many letters stand before it. */
  at: number;
}

/** Where in an element words stand that were looked for: each of them, the last one also as a beginning. */
export function* soughtWithin(element: Node, words: string): Generator<Place> {
  const wanted = Array.from(words.matchAll(WORD), ([word]) => folded(word));
  const last = wanted.at(-1);
  if (last === undefined) return;
  // What only screen readers hear is not seen to be marked.
  const seen = (node: Node) =>
    node.parentElement?.closest('.hidden-text') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, seen);
  let before = 0;
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    for (const found of text.data.matchAll(WORD)) {
      const word = folded(found[0]);
      if (!wanted.includes(word) && !word.startsWith(last)) continue;
      const { index: start } = found;
      yield { text, start, end: start + found[0].length, word, at: before + start };
    }
    before += text.data.length;
  }
}

/** Words that stand so many letters apart are still read together. */
const NEAR = 200;

/** The place from which on the most of the words stand together. */
export function bestPlace(element: Node, words: string): Place | undefined {
  let [best, most]: [Place | undefined, number] = [undefined, 0];
  const near: Place[] = [];
  for (const place of soughtWithin(element, words)) {
    near.push(place);
    while (place.at - (near[0]?.at ?? place.at) > NEAR) near.shift();
    const said = new Set(near.map((one) => one.word)).size;
    if (said > most) [best, most] = [near[0], said];
  }
  return best;
}

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
