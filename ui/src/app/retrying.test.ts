import { expect, test, vi } from 'vitest';
import { backendError, BackendError } from '../backend/errors';
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
