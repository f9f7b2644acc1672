/** The longest beginning of a line that fits into a room together with an ellipsis; the line itself where it fits. */
export function fit(line: string, room: number, width: (text: string) => number): string {
  if (width(line) <= room) return line;
  const letters = [...line];
  let [fits, least] = [0, letters.length];
  while (least - fits > 1) {
    const middle = (fits + least) >> 1;
    if (width(`${letters.slice(0, middle).join('').trimEnd()}…`) <= room) fits = middle;
    else least = middle;
  }
  return `${letters.slice(0, fits).join('').trimEnd()}…`;
}

/** How wide a text is drawn in a font, in CSS pixels. */
export function measuring(font: string): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return () => 0;
  context.font = font;
  return (text) => context.measureText(text).width;
}
