import { beforeEach, expect, test } from 'vitest';
import { keep, readKept } from './kept';
import { appOn } from './mounted.test-data';

beforeEach(() => localStorage.clear());

test('what was written and not sent goes with its session, and nothing of another one', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const gone = plan?.sessionId ?? '';
  const other = await backend.sessions.create('/home/ada');
  const names = [`composed.${gone}`, `queue.${gone}`, `plan.${plan?.id}`];
  for (const name of [...names, `composed.${other.id}`, 'new']) keep(name, 'written');
  expect(await app.delete(gone)).toBe(true);
  await expect.poll(() => names.map(readKept)).toEqual([null, null, null]);
  expect([readKept(`composed.${other.id}`), readKept('new')]).toEqual(['written', 'written']);
});
