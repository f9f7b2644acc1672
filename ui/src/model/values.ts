import type { JsonValue } from '../backend/bindings';

/** Values of a plan as people read and write them: a list as its elements, not as JSON. */

/** A value in words: texts as they are, lists with commas, an object as its names and values. */
export function valueWords(value: JsonValue): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(inner).join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${inner(one ?? null)}`)
      .join(', ');
  return String(value);
}

function inner(value: JsonValue): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : valueWords(value);
}

/** A value as it is written in a field: one that words would not lead back to is written as JSON. */
export function valueField(value: JsonValue): string {
  if (typeof value === 'string') return value;
  const words = valueWords(value);
  const back = valueOf(words, value);
  return JSON.stringify(back) === JSON.stringify(value) ? words : JSON.stringify(value);
}

/** What was written in the field of a value; an empty field is null, which removes it. */
export function valueOf(written: string, before: JsonValue): JsonValue {
  const words = written.trim();
  if (words === '') return null;
  if (typeof before === 'string') return words;
  if (Array.isArray(before) && !words.startsWith('['))
    return words
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean)
      .map((one) => (before.every((known) => typeof known === 'string') ? one : parsed(one)));
  return parsed(words);
}

function parsed(words: string): JsonValue {
  try {
    return JSON.parse(words) as JsonValue;
  } catch {
    return words;
  }
}
