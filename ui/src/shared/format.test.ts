import { expect, test } from 'vitest';
import { beginning, bytes, duration, short } from './format';

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
  [999, '999'],
  [1000, '1.0k'],
  [9949, '9.9k'],
  [9980, '10k'],
  [999_499, '999k'],
  [999_600, '1.0M'],
  [1_440_000, '1.4M'],
])('%d are told in short as %s', (count, told) => {
  expect(short(count)).toBe(told);
});

test.each([
  [999, '999 B'],
  [1000, '1.0 kB'],
  [999_940, '999.9 kB'],
  [999_960, '1.0 MB'],
  [999_960_000, '1.0 GB'],
  [2e12, '2000.0 GB'],
])('%d bytes are told as %s', (count, told) => {
  expect(bytes(count)).toBe(told);
});

test.each([
  ['short', 5, 'short'],
  ['longer', 5, 'longe…'],
  ['ab😀', 3, 'ab…'],
  ['ab😀c', 4, 'ab😀…'],
])('of “%s” at most %d characters are shown as “%s”', (whole, most, shown) => {
  expect(beginning(whole, most)).toBe(shown);
});
