import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keep, keepNow, keptNames, outlives, readKept } from './kept';

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

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

test('a text for which there is no room is there while the page is, that it goes with it is known, and it is tried again', () => {
  keep('text', 'before');
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('', 'QuotaExceededError');
  });
  for (const text of ['short', long]) {
    keep('text', text);
    expect([outlives('text'), readKept('text'), keptNames('te')]).toEqual([false, text, ['text']]);
  }
  full.mockRestore();
  expect([outlives('text'), stored()]).toEqual([true, long]);
  keep('text', '');
  expect([outlives('text'), readKept('text'), keptNames('te')]).toEqual([true, null, []]);
});
