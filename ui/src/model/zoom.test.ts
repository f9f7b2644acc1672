import { expect, test } from 'vitest';
import { ZOOMS, zoomed } from './zoom';

test('each step is the next size, and the ends stay where they are', () => {
  expect(zoomed(100, 1)).toBe(110);
  expect(zoomed(100, -1)).toBe(90);
  expect(zoomed(103, 1)).toBe(110);
  expect(zoomed(103, -1)).toBe(100);
  expect(zoomed(300, 1)).toBe(300);
  expect(zoomed(50, -1)).toBe(50);
  expect(zoomed(250, 0)).toBe(100);
  let now = 50;
  const seen = [now];
  while (zoomed(now, 1) !== now) seen.push((now = zoomed(now, 1)));
  expect(seen).toEqual([...ZOOMS]);
});
