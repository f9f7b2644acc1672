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

/** What another process does: it deletes a session, of which this window is told nothing. */
async function deletedElsewhere() {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const session = plan?.sessionId ?? '';
  keep(`composed.${session}`, 'written');
  backend.world.sessions.delete(session);
  backend.world.events.delete(session);
  backend.world.plans.clear();
  const listed = () => app.rows.some((row) => row.id === session);
  return { app, session, listed };
}

test('a session that is opened after another program has deleted it is gone like one that was deleted here', async () => {
  const { app, session, listed } = await deletedElsewhere();
  expect(listed()).toBe(true);
  await app.open(session);
  expect([listed(), app.session, app.route, app.error]).toEqual([false, null, { view: 'new' }, null]);
  await expect.poll(() => readKept(`composed.${session}`)).toBe(null);
  await expect.poll(() => app.plansIn.has(session)).toBe(false);
  await app.open(session);
  expect(app.route, 'it is known now').toEqual({ view: 'inbox' });
});

test('who deletes a session that another program has deleted has deleted it', async () => {
  const { app, session, listed } = await deletedElsewhere();
  expect(await app.delete(session)).toBe(true);
  expect([listed(), app.error]).toEqual([false, null]);
});

test('a session that cannot be deleted stays, and why is told', async () => {
  const { app, backend } = await appOn('proposed');
  const session = app.rows[0]?.id ?? '';
  backend.world.failures.push({ code: 'internal', message: 'the disk is away' });
  expect(await app.delete(session)).toBe(false);
  expect([app.rows[0]?.id, app.error?.message]).toEqual([session, 'the disk is away']);
});

test('a session that cannot be read for another reason is not gone', async () => {
  const { app, backend } = await appOn('proposed');
  const session = app.rows[0]?.id ?? '';
  backend.world.failures.push({ code: 'internal', message: 'the disk is away' });
  await app.open(session);
  expect([app.rows[0]?.id, app.session?.error?.message]).toEqual([session, 'the disk is away']);
});
