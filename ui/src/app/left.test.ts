import { expect, test } from 'vitest';
import type { SessionRow } from '../backend/bindings';
import { LeftRuns } from './left.svelte';
import { appOn } from './mounted.test-data';

async function opened(scene: string) {
  const { app, backend, clock } = await appOn(scene);
  const row = () => app.rows.find((one) => one.runStatus === 'running') as SessionRow;
  return { app, backend, clock, row, left: new LeftRuns(app) };
}

test('nobody carries a run on where that is so at two looks, a moment apart, until somebody does', async () => {
  const { app, backend, clock, row, left } = await opened('abandoned');
  await left.look();
  expect(left.has(row())).toBe(false);
  // However often it is looked meanwhile, also at once: whoever asks while it is looked has that done again.
  clock.pass(600);
  await Promise.all([left.look(), left.look()]);
  expect(left.has(row())).toBe(false);
  clock.pass(400);
  await expect.poll(() => left.has(row())).toBe(true);
  backend.world.elsewhere = true;
  await left.look();
  expect(left.has(row())).toBe(false);
  backend.world.elsewhere = false;
  await left.look();
  await left.look();
  expect(left.has(row())).toBe(false);
  clock.pass(1000);
  await expect.poll(() => left.has(row())).toBe(true);
  backend.world.tell({ type: 'work', session: row().id, active: true });
  expect([app.active.has(row().id), left.has(row())]).toEqual([true, false]);
});

test('a run that another program carries on, and one of which that cannot be told, is left by nobody', async () => {
  const { backend, clock, row, left } = await opened('elsewhere');
  await left.look();
  clock.pass(1000);
  await left.look();
  expect(left.has(row())).toBe(false);
  backend.world.elsewhere = false;
  backend.runs.isCarriedOn = () => Promise.reject(new Error('the disk is away'));
  await left.look();
  clock.pass(1000);
  await left.look();
  expect(left.has(row())).toBe(false);
});

test('of runs that are over, wait for a person or are worked on here nobody is asked', async () => {
  const { backend, left } = await opened('question');
  let asked = 0;
  backend.runs.isCarriedOn = async () => (asked += 1) > 0;
  await left.look();
  expect(asked).toBe(0);
});
