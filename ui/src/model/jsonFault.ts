/** What may come next: `element` and `member` are the first of their list or object, which may also end there. */
type Wants = 'value' | 'element' | 'key' | 'member' | 'colon' | 'more';

const CLOSING = { '{': '}', '[': ']' } as const;
const SPACE = ' \t\n\r';
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /["\\/bfnrt]|u[\dA-Fa-f]{4}/y;

/** Where a text ceases to be JSON (RFC 8259), its end where something is missing; null where it is JSON. */
export function brokenAt(text: string): number | null {
  const open: (keyof typeof CLOSING)[] = [];
  let wants: Wants = 'value';
  let at = spaces(text, text.startsWith('\uFEFF') ? 1 : 0);
  for (; at < text.length; at = spaces(text, at)) {
    const sign = text.charAt(at);
    const within = open.at(-1);
    const mayClose = wants === 'more' || wants === 'element' || wants === 'member';
    let end: number | null = at + 1;
    if (mayClose && within && sign === CLOSING[within]) {
      open.pop();
      wants = 'more';
    } else if (wants === 'colon') {
      if (sign !== ':') return at;
      wants = 'value';
    } else if (wants === 'more') {
      if (sign !== ',' || !within) return at;
      wants = within === '{' ? 'key' : 'value';
    } else if (wants === 'key' || wants === 'member') {
      end = stringEnd(text, at);
      wants = 'colon';
    } else if (sign === '{' || sign === '[') {
      open.push(sign);
      wants = sign === '{' ? 'member' : 'element';
    } else {
      end = sign === '"' ? stringEnd(text, at) : wordEnd(text, at);
      wants = 'more';
    }
    if (end === null) return at;
    at = end;
  }
  return wants === 'more' && open.length === 0 ? null : text.trimEnd().length;
}

function spaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.includes(text.charAt(at))) at += 1;
  return at;
}

/** The end of the string that begins at a place; null where none does, or it has no end. */
function stringEnd(text: string, from: number): number | null {
  if (text.charAt(from) !== '"') return null;
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"') return at + 1;
    if (sign < ' ') return null;
    if (sign !== '\\') continue;
    ESCAPE.lastIndex = at + 1;
    if (!ESCAPE.test(text)) return null;
    at = ESCAPE.lastIndex - 1;
  }
  return null;
}

/** The end of the number or word that begins at a place. */
function wordEnd(text: string, from: number): number | null {
  WORD.lastIndex = from;
  return WORD.test(text) ? WORD.lastIndex : null;
}
