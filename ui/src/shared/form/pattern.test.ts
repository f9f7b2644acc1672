import { expect, test } from 'vitest';
import type { JsonValue } from '../../backend/bindings';
import { matches } from './pattern';
import { blank, fieldsOf, fieldsWith } from './schema';
import { argumentsOf, changedOf, writtenOf } from './values';

test('a pattern is tried where it is one and ends soon', () => {
  const tried: [string, string, boolean][] = [
    ['abc', '^a', true],
    ['bcd', '^a', false],
    ['ab-12', '^[a-z]+-\\d{2}$', true],
    ['ab-1', '^[a-z]+-\\d{2}$', false],
    ['a+b', '^a\\+b$', true],
    ['x', '(', true],
    ['b', '^(a|b)$', true],
    ['c', '^(a|b)$', false],
  ];
  expect(tried.map(([text, pattern]) => [text, pattern, matches(text, pattern)])).toEqual(tried);
});

test('a pattern that would keep the page busy for ever is left to the engine', { timeout: 60_000 }, () => {
  const text = `${'a'.repeat(199)}!`;
  const endless = [
    '^(a+)+$',
    '^(a|aa)*$',
    '^(?:a*)*$',
    '^((a{1,9}){1,9}){1,9}$',
    '^a*a*a*a*a*a*$',
    '^(a)\\1*$',
    '^(?<x>a)\\k<x>*$',
    `^${'a?'.repeat(140)}$`,
  ];
  for (const pattern of endless) expect(matches(text, pattern), pattern).toBe(true);
  expect(matches('b'.repeat(100_000), '^a')).toBe(true);
});

test('a form of a hostile schema is a form, and what is written into it stays what it is', () => {
  const odd = JSON.parse(
    '{"__proto__": {"type": "string"}, "constructor": {"type": "integer"}, "toString": {"type": "boolean"}}',
  ) as JsonValue;
  const fields = fieldsOf({ type: 'object', required: ['__proto__', 7, null], properties: odd });
  expect(fields.map((field) => [field.name, field.kind, field.required])).toEqual([
    ['__proto__', 'text', true],
    ['constructor', 'number', false],
    ['toString', 'switch', false],
  ]);
  expect(argumentsOf(fields, {}).faults).toEqual(Object.fromEntries([['__proto__', 'needed']]));
  const written = Object.fromEntries([
    ...Object.entries(blank(fields)),
    ['__proto__', 'mine'],
    ['constructor', '3'],
  ]);
  const { value } = argumentsOf(fields, written);
  expect(JSON.stringify(value)).toBe('{"__proto__":"mine","constructor":3}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  const emptied = Object.fromEntries([['__proto__', '']]);
  const before = JSON.parse('{"__proto__": "mine"}') as JsonValue;
  expect(changedOf(fields, before, emptied).faults).toEqual(Object.fromEntries([['__proto__', 'needed']]));
  expect(JSON.stringify(writtenOf(fields, {}))).toBe('{"__proto__":"","constructor":"","toString":false}');

  const around = {
    properties: {
      a: { $ref: '#/properties/b' },
      b: { $ref: '#/properties/a' },
      c: { anyOf: [{ $ref: '#/properties/c' }, { type: 'null' }] },
      d: { $ref: '#/properties/__proto__/constructor' },
      e: { $ref: 'https://evil.example/schema.json' },
      f: { type: ['string', 'number'], description: 7, default: { deep: [1] } },
      g: 7,
      h: { enum: Array.from({ length: 5000 }, (_, at) => `choice ${String(at)}`) },
    },
  } as JsonValue;
  expect(fieldsOf(around).map((field) => field.kind)).toEqual([
    ...['json', 'json', 'json', 'json', 'json', 'json', 'json'],
    'choice',
  ]);
  for (const nothing of [null, true, 7, 'x', [], { properties: [] }, { properties: 'x', required: 'x' }])
    expect(fieldsOf(nothing as JsonValue)).toEqual([]);
  const given = JSON.parse('{"__proto__": "mine", "constructor": 7}') as JsonValue;
  expect(fieldsWith({ properties: {} }, given).map((field) => field.name)).toEqual([
    '__proto__',
    'constructor',
  ]);
});
