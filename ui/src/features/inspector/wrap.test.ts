import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrap } from './wrap';

const width = (text: string) => [...text].length * 6;

test('words go on in the next line, and the last line ends where there is no more room', () => {
  expect(wrap('1 Find every mention of it', 90, width)).toEqual(['1 Find every', 'mention of it']);
  expect(wrap('1 Find every mention of it in the folder', 90, width)).toEqual([
    '1 Find every',
    'mention of it…',
  ]);
  expect(wrap('one_word_that_is_longer_than_a_line', 60, width)).toEqual(['one_word_…']);
  expect(wrap('', 60, width)).toEqual([]);
});

test('no line is wider than its room, and no word is lost before the end', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 14 }));
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 3 }), (all, most) => {
      const lines = wrap(all.join(' '), 72, width, most);
      expect(lines.length).toBeLessThanOrEqual(most);
      expect(Math.max(0, ...lines.map(width))).toBeLessThanOrEqual(72);
      const shown = lines.join(' ').replace(/…$/, '');
      expect(all.join(' ').startsWith(shown)).toBe(true);
    }),
  );
});
