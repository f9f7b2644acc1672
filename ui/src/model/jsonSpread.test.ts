import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spread } from './jsonSpread';

test('a JSON text is spread out as its value is written, whatever the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(spread(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test('numbers keep their digits and strings their escapes', () => {
  const text = '\uFEFF{"id":12345678901234567890,"n":1.50,"a":"\\u00e9\\" ]","none":{ },"all":[ ]}\n';
  expect(spread(text)).toBe(
    '{\n  "id": 12345678901234567890,\n  "n": 1.50,\n  "a": "\\u00e9\\" ]",\n  "none": {},\n  "all": []\n}',
  );
});
