import { expect, test } from 'vitest';
import type { EventKind } from '../backend/bindings';
import { openScene } from '../backend/scripted/scenes';
import { countedFor, takenOver } from './ledger';
import { runAt } from './fold';
import type { RunState } from './run';
import { emptySession, sessionAfter } from './session';

/** The newest run of a scene, as it is told, and a way to have more happen in it. */
function told(scene: string) {
  const backend = openScene(scene, 1_700_000_000_000);
  const { world } = backend;
  const row = [...world.runs.values()].at(-1);
  if (!row) throw new Error('the scene has no run');
  const runs = (): ReadonlyMap<string, RunState> =>
    sessionAfter(emptySession, world.events.get(row.session) ?? []).runs;
  const run = () => runs().get(row.id) as RunState;
  const happens = (step: string, ...kinds: EventKind[]) =>
    world.commit({ session: row.session, turn: row.turn ?? '', run: row.id, step }, ...kinds);
  return { backend, world, row, runs, run, happens };
}
const usage = { input: 1, cached: 0, output: 1 };
const replied = (more: object): EventKind => ({
  kind: 'model_replied',
  purpose: 'step',
  model: 'm',
  usage,
  durationMs: 1,
  ...more,
});
const proofs = (run: RunState, step: string) =>
  countedFor(run, step)
    .filter((call) => call.satisfied)
    .map((call) => [call.tool, call.attempt]);

test('what the parts of a step called counts for it, and no longer once it is to be done again', () => {
  const { run, happens } = told('handed');
  const before = run();
  expect(before.calls.filter((call) => call.step === 's1')).toEqual([]);
  expect(countedFor(before, 's1').map((call) => call.tool)).toEqual(['grep', 'ask_user']);
  happens('s1', { kind: 'step_reset' }, { kind: 'step_started', attempt: 2 });
  expect(countedFor(run(), 's1')).toEqual([]);
});

test('an attempt that calls nothing has no proof of the one before it, at no moment of its replay', () => {
  const { run, happens } = told('done');
  const first = run();
  expect(proofs(first, 's1')).toEqual([['grep', 1]]);
  happens(
    's1',
    { kind: 'step_reset' },
    { kind: 'step_started', attempt: 2 },
    replied({ text: { inline: 'I have searched the folder.' } }),
    { kind: 'enforced', missing: ['grep'], attempt: 1 },
    { kind: 'step_ended', status: 'failed', validation: 'failed' },
  );
  const whole = run();
  for (let count = first.trace.length; count <= whole.trace.length; count += 1)
    expect(proofs(runAt(whole, count), 's1')).toEqual(count === first.trace.length ? [['grep', 1]] : []);
  expect(whole.calls.filter((call) => call.step === 's1').map((call) => call.attempt)).toEqual([1]);
  const again = { id: 'again', tool: 'grep', arguments: { inline: {} } };
  happens(
    's1',
    { kind: 'step_reset' },
    { kind: 'step_started', attempt: 3 },
    replied({ calls: [again] }),
    { kind: 'call_started', call: 'again', tool: 'grep' },
    {
      kind: 'call_ended',
      call: 'again',
      status: 'success',
      output: { inline: [] },
      satisfied: true,
      durationMs: 1,
    },
  );
  expect(proofs(run(), 's1')).toEqual([['grep', 3]]);
});

test('a cancelled run proves nothing of a step that was to be done again', () => {
  const { run, happens } = told('done');
  happens('s1', { kind: 'step_reset' });
  expect(proofs(run(), 's1')).toEqual([]);
  happens('s1', { kind: 'run_ended', status: 'cancelled' });
  expect([run().steps.get('s1')?.status, proofs(run(), 's1')]).toEqual(['cancelled', []]);
});

test('a step that was taken over is found in the run that did it, as that stood then, also through another run', async () => {
  const { backend, world, row, runs, happens } = told('done');
  const again = async () => {
    const { id, version } = row.plan;
    await backend.plans.run(world.version({ id, version }).reference, 's4');
    world.settle();
    return [...runs().values()].at(-1) as RunState;
  };
  const second = await again();
  happens('s1', { kind: 'step_reset' }, { kind: 'step_started', attempt: 2 });
  happens('s1', { kind: 'step_ended', status: 'failed', validation: 'failed' });
  const third = await again();
  for (const run of [second, third]) {
    const taken = takenOver(runs(), run);
    expect([...taken.keys()]).toEqual(['s1', 's2', 's3']);
    const from = taken.get('s1');
    expect([from?.from, from?.number]).toEqual([row.id, 1]);
    expect(from?.run && proofs(from.run, 's1')).toEqual([['grep', 1]]);
  }
  const left = new Map([...runs()].filter(([id]) => id !== row.id));
  expect(takenOver(left, third).get('s1')).toEqual({ from: row.id, run: null, number: null });
});
