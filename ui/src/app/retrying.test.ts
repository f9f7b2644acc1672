import { expect, test, vi } from 'vitest';
import { backendError, BackendError } from '../backend/errors';
import { dismiss } from './attempt';
import { appOn } from './mounted.test-data';

const away = () => new BackendError({ code: 'database_locked', message: 'another program holds it' });

/** A question comes while what waits cannot be read, so many times. */
async function asked(times: number) {
  const { app, backend, clock } = await appOn('question');
  const [row] = app.inbox;
  if (!row) throw new Error('the scene asks something');
  app.inbox = [];
  const open = vi.spyOn(backend.requests, 'open');
  for (let time = 0; time < times; time += 1) open.mockRejectedValueOnce(away());
  backend.world.commit({ session: row.session }, { kind: 'request_opened', request: row.request });
  await expect.poll(() => app.error?.message).toBe('another program holds it');
  return { app, backend, clock, open, id: row.request.id };
}

test('what waits could not be read: that is told until it is, whatever else is read, and it is read again by itself', async () => {
  const { app, clock, id } = await asked(1);
  await app.readStandings();
  await app.readModels();
  expect([app.error?.message, app.inbox]).toEqual(['another program holds it', []]);
  clock.pass(2000);
  await expect.poll(() => app.inbox.map((row) => row.request.id)).toContain(id);
  expect(app.error).toBe(null);
});

test('what fails again and again is read less and less often, and does not cover what else was told since', async () => {
  const { app, clock, open, id } = await asked(3);
  const other = backendError(new Error('it could not be renamed'));
  app.error = other;
  const reads = async (ms: number) => {
    clock.pass(ms);
    await new Promise((done) => setTimeout(done));
    return open.mock.calls.length;
  };
  expect([await reads(2000), await reads(2000), await reads(2000)]).toEqual([2, 2, 3]);
  expect([app.error.message, app.inbox]).toEqual([other.message, []]);
  expect([await reads(8000), await reads(60_000)]).toEqual([4, 4]);
  expect(app.inbox.map((row) => row.request.id)).toContain(id);
});

test('of two readings that failed the one that is done leaves the other one told', async () => {
  const { app, backend } = await appOn('sample');
  vi.spyOn(backend.requests, 'open').mockRejectedValueOnce(away());
  vi.spyOn(backend.plans, 'standings').mockRejectedValueOnce(
    new BackendError({ code: 'internal', message: 'the disk is away' }),
  );
  await app.readInbox();
  await app.readStandings();
  expect(app.error?.message).toBe('the disk is away');
  await app.readStandings();
  expect(app.error?.message).toBe('another program holds it');
  await app.readInbox();
  expect(app.error).toBe(null);
});

test('what was dismissed is told no more while it fails as before, and once more when it fails otherwise or anew', async () => {
  const { app, clock, open } = await asked(2);
  const said: (string | undefined)[] = [];
  const next = async (ms: number) => {
    clock.pass(ms);
    await new Promise((done) => setTimeout(done));
    said.push(app.error?.message);
  };
  dismiss(app);
  await next(2000);
  open.mockRejectedValueOnce(new BackendError({ code: 'internal', message: 'the disk is away' }));
  await next(4000);
  dismiss(app);
  await next(8000);
  open.mockRejectedValueOnce(away());
  await app.readInbox();
  said.push(app.error?.message);
  expect(said).toEqual([undefined, 'the disk is away', undefined, 'another program holds it']);
});

test('what is dismissed leaves what was not seen, and what nobody tries again is not told once more', async () => {
  const { app } = await asked(1);
  await app.beside(() => Promise.reject(new Error('it could not be kept')), 'draft');
  expect(app.error?.message).toBe('it could not be kept');
  dismiss(app);
  expect(app.error?.message).toBe('another program holds it');
  await app.beside(() => Promise.reject(new Error('nor this')), 'another draft');
  expect(await app.try(() => Promise.resolve())).toBe(true);
  await app.readInbox();
  expect(app.error).toBe(null);
});

test('what could not be kept of a plan is told no more once its changes are thrown away', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const card = (await app.attend(plan?.sessionId ?? '')).card(plan?.id ?? '');
  await card.load();
  const keepDraft = vi.spyOn(backend.plans, 'keepDraft').mockRejectedValueOnce(away());
  await card.edit({ op: 'set_title', title: 'Mine' });
  card.flush();
  await expect.poll(() => card.error?.message).toBe('another program holds it');
  await card.discard();
  expect([card.error, keepDraft.mock.calls.at(-1)?.[1]]).toEqual([null, null]);
  const get = vi.spyOn(backend.plans, 'get').mockRejectedValueOnce(new Error('the disk is away'));
  await card.load();
  await card.load();
  expect([card.error, get.mock.calls.length]).toEqual([null, 2]);
});
