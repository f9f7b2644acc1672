import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue, PathPart } from '../backend/bindings';
import { lineOf, stretchOf } from './jsonPlace';

function paths(value: JsonValue, path: PathPart[] = []): [PathPart[], JsonValue][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  const parts: [PathPart, JsonValue][] = Array.isArray(value)
    ? value.map((one, at) => [at, one])
    : Object.entries(value).map(([key, one]) => [key, one ?? null]);
  return [[path, value], ...parts.flatMap(([part, one]) => paths(one, [...path, part]))];
}

test('every value of every document is found where it stands', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      for (const [path, expected] of paths(JSON.parse(text) as JsonValue)) {
        const { from, to } = stretchOf(text, path);
        expect(JSON.parse(text.slice(from, to))).toEqual(expected);
      }
    }),
  );
});

test('of what is not there the nearest value above is found, and of a damaged text its sound beginning', () => {
  const text = '{\n  "steps": [\n    { "id": "s1" },\n    { "id": "s2", "needs": [1, }\n  ]\n}';
  const missing = stretchOf(text, ['steps', 0, 'description']);
  expect([text.slice(missing.from, missing.to), lineOf(text, missing.from)]).toEqual(['{ "id": "s1" }', 3]);
  const damaged = stretchOf(text, ['steps', 1, 'id']);
  expect(text.slice(damaged.from, damaged.to)).toBe('"s2"');
  expect(stretchOf('no json', ['steps'])).toEqual({ from: 0, to: 2 });
});

test('a name that is none ends the search, at the value above it', () => {
  const text = '{ "steps": { "\\x": 1, "id": 2 } }';
  const { from, to } = stretchOf(text, ['steps', 'id']);
  expect(text.slice(from, to)).toBe('{ "\\x": 1, "id": 2 }');
});
