import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brokenAt } from './jsonFault';

/** Whether it is JSON of whole characters and of numbers that are counted with. */
function isRead(text: string): boolean {
  const isWhole = (words: string) => !/\p{Cs}/u.test(words);
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (!isWhole(key) || (typeof value === 'string' && !isWhole(value)))
        throw new Error('half a character');
      if (value === Infinity || value === -Infinity) throw new Error('no number');
      return value;
    });
    return isWhole(text);
  } catch {
    return false;
  }
}

test('a text is broken somewhere exactly where it cannot be read, however it was damaged', () => {
  const signs = fc.constantFrom(...'{}[],:"\\ \n0-.eu1tx', '\\ud83d', '\\udc36', '\ud83d', '1e309');
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
        expect(brokenAt(text) === null).toBe(isRead(text));
      },
    ),
    { numRuns: 2000 },
  );
});

test('the place is where it ceases to be JSON, or its end', () => {
  const after = (text: string) => text.slice(0, brokenAt(text)?.at);
  expect(after('{"a": 1 "b": 2}')).toBe('{"a": 1 ');
  expect(after('{"a": [1, 2,]}')).toBe('{"a": [1, 2,');
  expect(after("{'a': 1}")).toBe('{');
  expect(after('{"a": 1,}')).toBe('{"a": 1,');
  expect(after('{"a": "b\n"}')).toBe('{"a": ');
  expect(after('{"a": [1\n\n')).toBe('{"a": [1');
  expect(after('[1] 2')).toBe('[1] ');
  expect([brokenAt('')?.at, brokenAt('\uFEFF{"a": [{}, []]}\n')]).toEqual([0, null]);
});

/** The same as the engine refuses: `what_is_json_and_cannot_be_read_all_the_same`. */
test('JSON that the engine cannot read is broken there as well, and it is told why', () => {
  const broken = (text: string) => {
    const found = brokenAt(text);
    return found && [text.slice(found.at, found.at + 8), found.why];
  };
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(broken('{"a": "a cut \\ud83d"}')).toEqual(['\\ud83d"}', 'half']);
  expect(broken('{"a\\uDC36": 1, "b": 1e999}')).toEqual(['\\uDC36":', 'half']);
  expect(broken('["\\ud83d\\ud83d\\udc36"]')).toEqual(['\\ud83d\\u', 'half']);
  expect(broken('["\ud83d"]')).toEqual(['\ud83d"]', 'half']);
  expect(broken('{"a": [1e999]}')).toEqual(['1e999]}', 'range']);
  expect(broken('{"a": -1e309}')).toEqual(['-1e309}', 'range']);
  expect(broken(nested(128))).toEqual(['[]]]]]]]', 'depth']);
  expect(broken('['.repeat(200_000))).toEqual(['[[[[[[[[', 'depth']);
  const read = [
    '"\\uD83D\\udc36 \\\\ud83d \ud83d\udc36"',
    '[0e999, 1e308, 1e-999]',
    '{"b": 1, "b": 2}',
    nested(127),
  ];
  expect(read.map(brokenAt)).toEqual([null, null, null, null]);
});
