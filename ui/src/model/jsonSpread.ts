const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * A JSON text with a line for each value, as a person reads it. Nothing in it is read as a value: a number keeps each of
 * its digits, and a string its escapes.
 */
export function spread(text: string): string {
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return tokens
    .map((token, at) => {
      const before = tokens[at - 1] ?? '';
      const after = tokens[at + 1] ?? '';
      if (token === '{' || token === '[') {
        depth += 1;
        return /[}\]]/.test(after) && after.length === 1 ? token : token + line();
      }
      if (token === '}' || token === ']') {
        depth -= 1;
        return before === '{' || before === '[' ? token : line() + token;
      }
      return token === ',' ? token + line() : token === ':' ? ': ' : token;
    })
    .join('');
}
