import type { JsonValue } from '../../backend/bindings';
import { isLong, writesLong } from '../../model/longNumbers';
import { matches } from './pattern';
import { initialOf, own, schema, typeOf, type FieldFault, type FormField, type Written } from './schema';

/** The arguments that were written, without those left as they were; or what is wrong, by field. */
export function argumentsOf(
  fields: readonly FormField[],
  written: Written,
): { value: Record<string, JsonValue>; faults: Record<string, FieldFault> } {
  const value = new Map<string, JsonValue>();
  const faults = new Map<string, FieldFault>();
  for (const field of fields) {
    const now = own(written, field.name) ?? field.initial;
    if (!field.required && (now === field.initial || isEmpty(field, now))) continue;
    const read = readField(field, now);
    if (typeof read === 'object') value.set(field.name, read.value);
    else faults.set(field.name, read);
  }
  // A field may be called `__proto__`, which is an argument like any other here.
  return { value: Object.fromEntries(value), faults: Object.fromEntries(faults) };
}

/** Whether nothing stands in a field. Blanks are a text, and nothing of any other kind. */
function isEmpty({ kind }: FormField, now: string | boolean): boolean {
  return typeof now === 'string' && (kind === 'text' ? now : now.trim()) === '';
}

/** Arguments as they stand in their fields. */
export function writtenOf(fields: readonly FormField[], given: JsonValue): Record<string, string | boolean> {
  const before = schema(given);
  return Object.fromEntries(
    fields.map((field) => {
      const value = own(before, field.name);
      return [field.name, value === undefined ? field.initial : initialOf(field.kind, value)];
    }),
  );
}

/** The arguments with what was changed in their fields, everything else as it was; or what is wrong, by field. */
export function changedOf(
  fields: readonly FormField[],
  given: JsonValue,
  written: Written,
): { value: Record<string, JsonValue>; faults: Record<string, FieldFault> } {
  const value = new Map(Object.entries(schema(given)));
  const faults = new Map<string, FieldFault>();
  const before = writtenOf(fields, given);
  for (const field of fields) {
    const now = own(written, field.name) ?? own(before, field.name) ?? field.initial;
    if (now === own(before, field.name)) continue;
    if (!field.required && isEmpty(field, now)) {
      value.delete(field.name);
      continue;
    }
    const read = readField(field, now, own(before, field.name));
    if (typeof read === 'object') value.set(field.name, read.value);
    else faults.set(field.name, read);
  }
  return {
    value: Object.fromEntries(value) as Record<string, JsonValue>,
    faults: Object.fromEntries(faults),
  };
}

/** Whether a text is a day as in `2026-02-28`, and one that there is. */
export function isDate(text: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A comma that stands between thousands for some people and before decimals for others. */
const EITHER = /^[+-]?[1-9]\d{0,2},\d{3}(e|$)/i;
/** Thousands by commas: several of them, or one and decimals after a point. */
const BY_COMMAS = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
/** Thousands by points, and decimals after a comma. */
const BY_POINTS = /^[+-]?[1-9]\d{0,2}(\.\d{3})+,\d+$/;

/**
 * A number as people write one, or what is wrong with it: where a comma may mean either, nothing is guessed, and no digit
 * of a whole number is changed.
 */
export function numberOf(text: string): number | 'number' | 'comma' | 'digits' {
  const written = text.trim();
  if (EITHER.test(written)) return 'comma';
  const ungrouped = BY_COMMAS.test(written)
    ? written.replaceAll(',', '')
    : BY_POINTS.test(written)
      ? written.replaceAll('.', '')
      : written;
  const number = Number(ungrouped.replace(',', '.'));
  if (written === '' || !Number.isFinite(number)) return 'number';
  return /^[+-]?\d+$/.test(ungrouped) && isLong(number) ? 'digits' : number;
}

function readField(
  field: FormField,
  now: string | boolean,
  before?: string | boolean,
): { value: JsonValue } | FieldFault {
  const read = readValue(field, now, String(before ?? ''));
  return typeof read === 'object' ? (broken(field, read.value) ?? read) : read;
}

function readValue(
  field: FormField,
  now: string | boolean,
  before: string,
): { value: JsonValue } | FieldFault {
  if (typeof now === 'boolean') return { value: now };
  if (field.required && now.trim() === '' && !field.blank) return 'needed';
  switch (field.kind) {
    case 'number': {
      const number = numberOf(now);
      if (typeof number === 'string') return number;
      return field.whole && !Number.isInteger(number) ? 'whole' : { value: number };
    }
    case 'lines':
    case 'several':
      return { value: now.split('\n').filter((line) => line.trim() !== '') };
    case 'choice':
      return field.choices.includes(now) ? { value: now } : 'choice';
    case 'date':
      return isDate(now) ? { value: now } : 'date';
    case 'json':
      try {
        const value = JSON.parse(now) as JsonValue;
        return writesLong(now, before) ? 'digits' : { value };
      } catch {
        return 'json';
      }
    default:
      return { value: now };
  }
}

/** The first limit of the schema that a value breaks. */
function broken(field: FormField, value: JsonValue): FieldFault | null {
  const { limits } = field;
  if (limits.type !== undefined && typeOf(value) !== limits.type) return 'type';
  const size = typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : 0;
  const texts = typeof value === 'string';
  const lists = Array.isArray(value);
  const number = typeof value === 'number' ? value : null;
  const breaks: Partial<Record<FieldFault, (limit: number) => boolean>> = {
    least: (limit) => number !== null && number < limit,
    most: (limit) => number !== null && number > limit,
    above: (limit) => number !== null && number <= limit,
    below: (limit) => number !== null && number >= limit,
    short: (limit) => texts && size < limit,
    long: (limit) => texts && size > limit,
    few: (limit) => lists && size < limit,
    many: (limit) => lists && size > limit,
  };
  for (const [fault, limit] of Object.entries(limits) as [FieldFault, number | string][]) {
    if (typeof limit === 'number' && breaks[fault]?.(limit)) return fault;
    if (fault === 'pattern' && texts && !matches(value, String(limit))) return fault;
  }
  return null;
}
