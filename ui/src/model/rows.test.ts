import { expect, test } from 'vitest';
import type { Event } from '../backend/bindings';
import { openScene } from '../backend/scripted/scenes';
import { countOf, firstOf, groups, inOrderOf, rowsAfter } from './rows';
import { eventsOf } from './samples.test-data';

const NOW = 1_700_000_000_000;

test('the list that is folded from events is the list that the engine keeps', () => {
  for (const scene of ['sample', 'confirm', 'question']) {
    const { world } = openScene(scene, NOW);
    world.settle();
    const kept = [...world.sessions.values()].sort((one, other) => other.updatedAt - one.updatedAt);
    const told = rowsAfter([], eventsOf(scene));
    expect(told.map((row) => [row.title, row.runStatus])).toEqual(
      kept.map((row) => [row.title, row.runStatus]),
    );
  }
});

test('rows are grouped by days and found by all words of a text in name or folder', () => {
  const rows = rowsAfter([], eventsOf('sample'));
  expect(groups(rows, NOW, '', false).flatMap((group) => group.rows.length)).toHaveLength(
    new Set(groups(rows, NOW, '', false).map((group) => group.day)).size,
  );
  expect(
    groups(rows, NOW, 'SALES csv', false).flatMap((group) => group.rows.map((row) => row.title)),
  ).toEqual(['Compare the two CSVs']);
  expect(groups(rows, NOW, '', true)).toEqual([]);
});

test('how the latest run stands is what a row says, whatever an earlier one of its session does', () => {
  const place = { session: 's', at: NOW };
  const plan = { id: 'p', version: 1, digest: 'd' };
  const rows = rowsAfter([], [
    { ...place, seq: 1, kind: 'session_created', title: 'Two plans', sessionKind: 'chat' },
    { ...place, seq: 2, run: 'first', kind: 'run_queued', plan },
    { ...place, seq: 3, run: 'first', kind: 'run_started' },
    { ...place, seq: 4, run: 'second', kind: 'run_queued', plan },
    { ...place, seq: 5, run: 'second', kind: 'run_ended', status: 'failed' },
    { ...place, seq: 6, run: 'first', kind: 'run_ended', status: 'completed' },
  ] as Event[]);
  expect(rows.map((row) => [row.run, row.runStatus])).toEqual([['second', 'failed']]);
  const later = { ...place, seq: 7, run: 'second', kind: 'run_started' } as Event;
  expect(rowsAfter(rows, [later]).map((row) => row.runStatus)).toEqual(['running']);
});

test('what happens in a run counts as one use of its session to the second, as the engine has it; anything else at once', () => {
  const event = (seq: number, session: string, at: number, more: object) =>
    ({ seq, session, at, ...more }) as Event;
  const step = { run: 'r', kind: 'step_started', step: 's1', attempt: 1 };
  const created = { kind: 'session_created', title: '', sessionKind: 'chat' };
  const first = rowsAfter([], [event(1, 'a', NOW, created), event(2, 'b', NOW + 1, created)]);
  const used = (...events: Event[]) => rowsAfter(first, events).map((row) => [row.id, row.updatedAt - NOW]);
  const before = [
    ['b', 1],
    ['a', 0],
  ];
  expect(used(event(3, 'a', NOW + 999, step))).toEqual(before);
  expect(used(event(3, 'a', NOW + 1000, step))).toEqual([
    ['a', 1000],
    ['b', 1],
  ]);
  expect(used(event(3, 'a', NOW + 2, { kind: 'message_received', text: 'Hello' }))).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
  const rows = rowsAfter(first, [event(3, 'a', NOW + 2000, step), event(4, 'c', NOW + 3000, created)]);
  expect(inOrderOf(rows, first).map((row) => row.id)).toEqual(['c', 'b', 'a']);
});

test('of many rows the first ones are shown, in the days that have any of them', () => {
  const days = [
    { day: 'today', rows: [1, 2, 3] },
    { day: 'week', rows: [4, 5] },
    { day: 'older', rows: [6] },
  ] as never;
  expect(countOf(days)).toBe(6);
  expect(firstOf(days, 4)).toEqual([
    { day: 'today', rows: [1, 2, 3] },
    { day: 'week', rows: [4] },
  ]);
  expect(firstOf(days, 6)).toEqual(days);
});
