import { fit } from '../../shared/fit';

/** A text in at most so many lines of a width, broken between words; what does not fit ends in an ellipsis. */
export function wrap(text: string, room: number, width: (text: string) => number, most = 2): string[] {
  const words = text.split(/\s+/).filter(Boolean);
  const lines: string[] = [];
  while (words.length > 0 && lines.length < most - 1) {
    let line = words[0] ?? '';
    let taken = 1;
    for (; taken < words.length; taken += 1) {
      const longer = `${line} ${words[taken] ?? ''}`;
      if (width(longer) > room) break;
      line = longer;
    }
    if (width(line) > room) break;
    lines.push(line);
    words.splice(0, taken);
  }
  return words.length > 0 ? [...lines, fit(words.join(' '), room, width)] : lines;
}
