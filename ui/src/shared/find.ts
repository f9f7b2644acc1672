/** Whether every word of a query occurs in one of the texts, in any case. An empty query finds everything. */
export function hasWords(query: string, ...texts: readonly string[]): boolean {
  const all = texts.join('\n').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
