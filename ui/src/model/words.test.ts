import { expect, test } from 'vitest';
import { lettersUntil, mostLike, seeker } from './words';

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

test('a letter is the same whether its accent is a character of its own or not, and is marked with it', () => {
  const text = 're\u0301sume\u0301 か\u3099き и\u0306';
  const found = (words: string) => seeker(words)?.(text).map(({ start, end }) => text.slice(start, end));
  expect(found('résumé')).toEqual(['re\u0301sume\u0301']);
  expect(found('resu')).toEqual(['re\u0301sume\u0301']);
  expect(found('が')).toEqual(['か\u3099']);
  expect(found('か')).toEqual([]);
  expect(found('й')).toEqual(['и\u0306']);
});
