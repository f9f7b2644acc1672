import { day } from '../model/days';

/** Figures as people read them. Nothing here reads a clock: the present is an argument. */

/** `184 ms`, `2.4 s`, `1 min 20 s`. */
export function duration(ms: number): string {
  // A clock that was set back in between takes nothing away.
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  if (whole < 59_950) return `${(whole / 1000).toFixed(1)} s`;
  const seconds = Math.round(whole / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${minutes} min ${seconds % 60} s`;
}

/** `950`, `2.1k`, `1.4M`. */
export function short(count: number): string {
  if (count < 1000) return String(count);
  // What is rounded up to the next unit is told in it.
  if (count < 999_500) return `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `812 B`, `1.2 kB`, `1.1 GB`. */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let at = 0;
  let value = count;
  // A fraction that is rounded up to a thousand is one of the next unit.
  while (value >= 999.95 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return `${at === 0 ? value : value.toFixed(1)} ${units[at]}`;
}

/** `1 step`, `4 steps`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `2`, `2 and 5`, `2, 5 and 7`. */
export function listed(all: readonly (number | string)[]): string {
  const last = all.at(-1) ?? '';
  return all.length < 2 ? String(last) : `${all.slice(0, -1).join(', ')} and ${last}`;
}

/** The hour of today, else the day. */
export function when(at: number, now: number): string {
  const date = new Date(at);
  return day(at, now) === 'today'
    ? date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** The last part of a path. */
export function lastPart(path: string): string {
  return (
    path
      .replace(/[/\\]+$/, '')
      .split(/[/\\]/)
      .pop() || path
  );
}

/** At most so many characters of a text, with a sign where more follow, and no half of one. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
