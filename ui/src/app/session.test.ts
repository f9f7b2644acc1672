import { beforeEach, expect, test, vi } from 'vitest';
import type { SessionId } from '../backend/bindings';
import { openScene } from '../backend/scripted/scenes';
import { scriptedBackend, type ScriptedBackend } from '../backend/scripted';
import { quiet } from '../model/live';
import { App } from './app.svelte';
import type { Clock } from './clock';
import { OpenSession } from './session.svelte';
import { settle } from './settling';

beforeEach(() => localStorage.clear());

const NOW = 1_700_000_000_000;
const stillClock: Clock = { now: () => NOW, every: () => () => undefined, after: () => () => undefined };

/** A backend whose list of events is answered when the test says so, as it was when it was asked for. */
function held(backend: ScriptedBackend) {
  const waiting: (() => void)[] = [];
  const events = async (id: SessionId, after: number) => {
    const read = await backend.sessions.events(id, after);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return read;
  };
  const answer = async () => {
    while (waiting.length === 0) await Promise.resolve();
    waiting.shift()?.();
  };
  return { backend: { ...backend, sessions: { ...backend.sessions, events } }, answer };
}

async function created() {
  const scripted = scriptedBackend(NOW);
  const { id } = await scripted.sessions.create('/home/me/work');
  const { backend, answer } = held(scripted);
  const session = new OpenSession(id, backend, stillClock);
  const say = (text: string, turn: string) =>
    scripted.world.commit({ session: id, turn }, { kind: 'message_received', text });
  const told = () => session.state.turns.map((turn) => turn.message);
  return { world: scripted.world, id, session, answer, say, told };
}

test('an event told while the session loads is shown', async () => {
  const { world, session, answer, say, told } = await created();
  say('first', 't1');
  world.subscribe((signals) => session.hear(signals));
  const loaded = session.load();
  await Promise.resolve();
  say('second', 't2');
  await answer();
  await loaded;
  expect([told(), session.loading]).toEqual([['first', 'second'], false]);
});

test('a session that is opened while an answer is written shows it from its beginning', async () => {
  const { world, id, session, answer, say } = await created();
  say('first', 't1');
  const piece = (text: string) =>
    world.tell({ type: 'planning', session: id, turn: 't1', progress: { type: 'answer', text } });
  piece('The ');
  world.subscribe((signals) => session.hear(signals));
  piece('whole ');
  const loaded = session.load();
  await answer();
  await loaded;
  piece('answer.');
  expect(session.live.planning.get('t1')?.answer).toBe('The whole answer.');
});

test('after a gap nothing is lost, though more is told before the gap is read', async () => {
  const { world, id, session, answer, say, told } = await created();
  const first = session.load();
  await answer();
  await first;
  session.hear([{ type: 'planning', session: id, turn: 't1', progress: { type: 'title', text: 'A plan' } }]);
  say('left out', 't1');
  session.hear([{ type: 'behind', after: 1 }]);
  expect(session.live).toEqual(quiet);
  const stop = world.subscribe((signals) => session.hear(signals));
  say('told at once', 't2');
  stop();
  say('left out too', 't3');
  session.hear([{ type: 'behind', after: 1 }]);
  world.subscribe((signals) => session.hear(signals));
  say('last', 't4');
  await answer();
  await answer();
  await expect.poll(told).toEqual(['left out', 'told at once', 'left out too', 'last']);
});

test('after a reading that failed the next event has the whole read', async () => {
  const { world, session, answer, say, told } = await created();
  say('first', 't1');
  world.failures.push({ code: 'not_found', message: 'the disk is away' });
  await session.load();
  expect([session.error?.message, told()]).toEqual(['the disk is away', []]);
  world.subscribe((signals) => session.hear(signals));
  say('second', 't2');
  await answer();
  await expect.poll(told).toEqual(['first', 'second']);
});

test('a session whose reading failed is read again when it is opened again, and no more once it was read', async () => {
  const backend = openScene('proposed', NOW);
  const [plan] = await backend.plans.list();
  const id = plan?.sessionId ?? '';
  let reads = 0;
  const events: typeof backend.sessions.events = (of, after) => {
    reads += 1;
    return backend.sessions.events(of, after);
  };
  const app = new App({ ...backend, sessions: { ...backend.sessions, events } }, stillClock);
  await app.start();
  backend.world.failures.push({ code: 'database_locked', message: 'the disk is away' });
  await app.open(id);
  expect([app.session?.unread, app.session?.state.turns, app.session?.error?.message]).toEqual([
    true,
    [],
    'the disk is away',
  ]);
  app.go({ view: 'inbox' });
  await app.open(id);
  expect([app.session?.unread, app.session?.state.turns.length, app.session?.error]).toEqual([
    false,
    1,
    null,
  ]);
  await app.open(id);
  expect(reads).toBe(2);
});

