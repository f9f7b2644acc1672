import { expect, test } from 'vitest';
import { remaining } from './remaining';

test('the time that is left follows from the speed since it was first seen', () => {
  const first = { at: 1000, done: 400 };
  expect(remaining(first, { at: 5000, done: 600 }, 1000)).toBe(8000);
  expect(remaining(first, { at: 2000, done: 600 }, 1000)).toBeNull();
  expect(remaining(first, { at: 9000, done: 400 }, 1000)).toBeNull();
  expect(remaining(null, { at: 9000, done: 400 }, 1000)).toBeNull();
});
