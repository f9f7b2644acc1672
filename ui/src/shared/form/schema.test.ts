import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../backend/bindings';
import { blank, fieldsOf, fieldsWith } from './schema';
import { argumentsOf, changedOf, isDate, writtenOf } from './values';

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

test('what can be chosen is offered once, however often it is named', () => {
  const parameters = {
    properties: {
      mode: { enum: ['fast', 'exact', 'fast', null] },
      way: { oneOf: [{ const: 'up' }, { const: 'up' }] },
      parts: { type: 'array', items: { enum: ['head', 'head'] } },
    },
  };
  expect(shapes(parameters)).toEqual([
    ['mode', 'choice', 'fast', 'exact'],
    ['way', 'choice', 'up'],
    ['parts', 'several', 'head'],
  ]);
});

test('arguments that are described elsewhere in the schema are asked for as well, and a circle ends', () => {
  const own = { type: 'object', required: ['path'], properties: { path: { type: 'string' } } };
  expect(shapes({ $ref: '#/$defs/Arguments', $defs: { Arguments: own } })).toEqual([['path', 'text', '!']]);
  expect(shapes({ $ref: '#' })).toEqual([]);
});

test('of what is written as JSON the form tells what stands in it', () => {
  const reporter = { type: 'object', properties: { name: { type: 'string' }, email: { type: 'string' } } };
  const fields = fieldsOf({
    properties: {
      reporter,
      others: { type: 'array', items: { $ref: '#/$defs/Other' } },
      title: { type: 'string' },
    },
    $defs: { Other: reporter },
  });
  expect(fields.map((field) => [field.name, ...field.inside])).toEqual([
    ['reporter', 'name', 'email'],
    ['others', 'name', 'email'],
    ['title'],
  ]);
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

test('what is not needed and was cleared is left out, whatever would hold without a word', () => {
  const parameters = {
    required: ['path'],
    properties: {
      path: { type: 'string' },
      n: { type: 'integer', default: 1000 },
      day: { type: 'string', format: 'date', default: '2026-02-28' },
      names: { type: 'array', items: { type: 'string' }, default: ['one'] },
      kinds: { type: 'array', items: { enum: ['file', 'folder'] }, default: ['file'] },
      mode: { enum: ['fast', 'exact'], default: 'fast' },
      between: { type: 'string', default: ', ' },
      map: { type: 'object', default: {} },
    },
  };
  const fields = fieldsOf(parameters);
  const all = (now: string) => Object.fromEntries(fields.map(({ name }) => [name, now]));
  expect(argumentsOf(fields, { ...all(''), path: 'a' })).toEqual({ value: { path: 'a' }, faults: {} });
  // Blanks are a text, and nothing else.
  const { value, faults } = argumentsOf(fields, { ...all(' '), path: 'a', mode: '' });
  expect([value, faults]).toEqual([{ path: 'a', between: ' ' }, {}]);
  const given = { path: 'a', n: 3, day: '2026-03-01', names: ['x'], between: '; ', note: 'kept' };
  const known = fieldsWith(parameters, given);
  const before = writtenOf(known, given);
  const changed = changedOf(known, given, { ...before, n: ' ', day: '', names: '\n', between: ' ' });
  expect(changed).toEqual({ value: { path: 'a', between: ' ', note: 'kept' }, faults: {} });
});

test('a number is what its marks can only mean; a comma that may mean thousands or decimals is asked about', () => {
  const fields = fieldsOf({ properties: { n: { type: 'integer' }, x: { type: 'number' } } });
  const read = (name: string, written: string) => {
    const { value, faults } = argumentsOf(fields, { [name]: written });
    return faults[name] ?? value[name];
  };
  const decimals = ['2,5', '0,125', '1234,567', '1.234', '-2,5000', ',5', '1.5e3'];
  expect(decimals.map((one) => read('x', one))).toEqual([2.5, 0.125, 1234.567, 1.234, -2.5, 0.5, 1500]);
  const thousands = ['1,234.5', '1.234,5', '-12,345,678', '1.234.567,89'];
  expect(thousands.map((one) => read('x', one))).toEqual([1234.5, 1234.5, -12_345_678, 1_234_567.89]);
  const either = ['1,000', '10,000', '-999,999', '1,234e3'];
  expect(either.map((one) => read('x', one))).toEqual(either.map(() => 'comma'));
  expect(read('n', '1,000')).toBe('comma');
  expect(['1,2,3', '1.2.3', '1,2.3', '1,00,000', ','].map((one) => read('x', one))).toEqual(
    Array.from({ length: 5 }, () => 'number'),
  );
});

test('a value that breaks the schema is told by the limit that it breaks', () => {
  const fields = fieldsOf({
    properties: {
      n: { type: 'integer', minimum: 2, maximum: 5 },
      x: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      name: { type: 'string', minLength: 2, maxLength: 4, pattern: '^a' },
      day: { type: 'string', format: 'date' },
      kinds: { type: 'array', items: { enum: ['file', 'folder', 'link'] }, minItems: 1, maxItems: 2 },
      lines: { type: 'array', items: { type: 'string' }, maxItems: 1 },
      map: { type: 'object' },
      mode: { enum: ['fast', 'exact'] },
      odd: { type: 'string', pattern: '(' },
    },
  });
  const faultOf = (written: Record<string, string>) => Object.values(argumentsOf(fields, written).faults)[0];
  const told = Object.entries({
    n: ['1', '6', '2,5', '3'],
    x: ['0', '1', '0,5'],
    name: ['a', 'abcde', 'bcd', 'abc'],
    day: ['tomorrow', '2026-02-30', '2026-02-28'],
    kinds: ['file\nfolder\nlink', 'file\nlink'],
    lines: ['a\nb', 'a'],
    map: ['[1]', '{}'],
    mode: ['slow', 'fast'],
    odd: ['anything'],
  }).map(([name, texts]) => [name, ...texts.map((one) => faultOf({ [name]: one }) ?? 'holds')]);
  expect(told).toEqual([
    ['n', 'least', 'most', 'whole', 'holds'],
    ['x', 'above', 'below', 'holds'],
    ['name', 'short', 'long', 'pattern', 'holds'],
    ['day', 'date', 'date', 'holds'],
    ['kinds', 'many', 'holds'],
    ['lines', 'many', 'holds'],
    ['map', 'type', 'holds'],
    ['mode', 'choice', 'holds'],
    ['odd', 'holds'],
  ]);
  expect([isDate('2024-02-29'), isDate('2025-02-29'), isDate('28.2.2026')]).toEqual([true, false, false]);
});

test('of arguments that are there only what was changed is another one; what the schema does not know stays', () => {
  const parameters = {
    required: ['path', 'new_string'],
    properties: {
      path: { type: 'string' },
      new_string: { type: 'string' },
      all: { type: 'boolean', default: true },
      limit: { type: 'integer', minimum: 1 },
      names: { type: 'array', items: { type: 'string' } },
    },
  };
  const given = {
    path: 'a.txt',
    new_string: 'x',
    names: ['one\ntwo', ''],
    extra: { deep: [1] },
    note: 'kept',
  };
  const fields = fieldsWith(parameters, given);
  const written = writtenOf(fields, given);
  expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
    ['path', 'text'],
    ['new_string', 'text'],
    ['all', 'switch'],
    ['limit', 'number'],
    // Shown as lines, its items would be other ones.
    ['names', 'json'],
    ['extra', 'json'],
    ['note', 'text'],
  ]);
  expect(changedOf(fields, given, written)).toEqual({ value: given, faults: {} });
  expect(
    changedOf(fields, given, { ...written, new_string: '', all: false, limit: '3', note: 'new' }),
  ).toEqual({
    value: { ...given, new_string: '', all: false, limit: 3, note: 'new' },
    faults: {},
  });
  expect(changedOf(fields, given, { ...written, limit: '0', extra: '{' }).faults).toEqual({
    limit: 'least',
    extra: 'json',
  });
  const limited = { ...given, limit: 2 };
  const emptied = { ...writtenOf(fields, limited), limit: '' };
  expect(changedOf(fields, limited, emptied)).toEqual({ value: given, faults: {} });
});

test('no schema, however odd, breaks the form', () => {
  const circle = { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { $ref: '#/$defs/A' } } };
  expect(shapes(circle)).toEqual([['a', 'json']]);
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      for (const odd of [one, { properties: { a: one }, required: other, $defs: other }] as JsonValue[])
        argumentsOf(fieldsOf(odd), blank(fieldsOf(odd)));
      const [schema, given] = [one, other] as [JsonValue, JsonValue];
      const fields = fieldsWith(schema, given);
      expect(changedOf(fields, given, writtenOf(fields, given)).faults).toEqual({});
    }),
  );
});
