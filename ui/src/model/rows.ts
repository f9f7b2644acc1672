import type { Event, PlanStanding, RunStatus, SessionId, SessionRow } from '../backend/bindings';
import { createdSession } from '../backend/rows';
import { day } from './days';

/** Milliseconds within which what happens in a run counts as one use of its session, as it does in the engine. */
const SECOND = 1000;

/** The list of sessions after what has happened; last used first. */
export function rowsAfter(rows: readonly SessionRow[], events: readonly Event[]): readonly SessionRow[] {
  if (events.length === 0) return rows;
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const event of events) {
    const before = byId.get(event.session) ?? opened(event);
    if (before)
      byId.set(event.session, {
        ...before,
        ...changed(before, event),
        ...latestRun(before, event),
        updatedAt: usedAt(before, event),
      });
  }
  return sorted([...byId.values()]);
}

function usedAt({ updatedAt }: SessionRow, event: Event): number {
  return event.run && event.at - updatedAt < SECOND ? updatedAt : Math.max(updatedAt, event.at);
}

/** The same rows in the order, and in the days, in which those were that are there since. */
export function inOrderOf(rows: readonly SessionRow[], before: readonly SessionRow[]): readonly SessionRow[] {
  const used = new Map(before.map((row) => [row.id, row.updatedAt]));
  return sorted(rows.map((row) => ({ ...row, updatedAt: used.get(row.id) ?? row.updatedAt })));
}

function sorted(rows: SessionRow[]): SessionRow[] {
  return rows.sort((one, other) => other.updatedAt - one.updatedAt || (one.id < other.id ? 1 : -1));
}

/**
 * The list as it was read, but for sessions in which something happened while it was read: those stay as they are
 * known, and deleted ones stay away.
 */
export function rowsRead(
  known: readonly SessionRow[],
  read: readonly SessionRow[],
  touched: ReadonlySet<SessionId>,
  deleted: ReadonlySet<SessionId>,
): readonly SessionRow[] {
  const byId = new Map(read.map((row) => [row.id, row]));
  for (const row of known) if (touched.has(row.id)) byId.set(row.id, row);
  return sorted([...byId.values()].filter((row) => !deleted.has(row.id)));
}

function opened(event: Event): SessionRow | undefined {
  return event.kind === 'session_created' ? createdSession(event) : undefined;
}

function changed(row: SessionRow, event: Event): Partial<SessionRow> {
  switch (event.kind) {
    case 'session_renamed':
      return { title: event.title };
    case 'session_archived':
      return { archived: event.archived };
    case 'message_received':
      return row.title === '' ? { title: event.text.trim().split('\n')[0]?.slice(0, 80) ?? '' } : {};
    default:
      return {};
  }
}

/** Which run is the latest, and how it stands; what happens in an earlier one says nothing of it. */
function latestRun(row: SessionRow, event: Event): Partial<SessionRow> {
  if (!event.run) return {};
  if (event.kind === 'run_queued') return { run: event.run, runStatus: 'queued' };
  const runStatus = event.run === row.run ? statusAfter(event) : null;
  return runStatus ? { runStatus } : {};
}

function statusAfter(event: Event): RunStatus | null {
  switch (event.kind) {
    case 'run_started':
    case 'step_started':
    case 'request_answered':
      return 'running';
    case 'run_ended':
      return event.status;
    case 'request_opened':
      if (event.request.kind === 'question') return 'waiting_for_input';
      return event.request.kind === 'help' ? 'waiting_for_user' : 'suspended';
    default:
      return null;
  }
}

/** How plans stand, by the sessions they are in, the order kept. */
export function bySession(plans: readonly PlanStanding[]): ReadonlyMap<SessionId, readonly PlanStanding[]> {
  const found = new Map<SessionId, PlanStanding[]>();
  for (const plan of plans) {
    const own = found.get(plan.session);
    if (own) own.push(plan);
    else found.set(plan.session, [plan]);
  }
  return found;
}

/** A row less. */
export function rowsWithout(rows: readonly SessionRow[], id: SessionId): readonly SessionRow[] {
  return rows.filter((row) => row.id !== id);
}

/** A stretch of days with its sessions. */
export interface DayGroup {
  day: ReturnType<typeof day>;
  rows: readonly SessionRow[];
}

/** The rows whose name or folder holds all words of a text, in groups of days, the order kept. */
export function groups(
  rows: readonly SessionRow[],
  now: number,
  filter: string,
  archived: boolean,
): DayGroup[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found: { day: DayGroup['day']; rows: SessionRow[] }[] = [];
  for (const row of rows) {
    const text = `${row.title} ${row.workspace ?? ''}`.toLowerCase();
    if (row.archived !== archived || !words.every((word) => text.includes(word))) continue;
    const name = day(row.updatedAt, now);
    const last = found.at(-1);
    if (last?.day === name) last.rows.push(row);
    else found.push({ day: name, rows: [row] });
  }
  return found;
}

/** How many rows there are. */
export function countOf(days: readonly DayGroup[]): number {
  return days.reduce((sum, day) => sum + day.rows.length, 0);
}

/** The first so many rows, in the days that have any of them. */
export function firstOf(days: readonly DayGroup[], most: number): DayGroup[] {
  let room = most;
  const cut = days.map(({ day, rows }) => {
    const first = rows.slice(0, room);
    room -= first.length;
    return { day, rows: first };
  });
  return cut.filter(({ rows }) => rows.length > 0);
}
