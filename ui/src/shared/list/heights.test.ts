import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heights } from './heights';

const rows = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 200 });

test('sums and places are those of the plain list, whatever was set before', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: -10, max: 120_000 }), (list, offset) => {
      const heights = new Heights(40);
      heights.resize(list.length);
      list.forEach((height, row) => heights.set(row, height));
      const starts = list.map((_, row) => list.slice(0, row).reduce((sum, height) => sum + height, 0));
      expect(list.map((_, row) => heights.before(row))).toEqual(starts);
      const expected = Math.max(
        0,
        starts.findLastIndex((start) => start <= Math.max(0, offset)),
      );
      expect(heights.at(offset)).toBe(expected);
    }),
  );
});

test('more or fewer rows keep the heights that are known', () => {
  const heights = new Heights(10);
  heights.resize(3);
  heights.set(1, 50);
  heights.resize(5);
  expect([heights.total, heights.before(2)]).toEqual([90, 60]);
  heights.resize(2);
  expect(heights.total).toBe(60);
});
