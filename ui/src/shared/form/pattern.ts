/** A longer text, or a longer pattern, is not tried on each stroke of a key. */
const LONGEST_TEXT = 200;
const LONGEST_PATTERN = 300;

/**
 * Whether a text fits a pattern that a stranger wrote. What is no pattern, or could keep the page busy for ever, is the
 * engine's to judge and fits here.
 */
export function matches(text: string, pattern: string): boolean {
  if (text.length > LONGEST_TEXT || !isQuick(pattern)) return true;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

/**
 * Whether a pattern comes to its end soon on any text: it refers to nothing before, repeats no group, since `(a+)+`
 * tries each way to share out a text, and has two open repetitions at most.
 */
function isQuick(pattern: string): boolean {
  if (pattern.length > LONGEST_PATTERN || /\\[1-9k]/u.test(pattern)) return false;
  // What is escaped or stands in brackets is one sign.
  const signs = pattern.replace(/\\./gsu, 'x').replace(/\[[^\]]*\]/gu, 'x');
  const open = signs.match(/[*+?]|\{\d+,\d*\}/gu) ?? [];
  return !/\)[*+?{]/u.test(signs) && open.length <= 2;
}