test('what was read first does not undo what happened while it was read', async () => {
  const backend = openScene('sample', NOW);
  const [row] = await backend.sessions.list({ archived: true, limit: 0, offset: 0 });
  const id = row?.id ?? '';
  const happens = () => backend.world.commit({ session: id }, { kind: 'session_renamed', title: 'New name' });
  let reads = 0;
  const list: typeof backend.sessions.list = async (filter) => {
    reads += 1;
    return backend.sessions.list(filter);
  };
  const open: typeof backend.open = async (listener) => {
    const first = await backend.open(listener);
    happens();
    return first;
  };
  const app = new App({ ...backend, open, sessions: { ...backend.sessions, list } }, stillClock);
  await app.start();
  expect([app.rows.find((one) => one.id === id)?.title, reads]).toEqual(['New name', 1]);
});

test('trouble that is told along with a gap stays told when the gap is read; what a reading failed with goes with the next', async () => {
  const { world, id, session, answer, say, told } = await created();
  const shown = () => [session.error?.message, session.unread];
  const first = session.load();
  await answer();
  await first;
  say('left out', 't1');
  const trouble = { code: 'disk_full', message: 'the disk is full' } as const;
  session.hear([
    { type: 'behind', after: 1 },
    { type: 'trouble', session: id, failure: trouble },
  ]);
  await answer();
  await expect.poll(told).toEqual(['left out']);
  expect(shown()).toEqual(['the disk is full', false]);
  // Nor does a reading that fails take its place; it can be tried again all the same.
  world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  await session.load();
  expect(shown()).toEqual(['the disk is full', true]);
  session.error = null;
  world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  await session.load();
  expect(shown()).toEqual(['the file is locked', true]);
  const last = session.load();
  await answer();
  await last;
  expect(shown()).toEqual([undefined, false]);
});

test('one thing is sent at a time: a second one is refused, and what waits to be sent goes after it', async () => {
  const backend = openScene('sample', NOW);
  const { id } = await backend.sessions.create('/home/me/work');
  const sent: string[] = [];
  let taken = () => {};
  backend.messages.send = (_, text) => {
    sent.push(text);
    return new Promise((done) => (taken = done));
  };
  const session = new OpenSession(id, backend, stillClock);
  await session.load();
  const first = session.send('one');
  expect([await session.send('two', true), session.sent.unlooked, session.sending]).toEqual([
    false,
    'one',
    true,
  ]);
  const steered = session.queue.steer(session.queue.add('three'));
  await new Promise((done) => setTimeout(done));
  expect(sent).toEqual(['one']);
  taken();
  expect(await first).toBe(true);
  await expect.poll(() => sent).toEqual(['one', 'three']);
  taken();
  await steered;
  expect([session.queue.waiting, session.queue.held, session.sending]).toEqual([[], false, false]);
});

test('a first message that was not accepted stays in the composer', async () => {
  const backend = openScene('sample', NOW);
  const send: typeof backend.messages.send = async () =>
    backend.world.fail('not_found', 'the engine is away');
  const messages = { ...backend.messages, send };
  const app = new App({ ...backend, messages }, stillClock);
  await app.start();
  app.workspace = '/home/me/work';
  await app.begin('Count the files');
  expect([app.route.view, app.session?.composed, app.session?.error?.message]).toEqual([
    'session',
    'Count the files',
    'the engine is away',
  ]);
  messages.send = backend.messages.send;
  expect(await app.session?.send(app.session.composed)).toBe(true);
  await app.begin('Count them again');
  expect(app.session?.composed).toBe('');
});

test('an answer that was begun is there again when its session is opened again', async () => {
  const backend = openScene('question', NOW);
  const [row] = await backend.requests.open();
  const [id, request] = [row?.session ?? '', row?.request.id ?? ''];
  await backend.requests.keepDraft(request, { text: 'the second' });
  const first = new OpenSession(id, backend, stillClock);
  await first.load();
  expect(first.requests.map((one) => one.draft)).toEqual([{ text: 'the second' }]);
  first.drafted(request, { text: 'the second one', other: true });
  await first.load();
  expect(first.requests.map((one) => one.draft)).toEqual([{ text: 'the second one', other: true }]);
});

