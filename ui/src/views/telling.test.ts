import { beforeEach, expect, test } from 'vitest';
import { appOn } from '../app/mounted.test-data';
import { announce, spoken } from '../shared/announce.svelte';
import { Telling } from './telling';

const said = () => ({ ...spoken() });
const later = () => new Promise<void>((done) => setTimeout(done));

beforeEach(async () => {
  announce('nothing');
  announce('nothing', 'assertive');
  await later();
});

async function told(scene: string) {
  const { app, backend, clock } = await appOn(scene);
  const telling = new Telling(app);
  telling.asked(app.inbox);
  app.listen((events) => telling.happened(events));
  const session = app.rows.find((row) => row.title === 'Patents in the licences');
  if (!session) throw new Error('the scene has no such session');
  const happen = async (times?: number) => {
    if (times === undefined) backend.world.settle();
    else for (let at = 0; at < times; at += 1) backend.world.advance();
    await later();
    telling.asked(app.inbox);
  };
  return { app, backend, clock, session, happen };
}

test('steps of the open session are said as they are done, at most once in two seconds, with how far the run is', async () => {
  const { app, backend, clock, session, happen } = await told('running');
  await app.open(session.id);
  app.session?.card([...backend.world.plans.keys()][0] ?? '');
  await later();
  await happen();
  expect(said().polite).toBe('2 of 4 done: Rank the files and draft the table.');
  expect(said().assertive).toMatch(/^Assent asks:/);

  await backend.requests.answer(app.inbox[0]?.request.id ?? '', { type: 'approve' });
  await happen();
  clock.pass(1000);
  expect(said().polite).toBe('2 of 4 done: Rank the files and draft the table.');
  clock.pass(1000);
  expect(said().polite).toBe('4 of 4 done: Write the table to patents.md. Run completed.');
  clock.pass(10_000);
  expect(said().polite).toContain('4 of 4');
});

test('a question of a session that is not shown is said with its session, once, and none that was there at first', async () => {
  const { app, session, happen } = await told('running');
  app.go({ view: 'inbox' });
  expect(said().assertive).toContain('nothing');
  await happen();
  const first = said().assertive;
  expect(first).toMatch(/^In “Patents in the licences”: Assent asks: /);
  expect(session.openRequests).toBe(0);
  announce('something else', 'assertive');
  await app.readInbox();
  await happen();
  expect(said().assertive).toContain('something else');
});

test('the end of a run is said wherever one is: of another session with its title', async () => {
  const { app, backend, session, happen } = await told('running');
  app.go({ view: 'plans' });
  await backend.messages.stop(session.id);
  await happen(0);
  expect(said().polite).toBe('In “Patents in the licences”: Run stopped.');
});
