/** Signs that show nothing, or that turn around how what stands beside them is read. */
const HIDDEN = /[\u{e0100}-\u{e01ef}\p{Cc}\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
/** Of those, the ones that words and pictures are written with. */
const PLAIN = new Set(['\t', '\u200c', '\u200d']);

/** A line in which nothing hides: what cannot be seen in it goes by its number. */
export function visible(line: string): string {
  return line.replace(HIDDEN, (sign) => {
    if (PLAIN.has(sign)) return sign;
    const number = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return sign === '\r' ? '␍' : `⟨U+${number}⟩`;
  });
}

/** The same of several lines: only what ends them stays as it is. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** Words without what hides in them; what ends a line stays. */
export function withoutHidden(words: string): string {
  return words.replace(HIDDEN, (sign) => (PLAIN.has(sign) || sign === '\n' ? sign : ''));
}