test('a click on a notification leads to its session, and the inbox is shown when it is chosen in the tray', async () => {
  const backend = openScene('question', NOW);
  const app = new App(backend, stillClock);
  await app.start();
  const session = app.inbox[0]?.session ?? '';
  backend.world.tell({ type: 'show_inbox' });
  expect(app.route).toEqual({ view: 'inbox' });
  backend.world.tell({ type: 'show', session });
  expect(app.route).toEqual({ view: 'session', id: session });
});

test('who changes the plan at a limit finds its card open for changes; stopping there leaves it as it is', async () => {
  for (const [value, open] of [
    ['change the plan', true],
    ['stop here', false],
  ] as const) {
    const app = new App(openScene('capped', NOW), stillClock);
    await app.start();
    const [row] = app.inbox;
    if (!row) throw new Error('the scene asks something');
    await app.open(row.session);
    const session = app.session as OpenSession;
    const [plan] = [...session.state.plans.keys()];
    const card = session.card(plan ?? '');
    await card.load();
    expect(card.reopened).toBe(false);
    expect(await settle(app, session, row, { type: 'value', value })).toBe(true);
    expect(card.reopened).toBe(open);
  }
});

test('who changes the plan at a limit from the inbox is led to its chat, where its card is open for changes', async () => {
  const app = new App(openScene('capped', NOW), stillClock);
  await app.start();
  app.go({ view: 'inbox' });
  const [row] = app.inbox;
  if (!row) throw new Error('the scene asks something');
  expect(await settle(app, { error: null }, row, { type: 'value', value: 'change the plan' })).toBe(true);
  const { session } = app;
  const [plan] = [...(session?.state.plans.keys() ?? [])];
  const card = session?.card(plan ?? '');
  expect([app.route, card?.reopened, card?.folded, session?.revealed]).toEqual([
    { view: 'session', id: row.session },
    true,
    false,
    { turn: 0 },
  ]);
});

test('a run that another program carries on is said to be, waits for no message and can be stopped from here', async () => {
  const backend = openScene('elsewhere', NOW);
  const { world } = backend;
  const [going] = [...world.runs.values()].filter((run) => run.status === 'running');
  const session = new OpenSession(going?.session ?? '', backend, stillClock);
  world.subscribe((signals) => session.hear(signals));
  await session.load();
  expect([session.active, session.working, session.holder]).toEqual([false, false, null]);
  await session.lookWhoCarries();
  expect([session.working, session.holder]).toEqual([true, 'another']);
  session.queue.add('The next one');
  await session.queue.advance();
  expect(session.queue.waiting.map((one) => one.text)).toEqual(['The next one']);
  await session.stop();
  expect([world.runs.get(going?.id ?? '')?.status, session.working]).toEqual(['cancelled', false]);
  // Without another look: the run has told that it is over.
  expect(session.holder).toBeNull();
});

test('that nobody carries a run on is told at the second look, and no more once it goes on here', async () => {
  const backend = openScene('abandoned', NOW);
  const { world } = backend;
  const [going] = [...world.runs.values()].filter((run) => run.status === 'running');
  const session = new OpenSession(going?.session ?? '', backend, stillClock);
  await session.load();
  const told: unknown[] = [];
  for (let looks = 0; looks < 3; looks += 1) {
    await session.lookWhoCarries();
    told.push(session.holder);
  }
  expect(told).toEqual([null, 'nobody', 'nobody']);
  expect(session.working).toBe(false);
  session.hear([{ type: 'work', session: session.id, active: true }]);
  expect(session.holder).toBeNull();
});

test('what waits is not sent while a plan is being decided about, and goes when nothing came of that', async () => {
  const backend = openScene('done', NOW);
  const [plan] = await backend.plans.list();
  const session = new OpenSession(plan?.sessionId ?? '', backend, stillClock);
  backend.world.subscribe((signals) => session.hear(signals));
  await session.load();
  const card = session.card(plan?.id ?? '');
  await card.load();
  card.reopen();
  await card.edit({ op: 'set_title', title: 'Another' });
  backend.world.silent = true;
  const decided = card.approve();
  session.queue.add('Thanks');
  const sent = vi.spyOn(backend.messages, 'send');
  void session.queue.advance();
  expect(sent).not.toHaveBeenCalled();
  backend.world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  backend.world.speak();
  expect(await decided).toBe(false);
  await expect.poll(() => session.state.turns.at(-1)?.message).toBe('Thanks');
});
