import { beforeEach, expect, test, vi } from 'vitest';
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

test('what waits in a session that is deleted is not sent into it when its work ends', async () => {
  const { app, backend } = await appOn('running');
  const [plan] = await backend.plans.list();
  const session = await app.attend(plan?.sessionId ?? '');
  const sent = vi.spyOn(backend.messages, 'send');
  session.queue.add('and then this');
  const remove = backend.sessions.delete;
  backend.sessions.delete = async (id) => {
    // As in the engine: what goes on ends, which is told, before the session goes.
    const place = { session: id, run: session.run?.id ?? '' };
    backend.world.commit(place, { kind: 'run_ended', status: 'cancelled' });
    const turn = session.state.turns.at(-1)?.id ?? '';
    backend.world.commit({ session: id, turn }, { kind: 'turn_ended', status: 'cancelled' });
    backend.world.halt(id);
    await Promise.resolve();
    await remove(id);
  };
  expect(session.queue.held).toBe(false);
  expect(await app.delete(session.id)).toBe(true);
  expect(sent).not.toHaveBeenCalled();
});

test('a question goes with its session, and so does how its plan stood', async () => {
  const { app } = await appOn('permit');
  const asked = app.inbox[0]?.session ?? '';
  const others = app.inbox.filter((row) => row.session !== asked);
  expect(app.plansIn.has(asked)).toBe(true);
  expect(await app.delete(asked)).toBe(true);
  await expect.poll(() => app.inbox).toEqual(others);
  await expect.poll(() => app.plansIn.has(asked)).toBe(false);
});

test('who is led to a session that was deleted, as by a notice of the system, comes to what waits for them', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const session = plan?.sessionId ?? '';
  await app.delete(session);
  backend.world.tell({ type: 'show', session });
  await Promise.resolve();
  expect([app.route, app.session, app.error]).toEqual([{ view: 'inbox' }, null, null]);
});
