/** The tags that a person writes with commas between them. */
export function tagsOf(written: string): string[] {
  return written
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
}
