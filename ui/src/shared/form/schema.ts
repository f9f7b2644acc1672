import type { JsonValue } from '../../backend/bindings';

/** How a value is asked for. */
export type FieldKind = 'text' | 'lines' | 'number' | 'switch' | 'choice' | 'json';

/** One argument of a tool as a form asks for it. */
export interface FormField {
  name: string;
  kind: FieldKind;
  required: boolean;
  about: string | undefined;
  /** For a choice: what can be chosen. */
  choices: readonly string[];
  /** For a number: whether it has to be whole. */
  whole: boolean;
  /** What holds without a word from the person. */
  initial: string | boolean;
}

/** What a person has written in the fields of a form, by their names. */
export type Written = Readonly<Record<string, string | boolean>>;

/** What is wrong with a field. */
export type FieldFault = 'needed' | 'number' | 'whole' | 'json';

type Schema = { readonly [name: string]: JsonValue | undefined };

/** The fields for the arguments that a JSON Schema of a tool describes, in its order, the required ones first. */
export function fieldsOf(parameters: JsonValue): FormField[] {
  const root = schema(parameters);
  const required = new Set(list(root['required']).filter((name) => typeof name === 'string'));
  const fields = Object.entries(schema(root['properties'])).map(([name, value]) =>
    fieldOf(name, resolved(schema(value), root), required.has(name)),
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** A form as it is before anybody wrote into it. */
export function blank(fields: readonly FormField[]): Record<string, string | boolean> {
  return Object.fromEntries(fields.map((field) => [field.name, field.initial]));
}

/** The arguments that were written, without those left as they were; or what is wrong, by field. */
export function argumentsOf(
  fields: readonly FormField[],
  written: Written,
): { value: Record<string, JsonValue>; faults: Record<string, FieldFault> } {
  const value: Record<string, JsonValue> = {};
  const faults: Record<string, FieldFault> = {};
  for (const field of fields) {
    const now = written[field.name] ?? field.initial;
    if (now === field.initial && !field.required) continue;
    const read = readField(field, now);
    if (typeof read === 'object') value[field.name] = read.value;
    else faults[field.name] = read;
  }
  return { value, faults };
}

function readField(field: FormField, now: string | boolean): { value: JsonValue } | FieldFault {
  if (typeof now === 'boolean') return { value: now };
  if (now.trim() === '') return 'needed';
  switch (field.kind) {
    case 'number': {
      const number = Number(now);
      if (!Number.isFinite(number)) return 'number';
      return field.whole && !Number.isInteger(number) ? 'whole' : { value: number };
    }
    case 'lines':
      return { value: now.split('\n').filter((line) => line.trim() !== '') };
    case 'json':
      try {
        return { value: JSON.parse(now) as JsonValue };
      } catch {
        return 'json';
      }
    default:
      return { value: now };
  }
}

function fieldOf(name: string, found: Schema, required: boolean): FormField {
  const choices = choicesOf(found);
  const kind = choices ? 'choice' : kindOf(found);
  const given = found['default'];
  return {
    name,
    kind,
    required,
    about: typeof found['description'] === 'string' ? found['description'] : undefined,
    choices: choices ?? [],
    whole: found['type'] === 'integer',
    initial: kind === 'switch' ? given === true : initialText(kind, given),
  };
}

function initialText(kind: FieldKind, given: JsonValue | undefined): string {
  if (given === undefined || given === null) return '';
  if (kind === 'lines') return list(given).join('\n');
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function kindOf(found: Schema): FieldKind {
  switch (found['type']) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'switch';
    case 'array':
      return schema(found['items'])['type'] === 'string' ? 'lines' : 'json';
    default:
      return 'json';
  }
}

/** The texts that can be chosen from: of an enumeration, or of alternatives that are one text each. */
function choicesOf(found: Schema): string[] | null {
  const alternatives = [...list(found['oneOf']), ...list(found['anyOf'])].map((one) => schema(one)['const']);
  const all = list(found['enum']).length > 0 ? list(found['enum']) : alternatives;
  const texts = all.filter((one) => typeof one === 'string');
  return texts.length > 0 && texts.length === all.filter((one) => one !== null).length ? texts : null;
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
  return names.reduce((inside, name) => schema(inside[name]), root);
}

function without(found: Schema, names: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(found).filter(([name]) => !names.includes(name)));
}

function schema(value: JsonValue | undefined): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
