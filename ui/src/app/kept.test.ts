import { beforeEach, expect, test } from 'vitest';
import { keep, keepNow, readKept } from './kept';

beforeEach(() => localStorage.clear());

const stored = () => localStorage.getItem('assent.text');
const long = 'Berlin '.repeat(20_000);

test('a long text is kept as well: not at each keystroke, but before the page goes', () => {
  keep('text', long);
  expect([stored(), readKept('text')]).toEqual([null, long]);
  keepNow();
  expect([stored(), readKept('text')]).toEqual([long, long]);
});

test('a text that became short or empty while a longer one waited is what is kept', () => {
  for (const text of ['short', '']) {
    keep('text', long);
    keep('text', text);
    keepNow();
    expect(readKept('text')).toBe(text || null);
  }
});
