import type { PathPart } from '../backend/bindings';

/** A stretch of a text. */
export interface Stretch {
  from: number;
  to: number;
}

/**
 * Where a value stands in a JSON text: the stretch of the value that a path leads to, or of the nearest one above it
 * that is there. The text may be damaged behind that place; what cannot be read ends the search.
 */
export function stretchOf(text: string, path: readonly PathPart[]): Stretch {
  let at = space(text, 0);
  for (let depth = 0; ; depth += 1) {
    const part = path[depth];
    let next: number | null = null;
    if (part !== undefined)
      next = typeof part === 'number' ? element(text, at, part) : member(text, at, part);
    // Only of what is shown is the end looked for: that of the whole document is far.
    if (next === null) return { from: at, to: skip(text, at) ?? at + 1 };
    at = next;
  }
}

/** The line of a place, from 1. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function space(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

/** The end of the value that begins at a place; null where it has none. */
function skip(text: string, from: number): number | null {
  const first = text.charAt(from);
  if (first === '"') return string(text, from);
  if (first !== '{' && first !== '[') {
    let at = from;
    while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at += 1;
    return at === from ? null : at;
  }
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"') {
      const end = string(text, at);
      if (end === null) return null;
      at = end - 1;
    } else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

function string(text: string, from: number): number | null {
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '\\') at += 1;
    else if (sign === '"') return at + 1;
    else if (sign === '\n') return null;
  }
  return null;
}

/** The place of a member's value in the object that begins at a place. */
function member(text: string, from: number, key: string): number | null {
  if (text.charAt(from) !== '{') return null;
  let at = space(text, from + 1);
  while (text.charAt(at) === '"') {
    const end = string(text, at);
    if (end === null) return null;
    const name = nameOf(text.slice(at, end));
    if (name === null) return null;
    at = space(text, end);
    if (text.charAt(at) !== ':') return null;
    at = space(text, at + 1);
    if (name === key) return at;
    const next = skip(text, at);
    if (next === null) return null;
    at = space(text, next);
    if (text.charAt(at) !== ',') return null;
    at = space(text, at + 1);
  }
  return null;
}

/** What a string says; null where it is none, whatever its quotes. */
function nameOf(written: string): string | null {
  try {
    return JSON.parse(written) as string;
  } catch {
    return null;
  }
}

/** The place of an element of the array that begins at a place. */
function element(text: string, from: number, index: number): number | null {
  if (text.charAt(from) !== '[') return null;
  let at = space(text, from + 1);
  for (let seen = 0; seen < index; seen += 1) {
    const next = skip(text, at);
    if (next === null) return null;
    at = space(text, next);
    if (text.charAt(at) !== ',') return null;
    at = space(text, at + 1);
  }
  return text.charAt(at) === ']' ? null : at;
}
