import { expect, test } from 'vitest';
import { openScene } from '../backend/scripted/scenes';
import { groups, rowsAfter } from './rows';
import { eventsOf } from './samples.test-data';

const NOW = 1_700_000_000_000;

test('the list that is folded from events is the list that the engine keeps', () => {
  for (const scene of ['sample', 'confirm', 'question']) {
    const { world } = openScene(scene, NOW);
    world.settle();
    const kept = [...world.sessions.values()].sort((one, other) => other.updatedAt - one.updatedAt);
    expect(rowsAfter([], eventsOf(scene)).map((row) => [row.title, row.openRequests, row.runStatus])).toEqual(
      kept.map((row) => [row.title, row.openRequests, row.runStatus]),
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

test('what one plan asks stays open in the list when the run of another one is stopped', () => {
  const { world } = openScene('confirm', NOW);
  world.settle();
  const rows = rowsAfter([], [...world.events.values()].flat());
  const row = rows.find((one) => one.openRequests > 0);
  const stopped = {
    kind: 'run_ended',
    status: 'cancelled',
    session: row?.id ?? '',
    run: 'another',
    seq: 9999,
    at: NOW,
  } as const;
  const after = rowsAfter(rows, [stopped]).find((one) => one.id === row?.id);
  expect([row?.openRequests, after?.openRequests]).toEqual([1, 1]);
});
