import { expect, test } from 'vitest';
import type { EventKind } from '../../backend/bindings';
import { openScene } from '../../backend/scripted/scenes';
import { takenOver } from '../../model/ledger';
import { outlineOf } from '../../model/outline';
import type { RunState } from '../../model/run';
import { emptySession, sessionAfter } from '../../model/session';
import { linesOf } from './lines';

/** The ledger of the newest run of a scene, as it is told. */
function told(scene: string) {
  const backend = openScene(scene, 1_700_000_000_000);
  const { world } = backend;
  const [row] = [...world.runs.values()];
  if (!row) throw new Error('the scene has no run');
  const runs = (): ReadonlyMap<string, RunState> =>
    sessionAfter(emptySession, world.events.get(row.session) ?? []).runs;
  const ledger = (all = runs()) => {
    const run = [...runs().values()].at(-1) as RunState;
    const outline = outlineOf(world.version(run.plan).plan, run);
    return linesOf(outline, run, takenOver(all, run)).map((line) =>
      [line.state, line.call?.tool ?? line.words, line.right].filter(Boolean).join(' | '),
    );
  };
  const happens = (step: string, ...kinds: EventKind[]) =>
    world.commit({ session: row.session, turn: row.turn ?? '', run: row.id, step }, ...kinds);
  return { backend, world, row, runs, ledger, happens };
}
const REST = [
  'none | step 2 needs no tool',
  'completed | displayConfirmation | by you',
  'completed | create_file | 12 ms',
];

test('the attempts of a step are told apart, and what one called is not counted for the next', () => {
  const { ledger, happens } = told('done');
  expect(ledger()).toEqual(['completed | grep | 184 ms', ...REST]);
  const before = 'completed | grep | attempt 1 · 184 ms';
  happens('s1', { kind: 'step_reset' });
  expect(ledger()).toEqual([before, 'pending | grep | step 1', ...REST]);
  happens('s1', { kind: 'step_started', attempt: 2 });
  expect(ledger()).toEqual([before, 'pending | grep | step 1', ...REST]);
  happens('s1', { kind: 'step_ended', status: 'failed', validation: 'failed' });
  expect(ledger()).toEqual([before, 'failed | grep | step 1', ...REST]);
});

test('what was called for parts of an attempt that was given up stands at the end, as of an earlier one', () => {
  const { ledger, happens } = told('handed');
  const parts = ledger().filter((one) => one.includes('| grep |'));
  expect(parts).toEqual(['completed | grep | 184 ms']);
  happens('s1', { kind: 'step_reset' }, { kind: 'step_started', attempt: 2 });
  expect(ledger()[0]).toBe('pending | grep | step 1');
  expect(ledger()).toContain('completed | grep | earlier attempt');
});

test('steps that were taken over hold what the run called that did them, by a run from a step on and by a new version', async () => {
  const { backend, world, row, runs, ledger } = told('done');
  const taken = [
    'completed | grep | run 1 · 184 ms',
    'none | step 2 needs no tool',
    'completed | displayConfirmation | run 1 · by you',
  ];
  await backend.plans.run(world.version(row.plan).reference, 's4');
  world.settle();
  expect(ledger()).toEqual([...taken, 'completed | create_file | 12 ms']);
  const description = 'Write the table to table.md';
  await backend.plans.edit(row.plan.id, 1, [{ op: 'set_description', step: 's4', description }]);
  const { reference } = await backend.plans.get(row.plan.id);
  await backend.plans.approve(reference);
  world.settle();
  expect([...runs().values()].at(-1)?.plan.version).toBe(2);
  expect(ledger()).toEqual([...taken, 'completed | create_file | 12 ms']);
  const left = new Map([...runs()].filter(([id]) => id !== row.id));
  expect(ledger(left)).toEqual([
    'completed | grep | proven in an earlier run that is no longer there',
    'none | step 2 needs no tool',
    'completed | displayConfirmation | proven in an earlier run that is no longer there',
    'completed | create_file | 12 ms',
  ]);
});
