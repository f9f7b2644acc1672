/** What may come next: `element` and `member` are the first of their list or object, which may also end there. */
type Wants = 'value' | 'element' | 'key' | 'member' | 'colon' | 'more';

const CLOSING = { '{': '}', '[': ']' } as const;
const SPACE = ' \t\n\r';
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A part of a string: signs that stand for themselves, both halves of a character, or what is escaped. */
const PART =
  /[ !#-[\]-\uD7FF\uE000-\uFFFF]+|[\uD800-\uDBFF][\uDC00-\uDFFF]|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[\dA-Fa-f]{4}|u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2})/y;
const HALF = /[\uD800-\uDFFF]|\\u[\dA-Fa-f]{4}/y;
/** The engine reads no deeper. */
const DEEPEST = 127;

/** The first place at which a text cannot be read, and why: it ceases to be JSON, or what stands there has no meaning. */
export interface Break {
  at: number;
  why: 'syntax' | 'half' | 'range' | 'depth';
}

/**
 * Where a text ceases to be JSON (RFC 8259), its end where something is missing; or where it is JSON that the engine cannot
 * read: half of a character, a number beyond all that it counts with, or too many levels. Null where it can be read.
 */
export function brokenAt(text: string): Break | null {
  const open: (keyof typeof CLOSING)[] = [];
  let wants: Wants = 'value';
  let at = spaces(text, text.startsWith('\uFEFF') ? 1 : 0);
  for (; at < text.length; at = spaces(text, at)) {
    const sign = text.charAt(at);
    const within = open.at(-1);
    const mayClose = wants === 'more' || wants === 'element' || wants === 'member';
    let end: number | Break = at + 1;
    if (mayClose && within && sign === CLOSING[within]) {
      open.pop();
      wants = 'more';
    } else if (wants === 'colon') {
      if (sign !== ':') return syntax(at);
      wants = 'value';
    } else if (wants === 'more') {
      if (sign !== ',' || !within) return syntax(at);
      wants = within === '{' ? 'key' : 'value';
    } else if (wants === 'key' || wants === 'member') {
      end = stringEnd(text, at);
      wants = 'colon';
    } else if (sign === '{' || sign === '[') {
      if (open.push(sign) > DEEPEST) return { at, why: 'depth' };
      wants = sign === '{' ? 'member' : 'element';
    } else {
      end = sign === '"' ? stringEnd(text, at) : wordEnd(text, at);
      wants = 'more';
    }
    if (typeof end !== 'number') return end;
    at = end;
  }
  return wants === 'more' && open.length === 0 ? null : syntax(text.trimEnd().length);
}

function syntax(at: number): Break {
  return { at, why: 'syntax' };
}

function spaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.includes(text.charAt(at))) at += 1;
  return at;
}

/** The end of the string that begins at a place, where one does that has an end and halves no character. */
function stringEnd(text: string, from: number): number | Break {
  if (text.charAt(from) !== '"') return syntax(from);
  let half: number | null = null;
  let at = from + 1;
  while (text.charAt(at) !== '"') {
    let end = endOf(PART, text, at);
    if (end === null) {
      end = endOf(HALF, text, at);
      if (end === null) return syntax(from);
      half ??= at;
    }
    at = end;
  }
  return half === null ? at + 1 : { at: half, why: 'half' };
}

/** The end of the number or word that begins at a place. */
function wordEnd(text: string, from: number): number | Break {
  const end = endOf(WORD, text, from);
  if (end === null) return syntax(from);
  // A word is not a number at all.
  return Math.abs(Number(text.slice(from, end))) === Infinity ? { at: from, why: 'range' } : end;
}

function endOf(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}
