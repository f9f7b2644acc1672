import { expect, test } from 'vitest';
import { beginning, duration } from './format';

test.each([
  [-5000, '0 ms'],
  [0, '0 ms'],
  [999.6, '1.0 s'],
  [2140, '2.1 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [119_700, '2 min 0 s'],
  [185_000, '3 min 5 s'],
  [3_599_800, '1 h 0 min'],
  [7_440_000, '2 h 4 min'],
])('%d ms are told as %s', (ms, told) => {
  expect(duration(ms)).toBe(told);
});

test.each([
  ['short', 5, 'short'],
  ['longer', 5, 'longe…'],
  ['ab😀', 3, 'ab…'],
  ['ab😀c', 4, 'ab😀…'],
])('of “%s” at most %d characters are shown as “%s”', (whole, most, shown) => {
  expect(beginning(whole, most)).toBe(shown);
});
