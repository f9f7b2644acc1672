import type { JsonValue } from '../../backend/bindings';

/** How a value is asked for. */
export type FieldKind =
  'text' | 'lines' | 'number' | 'switch' | 'choice' | 'several' | 'date' | 'file' | 'json';

/** One argument of a tool as a form asks for it. */
export interface FormField {
  name: string;
  kind: FieldKind;
  required: boolean;
  about: string | undefined;
  /** For a choice, of one or of several: what can be chosen. */
  choices: readonly string[];
  /** For JSON: what the schema says stands in an object, or in each object of a list. */
  inside: readonly string[];
  /** For a number: whether it has to be whole. */
  whole: boolean;
  /** Whether nothing, written down, is a text too. */
  blank: boolean;
  /** What the schema allows, under the fault that breaking it is. */
  limits: Readonly<Partial<Record<FieldFault, number | string>>>;
  /** What holds without a word from the person. */
  initial: string | boolean;
}

/** What a person has written in the fields of a form, by their names. */
export type Written = Readonly<Record<string, string | boolean>>;

/** What is wrong with a field. */
export type FieldFault =
  | 'needed'
  | 'number'
  | 'comma'
  | 'digits'
  | 'whole'
  | 'json'
  | 'date'
  | 'choice'
  | 'type'
  | keyof typeof LIMITS;

/** The keywords of JSON Schema that a form checks, under the fault that breaking them is. */
const LIMITS = {
  least: 'minimum',
  most: 'maximum',
  above: 'exclusiveMinimum',
  below: 'exclusiveMaximum',
  short: 'minLength',
  long: 'maxLength',
  pattern: 'pattern',
  few: 'minItems',
  many: 'maxItems',
} as const;

type Schema = { readonly [name: string]: JsonValue | undefined };

/** The fields for the arguments that a JSON Schema of a tool describes, in its order, the required ones first. */
export function fieldsOf(parameters: JsonValue): FormField[] {
  const root = schema(parameters);
  // What stands at the top may itself be kept elsewhere in the schema.
  const top = resolved(root, root);
  const required = new Set(list(top['required']).filter((name) => typeof name === 'string'));
  const fields = Object.entries(schema(top['properties'])).map(([name, value]) =>
    fieldOf(name, resolved(schema(value), root), required.has(name), root),
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** A form as it is before anybody wrote into it. */
export function blank(fields: readonly FormField[]): Record<string, string | boolean> {
  return Object.fromEntries(fields.map((field) => [field.name, field.initial]));
}

/**
 * The fields for arguments that are there already: those of the schema, and one by its own type for each argument that
 * the schema says nothing of.
 */
export function fieldsWith(parameters: JsonValue, given: JsonValue): FormField[] {
  const before = schema(given);
  const known = fieldsOf(parameters);
  const names = new Set(known.map((field) => field.name));
  const others = Object.keys(before).filter((name) => !names.has(name));
  return [...known, ...others.map((name) => fieldOf(name, { type: typeOf(before[name]) }, true, {}))].map(
    (field) => {
      const value = own(before, field.name);
      const kind = value === undefined || holds(field.kind, value) ? field.kind : 'json';
      return { ...field, kind, blank: field.required && kind === 'text' };
    },
  );
}

function fieldOf(name: string, found: Schema, required: boolean, root: Schema): FormField {
  const items = resolved(schema(found['items']), root);
  const choices = found['type'] === 'array' ? choicesOf(items) : choicesOf(found);
  const kind = choices ? (found['type'] === 'array' ? 'several' : 'choice') : kindOf(found, items);
  const given = found['default'];
  return {
    name,
    kind,
    required,
    about: typeof found['description'] === 'string' ? found['description'] : undefined,
    choices: choices ?? [],
    inside: kind === 'json' ? Object.keys(schema(found['properties'] ?? items['properties'])) : [],
    whole: found['type'] === 'integer',
    blank: false,
    limits: limitsOf(kind, found),
    initial: given === undefined ? (kind === 'switch' ? false : '') : initialOf(kind, given),
  };
}

function limitsOf(kind: FieldKind, found: Schema): FormField['limits'] {
  const limits: Partial<Record<FieldFault, number | string>> = {};
  for (const [fault, keyword] of Object.entries(LIMITS) as [keyof typeof LIMITS, string][]) {
    const limit = found[keyword];
    if (typeof limit === (fault === 'pattern' ? 'string' : 'number'))
      limits[fault] = limit as number | string;
  }
  const { type } = found;
  if (kind === 'json' && (type === 'object' || type === 'array')) limits.type = type;
  return limits;
}

export function typeOf(value: JsonValue | undefined): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

/** Whether a field of a kind can show a value without losing any of it. */
function holds(kind: FieldKind, value: JsonValue): boolean {
  if (kind === 'switch') return typeof value === 'boolean';
  if (kind === 'lines' || kind === 'several')
    return Array.isArray(value) && value.every((one) => typeof one === 'string' && /^.*\S.*$/.test(one));
  return kind === 'json' || kind === 'number' || typeof value === 'string';
}

export function initialOf(kind: FieldKind, given: JsonValue): string | boolean {
  if (kind === 'switch') return given === true;
  if (kind === 'json' && typeof given === 'string') return JSON.stringify(given);
  if (given === null) return '';
  if (kind === 'lines' || kind === 'several') return list(given).join('\n');
  return typeof given === 'string' ? given : JSON.stringify(given, null, kind === 'json' ? 2 : undefined);
}

function kindOf(found: Schema, items: Schema): FieldKind {
  switch (found['type']) {
    case 'string':
      return found['format'] === 'date' ? 'date' : found['format'] === 'path' ? 'file' : 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'switch';
    case 'array':
      return items['type'] === 'string' ? 'lines' : 'json';
    default:
      return 'json';
  }
}

/** The texts that can be chosen from: of an enumeration, or of alternatives that are one text each. */
function choicesOf(found: Schema): string[] | null {
  const alternatives = [...list(found['oneOf']), ...list(found['anyOf'])].map((one) => schema(one)['const']);
  const all = list(found['enum']).length > 0 ? list(found['enum']) : alternatives;
  const texts = all.filter((one) => typeof one === 'string');
  if (texts.length === 0 || texts.length !== all.filter((one) => one !== null).length) return null;
  // Who describes a tool may have named one twice.
  return [...new Set(texts)];
}

/** A schema without what a form does not tell apart: references, and that a value may be null. */
function resolved(found: Schema, root: Schema): Schema {
  let now = found;
  // A reference may lead to another one; a circle of them ends here too.
  for (let times = 0; times < 8; times += 1) {
    const to = now['$ref'];
    const some = [...list(now['anyOf']), ...list(now['oneOf'])].filter(
      (one) => schema(one)['type'] !== 'null',
    );
    if (typeof to === 'string' && to.startsWith('#/'))
      now = { ...follow(to, root), ...without(now, ['$ref']) };
    else if (some.length === 1) now = { ...schema(some[0]), ...without(now, ['anyOf', 'oneOf']) };
    else break;
  }
  const types = list(now['type']).filter((type) => type !== 'null');
  return types.length === 1 ? { ...now, type: types[0] } : now;
}

function follow(reference: string, root: Schema): Schema {
  const names = reference
    .slice(2)
    .split('/')
    .map((name) => name.replace(/~1/g, '/').replace(/~0/g, '~'));
  return names.reduce((inside, name) => schema(own(inside, name)), root);
}

function without(found: Schema, names: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(found).filter(([name]) => !names.includes(name)));
}

/** What stands under a name itself: a schema may name what every object has. */
export function own<T>(all: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

export function schema(value: JsonValue | undefined): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
