import { expect, test } from 'vitest';
import { lettersUntil, mostLike } from './words';

test('of several texts that one says the most whose words are those of the index, and not letters in other words', () => {
  const texts = ['Dice the onions', 'An ICE of Zürich', 'the ice'];
  expect(mostLike(texts, 'zurich ice')).toBe(1);
  expect(mostLike(texts, 'the ice')).toBe(2);
  expect(mostLike(texts, 'on')).toBe(0);
  expect(mostLike(texts, 'nions')).toBeNull();
  expect(mostLike(texts, ' … ')).toBeNull();
});

test('so much of a text is to be shown that the best place of the words is seen', () => {
  const text = `an ice ${'.'.repeat(500)} the ice`;
  expect(lettersUntil(text, 'the ice')).toBe(text.indexOf('the') + 3 + 200);
  expect(lettersUntil(text, 'water')).toBe(0);
  expect(lettersUntil(text, '')).toBe(0);
});
