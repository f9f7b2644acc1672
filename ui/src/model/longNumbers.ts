/** Whole numbers beyond 2^53. A page does not know them exactly: it has the nearest number that it can hold. */

import type { JsonValue } from '../backend/bindings';

/** What stands before such a number where it is read. */
const ABOUT = '≈';
/** Stands in its place until the text around it is made; no text of ours has it. */
const HOLE = '\uE000';
const MARKED = new RegExp(`"${HOLE}(-?[\\d.e+]+)"`, 'g');
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Whether what was meant may be another number. */
export function isLong(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number);
}

/** Whether one of them stands anywhere in a value. */
export function holdsLong(value: JsonValue | undefined): boolean {
  if (typeof value === 'number') return isLong(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsLong);
}

/** A value as JSON that is read and not taken: what is not known exactly has a sign before it. */
export function jsonWords(value: JsonValue, indent?: number): string {
  if (!holdsLong(value)) return JSON.stringify(value, null, indent);
  const marks = (_name: string, one: unknown) =>
    typeof one === 'number' && isLong(one) ? `${HOLE}${one}` : one;
  return JSON.stringify(value, marks, indent).replace(MARKED, `${ABOUT}$1`);
}

/** Whether a JSON text has one that did not stand in what it was made of: a person wrote it, and it would be rounded. */
export function writesLong(text: string, before = ''): boolean {
  const known = new Set(longIn(before));
  return longIn(text).some((one) => !known.has(one));
}

function longIn(text: string): string[] {
  return [...text.matchAll(STRING_OR_NUMBER)]
    .map(([found]) => found)
    .filter((found) => /^-?\d+$/.test(found) && isLong(Number(found)));
}
