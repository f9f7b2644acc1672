import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../backend/bindings';
import { argumentsOf, blank, fieldsOf } from './schema';

const shapes = (parameters: JsonValue) =>
  fieldsOf(parameters).map((field) => [
    field.name,
    field.kind,
    ...field.choices,
    ...(field.required ? ['!'] : []),
  ]);

test('each argument is asked for by its type, the required ones first', () => {
  const parameters = {
    type: 'object',
    required: ['path'],
    properties: {
      limit: { type: ['integer', 'null'], description: 'How many.' },
      path: { type: 'string' },
      all: { type: 'boolean', default: false },
      names: { type: 'array', items: { type: 'string' } },
      kind: { anyOf: [{ $ref: '#/$defs/Kind' }, { type: 'null' }] },
      mode: { oneOf: [{ const: 'fast' }, { const: 'exact' }] },
      rest: { type: 'object' },
      anything: true,
    },
    $defs: { Kind: { type: 'string', enum: ['file', 'folder'] } },
  };
  expect(shapes(parameters)).toEqual([
    ['path', 'text', '!'],
    ['limit', 'number'],
    ['all', 'switch'],
    ['names', 'lines'],
    ['kind', 'choice', 'file', 'folder'],
    ['mode', 'choice', 'fast', 'exact'],
    ['rest', 'json'],
    ['anything', 'json'],
  ]);
  expect(fieldsOf(parameters)[1]?.about).toBe('How many.');
});

test('what was written becomes arguments; what was left as it was is left out', () => {
  const fields = fieldsOf({
    required: ['path', 'count'],
    properties: {
      path: { type: 'string' },
      count: { type: 'integer' },
      all: { type: 'boolean' },
      deep: { type: 'boolean', default: true },
      names: { type: 'array', items: { type: 'string' } },
      rest: {},
      note: { type: 'string', default: 'none' },
    },
  });
  const written = { ...blank(fields), path: ' a.txt', count: '3', all: true, names: 'x\n\ny', rest: '[1]' };
  expect(argumentsOf(fields, written)).toEqual({
    value: { path: ' a.txt', count: 3, all: true, names: ['x', 'y'], rest: [1] },
    faults: {},
  });
  expect(argumentsOf(fields, { ...written, deep: false }).value['deep']).toBe(false);
});

test('what is missing or makes no sense is told at its field', () => {
  const fields = fieldsOf({
    required: ['path'],
    properties: {
      path: { type: 'string' },
      n: { type: 'integer' },
      x: { type: 'number' },
      j: {},
    },
  });
  const { faults } = argumentsOf(fields, { path: '  ', n: '1.5', x: 'many', j: '{' });
  expect(faults).toEqual({ path: 'needed', n: 'whole', x: 'number', j: 'json' });
});

test('no schema, however odd, breaks the form', () => {
  const circle = { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { $ref: '#/$defs/A' } } };
  expect(shapes(circle)).toEqual([['a', 'json']]);
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      for (const odd of [one, { properties: { a: one }, required: other, $defs: other }] as JsonValue[])
        argumentsOf(fieldsOf(odd), blank(fieldsOf(odd)));
    }),
  );
});
