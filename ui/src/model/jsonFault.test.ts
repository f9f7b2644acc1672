import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brokenAt } from './jsonFault';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('a text is broken somewhere exactly where it is no JSON, however it was damaged', () => {
  const signs = fc.constantFrom(...'{}[],:"\\ \n0-.eu1tx');
  const damage = fc.record({
    at: fc.nat(),
    cut: fc.nat({ max: 2 }),
    put: fc.string({ unit: signs, maxLength: 2 }),
  });
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(0, 2),
      damage,
      (value, indent, { at, cut, put }) => {
        const sound = JSON.stringify(value, null, indent);
        const place = at % (sound.length + 1);
        const text = sound.slice(0, place) + put + sound.slice(place + cut);
        expect(brokenAt(text) === null).toBe(isJson(text));
      },
    ),
    { numRuns: 2000 },
  );
});

test('the place is where it ceases to be JSON, or its end', () => {
  const after = (text: string) => text.slice(0, brokenAt(text) ?? undefined);
  expect(after('{"a": 1 "b": 2}')).toBe('{"a": 1 ');
  expect(after('{"a": [1, 2,]}')).toBe('{"a": [1, 2,');
  expect(after("{'a': 1}")).toBe('{');
  expect(after('{"a": 1,}')).toBe('{"a": 1,');
  expect(after('{"a": "b\n"}')).toBe('{"a": ');
  expect(after('{"a": [1\n\n')).toBe('{"a": [1');
  expect(after('[1] 2')).toBe('[1] ');
  expect([brokenAt(''), brokenAt('\uFEFF{"a": [{}, []]}\n')]).toEqual([0, null]);
  expect(brokenAt('['.repeat(200_000))).toBe(200_000);
});
