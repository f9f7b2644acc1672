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
/** Accents, and the marks of Japanese syllables, as characters of their own: names of files on a Mac have them. */
const MARK = '[\\u0300-\\u036f\\u3099\\u309a]';
const MARKS = new RegExp(`${MARK}+`, 'gu');
const WORD = new RegExp(`(?=${LETTER})[${ALONE}]${MARK}*|(?:(?![${ALONE}])${LETTER}${MARK}*)+`, 'gu');

const folded = (word: string) =>
  Array.from(word.normalize('NFC').replace(MARKS, ''), (letter) =>
    Array.from(letter.toLowerCase(), (lower) => FOLDED.get(lower) ?? lower).join(''),
  ).join('');

/** A word of a text that is looked for. */
export interface Found {
  start: number;
  end: number;
  /** What it says, as it is compared. */
  word: string;
}

/** Finds in a text what is looked for: each of the words, the last one also as a beginning. */
export function seeker(words: string): ((text: string) => Found[]) | null {
  const wanted = Array.from(words.matchAll(WORD), ([word]) => folded(word));
  const last = wanted.at(-1);
  if (last === undefined) return null;
  return (text) =>
    Array.from(text.matchAll(WORD), ({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      word: folded(found),
    })).filter(({ word }) => wanted.includes(word) || word.startsWith(last));
}

/** The text that says the most of some words; none where no text says any. */
export function mostLike(texts: readonly string[], words: string): number | null {
  const find = seeker(words);
  const counts = texts.map((text) => new Set(find?.(text).map(({ word }) => word)).size);
  const most = Math.max(0, ...counts);
  return most === 0 ? null : counts.indexOf(most);
}

/** Words that stand so many letters apart are still read together. */
const NEAR = 200;

/** Of places in their order, that one from which on the most words stand together, else the first. */
export function bestOf<Place extends { word: string; at: number }>(
  places: Iterable<Place>,
): Place | undefined {
  let [best, most]: [Place | undefined, number] = [undefined, 0];
  const near: Place[] = [];
  for (const place of places) {
    near.push(place);
    while (place.at - (near[0]?.at ?? place.at) > NEAR) near.shift();
    const said = new Set(near.map((one) => one.word)).size;
    if (said > most) [best, most] = [near[0], said];
  }
  return best;
}

/** How much of a text has to be shown so that the best place of some words is, with what stands around it. */
export function lettersUntil(text: string, words: string): number {
  const found = seeker(words)?.(text).map((one) => ({ ...one, at: one.start }));
  const best = bestOf(found ?? []);
  return best ? best.end + NEAR : 0;
}
