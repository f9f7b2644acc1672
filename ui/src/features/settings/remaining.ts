/** How much of a transfer had come at a time: milliseconds and bytes. */
export interface Sample {
  at: number;
  done: number;
}

/** A speed that was seen for less long says little. */
const LEAST_MS = 1500;

/** How long a transfer still takes at the speed that was seen, in milliseconds; null while nobody can say. */
export function remaining(first: Sample | null, now: Sample, total: number): number | null {
  if (!first || now.at - first.at < LEAST_MS || now.done <= first.done) return null;
  return ((total - now.done) * (now.at - first.at)) / (now.done - first.done);
}
