import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fit } from './fit';

/** Wide and narrow letters, as in a proportional font. */
const width = (text: string) => [...text].reduce((sum, letter) => sum + (/[mwW]/.test(letter) ? 12 : 6), 0);

test('a line is cut only where it does not fit, and then ends in an ellipsis that is in sight', () => {
  expect(fit('1 Write it', 66, width)).toBe('1 Write it');
  expect(fit('1 Write wide words', 66, width)).toBe('1 Write…');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('m', 'i', ' ', '😀') }), (line) => {
      const cut = fit(line, 60, width);
      expect(width(cut)).toBeLessThanOrEqual(60);
      if (cut !== line) expect([cut.endsWith('…'), line.startsWith(cut.slice(0, -1))]).toEqual([true, true]);
    }),
  );
});
