import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../backend/bindings';
import { valueField, valueOf, valueWords } from './values';

test('values are read as words, never as JSON where words do', () => {
  const words = ([['patents.md'], ['a', 2], 'x', 3, true, { year: 2024, of: ['a'] }, []] as JsonValue[]).map(
    valueWords,
  );
  expect(words).toEqual(['patents.md', 'a, 2', 'x', '3', 'true', 'year: 2024, of: ["a"]', '']);
});

test('what is written in a field is of the kind that was there', () => {
  expect(valueOf('a.md, b.md', ['patents.md'])).toEqual(['a.md', 'b.md']);
  expect(valueOf('1, 2', [3])).toEqual([1, 2]);
  expect(valueOf('7', 3)).toBe(7);
  expect(valueOf('7', 'three')).toBe('7');
  expect(valueOf('[1, {"a": 2}]', [])).toEqual([1, { a: 2 }]);
  expect([valueOf('  ', 'x'), valueOf('', [1])]).toEqual([null, null]);
});

test('a field that is left as it was keeps its value', () => {
  const nonEmpty = fc.jsonValue({ maxDepth: 2 }).filter((value) => {
    const field = valueField(value as JsonValue);
    return field.trim() === field && field !== '';
  });
  fc.assert(
    fc.property(nonEmpty, (value) => {
      const before = JSON.parse(JSON.stringify(value)) as JsonValue;
      expect(valueOf(valueField(before), before)).toEqual(before);
    }),
  );
});

test('a number that is longer than it can be sent is no value, but one that stood there may stay', () => {
  const before = [2 ** 60, 3];
  expect([valueWords(before), valueField(before)]).toEqual([
    '≈1152921504606847000, 3',
    '1152921504606847000, 3',
  ]);
  expect(valueWords({ all: [2 ** 60], note: 'x' })).toBe('all: [≈1152921504606847000], note: x');
  expect(valueOf('1152921504606847000, 4', before)).toEqual([2 ** 60, 4]);
  for (const written of ['9007199254740993', '3, 9007199254740993', '[9007199254740993]'])
    expect([written, valueOf(written, before)]).toEqual([written, undefined]);
  expect(valueOf('{"of": -9007199254740993}', { of: 1 })).toBe(undefined);
  // Words are no numbers.
  expect(valueOf('9007199254740993', 'x')).toBe('9007199254740993');
  expect(valueOf('9007199254740993, b', ['x'])).toEqual(['9007199254740993', 'b']);
  expect(valueOf('{"of": "9007199254740993", "n": 1.5e300}', { of: 1 })).toEqual({
    of: '9007199254740993',
    n: 1.5e300,
  });
});
