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
  const { app, happen } = await told('running');
  app.go({ view: 'inbox' });
  expect(said().assertive).toContain('nothing');
  await happen();
  const first = said().assertive;
  expect(first).toMatch(/^In “Patents in the licences”: Assent asks: /);
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

/** A session without a plan, and what is said once a message in it has come to something. */
async function sent(words: string, from: 'here' | 'elsewhere') {
  await later();
  const { app, backend, clock, happen } = await told('proposed');
  const { id } = await app.create('/home/ada');
  await app.rename(id, 'Mine');
  if (from === 'here') await app.open(id);
  else app.go({ view: 'plans' });
  await backend.messages.send(id, words);
  const passes = async () => {
    await happen();
    clock.pass(5000);
    await later();
  };
  await passes();
  return { app, backend, passes, id, polite: said().polite };
}

test('a plan that waits is said wherever one is, once: of another session with its title', async () => {
  const waits = 'A plan with 4 steps waits for your word.';
  const here = await sent('Which licences mention patents?', 'here');
  expect(here.polite).toBe(`${waits} Ctrl+Enter approves it.`);
  const elsewhere = await sent('Which licences mention patents?', 'elsewhere');
  expect(elsewhere.polite).toBe(`In “Mine”: ${waits}`);
});

test('of a plan nothing is said that waits for nobody, that is a person’s own or has a step planned anew', async () => {
  const { app, backend, passes, id } = await sent('Which licences mention patents?', 'here');
  const [plan] = await backend.plans.list(id);
  if (!plan) throw new Error('nothing was planned');
  await later();
  announce('nothing');
  await later();
  // A window that was opened since has not heard of the plan.
  const anew = new Telling(app);
  app.listen((events) => anew.happened(events));
  const change = { op: 'set_title', title: 'Another' } as const;
  const { id: of, version } = await backend.plans.edit(plan.id, plan.version, [change]);
  await passes();
  const { reference } = await backend.plans.get(of, version);
  await backend.plans.rework(reference, plan.steps[0]?.id ?? '', 'more slowly');
  await passes();
  expect((await backend.plans.history(of)).length).toBe(3);

  const turn = backend.world.id('turn');
  const next = { ...reference, id: 'at once' };
  const [, stored] = backend.world.versions(of);
  if (stored) backend.world.plans.set(next.id, [{ ...stored, reference: next, status: 'proposed' }]);
  backend.world.commit({ session: id, turn }, { kind: 'plan_proposed', plan: next });
  backend.world.commit({ session: id, turn }, { kind: 'plan_approved', plan: next, by: 'policy' });
  await passes();
  expect(said().polite).toBe('nothing');
});

test('an answer is said wherever one is; where a run has ended with it, that is said', async () => {
  const here = await sent('Hello', 'here');
  expect(here.polite).toBe('Assent has answered.');
  const elsewhere = await sent('Hello', 'elsewhere');
  expect(elsewhere.polite).toBe('In “Mine”: Assent has answered.');
  const { app, backend, session, clock, happen } = await told('running');
  await app.open(session.id);
  await happen();
  await backend.requests.answer(app.inbox[0]?.request.id ?? '', { type: 'approve' });
  await happen();
  clock.pass(10_000);
  expect(said().polite).toMatch(/Run completed\.$/);
});

test('why a run failed is said with its end, and what its turn warns of where that is in sight', async () => {
  const { app, backend, clock, session } = await told('running');
  await app.open(session.id);
  const { world } = backend;
  const [run] = [...world.runs.values()];
  const turn = app.session?.state.turns.at(-1)?.id ?? '';
  const at = { session: session.id, turn };
  clock.pass(10_000);
  world.commit(at, { kind: 'warned', message: 'The planner left a step out.' });
  await later();
  expect(said().polite).toContain('The planner left a step out.');
  clock.pass(10_000);
  world.commit({ ...at, run: run?.id ?? '' }, { kind: 'run_ended', status: 'failed' });
  await later();
  expect(said().polite).toContain('Run failed.');
  world.commit(at, { kind: 'turn_ended', status: 'failed', error: 'the disk is full' });
  clock.pass(10_000);
  await later();
  expect(said().polite).toContain('the disk is full');
  app.go({ view: 'inbox' });
  world.commit(at, { kind: 'warned', message: 'Unseen.' });
  clock.pass(10_000);
  await later();
  expect(said().polite).not.toContain('Unseen');
});

test('a message that fails is said where its session is in sight; elsewhere the window tells of it', async () => {
  const { app, backend, clock, happen } = await told('proposed');
  const { id } = await app.create('/home/ada');
  await app.open(id);
  backend.world.offline = true;
  await backend.messages.send(id, 'Which licences mention patents?');
  await happen();
  expect(said().polite).toMatch(/^This request failed: No model can be reached.*[^.]\.$/);
  expect(app.troubles.all).toEqual([]);

  clock.pass(10_000);
  announce('nothing');
  app.go({ view: 'inbox' });
  await backend.messages.send(id, 'Which licences mention patents?');
  await happen();
  clock.pass(10_000);
  expect(said().polite).not.toContain('failed');
  expect(app.troubles.all).toHaveLength(1);
});

test('a message that is stopped before it came to anything is said; a plan that is rejected stops nothing', async () => {
  const { app, backend, session, clock, happen } = await told('proposed');
  await app.open(session.id);
  const [version] = [...backend.world.plans.values()].flat();
  if (!version) throw new Error('the scene has no plan');
  await backend.plans.reject(version.reference, 'not needed');
  await happen();
  expect(said().polite).toContain('nothing');
  await backend.messages.send(session.id, 'Which licences mention patents?');
  await backend.messages.stopPlanning(session.id);
  await happen(0);
  expect(said().polite).toBe('Stopped.');
  clock.pass(10_000);
});

test('steps of the open session are said with it while one is elsewhere in the window', async () => {
  const { app, backend, session, happen } = await told('running');
  await app.open(session.id);
  app.session?.card([...backend.world.plans.keys()][0] ?? '');
  await later();
  app.go({ view: 'settings', part: 'models' });
  await happen();
  expect(said().polite).toBe(
    'In “Patents in the licences”: 2 of 4 done: Rank the files and draft the table.',
  );
});
