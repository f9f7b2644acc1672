import { keptNames, outlives, readKept } from '../../app/kept';
import { beginning } from '../../shared/format';
import { text as words } from '../../shared/text';
import { visible } from '../../shared/visible';

/** What begins the names under which plan files are kept that were mended here and not taken. */
const NAMES = 'import';
/** So much of what a plan is called is shown. */
const TITLE = 80;

/** A plan file that was mended and not taken. */
export interface Mended {
  /** The name under which it is kept. */
  name: string;
  text: string;
  /** Whether it is kept when Assent is closed. */
  stays: boolean;
}

/** All of them, the first one first. */
export function mendedPlans(): Mended[] {
  const names = keptNames(NAMES).sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  return names.flatMap((name) => {
    const text = readKept(name);
    return text === null ? [] : { name, text, stays: outlives(name) };
  });
}

/** A name under which none of them is kept: each file has one of its own. */
export function freshName(): string {
  const taken = new Set(keptNames(NAMES));
  let number = 1;
  while (taken.has(`${NAMES}.${number}`)) number += 1;
  return `${NAMES}.${number}`;
}

/** What the plan of a text is called, which may not be whole yet; nothing hides in it. */
export function calledIn(text: string): string {
  const [, literal = '""'] = /"title"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  return visible(beginning(decoded(literal).trim(), TITLE)) || words.common.untitled;
}

/** What a literal says; one that is none yet as it is written. */
function decoded(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal.slice(1, -1);
  }
}
