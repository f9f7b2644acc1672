import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heights } from './heights';

const rows = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 200 });

test('sums and places are those of the plain list, whatever was set before', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: -10, max: 120_000 }), (list, offset) => {
      const heights = new Heights(40);
      heights.align(list.map((_, row) => `row ${row}`));
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

const keys = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String));

test('a row keeps its height wherever it goes; new rows have the estimated one', () => {
  fc.assert(
    fc.property(keys, keys, (before, after) => {
      const height = (key: string) => 1 + Number(key) * 3;
      const heights = new Heights(40);
      heights.align(before);
      before.forEach((key, row) => heights.set(row, height(key)));
      heights.align(after);
      const expected = after.map((key) => (before.includes(key) ? height(key) : 40));
      expect(after.map((_, row) => heights.before(row + 1) - heights.before(row))).toEqual(expected);
      expect([heights.count, heights.key(0)]).toEqual([after.length, after[0]]);
    }),
  );
});
