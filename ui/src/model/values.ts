import type { JsonValue } from '../backend/bindings';
import { jsonWords, writesLong } from './longNumbers';

/** Values of a plan as people read and write them: a list as its elements, not as JSON. */

/** A value in words: texts as they are, lists with commas, an object as its names and values. */
export function valueWords(value: JsonValue): string {
  return inWords(value, jsonWords);
}

function inWords(value: JsonValue, asJson: (value: JsonValue) => string): string {
  const inner = (one: JsonValue) =>
    typeof one === 'object' && one !== null ? asJson(one) : inWords(one, asJson);
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(inner).join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${inner(one ?? null)}`)
      .join(', ');
  return asJson(value);
}

/** A value as it is written in a field: one that words would not lead back to is written as JSON. */
export function valueField(value: JsonValue): string {
  if (typeof value === 'string') return value;
  const words = inWords(value, (one) => JSON.stringify(one));
  const back = read(words, value);
  return JSON.stringify(back) === JSON.stringify(value) ? words : JSON.stringify(value);
}

/**
 * What was written in the field of a value; an empty field is null, which removes it. Undefined where a number in it is
 * longer than it can be sent: one that stood there before is left as it is.
 */
export function valueOf(written: string, before: JsonValue): JsonValue | undefined {
  const value = read(written, before);
  const isText = typeof value === 'string' || (Array.isArray(value) && value.every(isString));
  return !isText && writesLong(written, valueField(before)) ? undefined : value;
}

function read(written: string, before: JsonValue): JsonValue {
  const words = written.trim();
  if (words === '') return null;
  if (typeof before === 'string') return words;
  if (Array.isArray(before) && !words.startsWith('['))
    return words
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean)
      .map((one) => (before.every(isString) ? one : parsed(one)));
  return parsed(words);
}

function isString(value: JsonValue): value is string {
  return typeof value === 'string';
}

function parsed(words: string): JsonValue {
  try {
    return JSON.parse(words) as JsonValue;
  } catch {
    return words;
  }
}
