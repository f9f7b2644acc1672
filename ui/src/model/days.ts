const DAY = 86_400_000;

/** Which group of a list a time belongs to, seen from `now`. */
export function day(at: number, now: number): 'today' | 'yesterday' | 'week' | 'month' | 'older' {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return 'today';
  if (at >= midnight - DAY) return 'yesterday';
  if (at >= midnight - 6 * DAY) return 'week';
  if (at >= midnight - 29 * DAY) return 'month';
  return 'older';
}
