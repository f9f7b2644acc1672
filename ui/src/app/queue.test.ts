import { beforeEach, expect, test } from 'vitest';
import { openScene } from '../backend/scripted/scenes';
import type { World } from '../backend/scripted/world';
import type { Event, EventKind } from '../backend/bindings';
import { HandClock } from './mounted.test-data';
import { Queue } from './queue.svelte';
import { proposeInstead } from './sent.svelte';
import { OpenSession } from './session.svelte';

beforeEach(() => localStorage.clear());

async function opened(scene: string) {
  const clock = new HandClock();
  const backend = openScene(scene, clock.now());
  const session = [...backend.world.sessions.values()].sort(
    (one, other) => other.updatedAt - one.updatedAt,
  )[0];
  const open = new OpenSession(session?.id ?? '', backend, clock);
  await open.load();
  backend.world.subscribe((signals) => open.hear(signals));
  const messages = () => open.state.turns.map((turn) => turn.message);
  const queued = () => open.queue.waiting.map((one) => one.text);
  /** Everything that is under way is done. */
  const settled = () => new Promise((done) => setTimeout(done));
  return { world: backend.world, backend, open, messages, queued, settled };
}

test('what is written during work is sent when all of it is over, one after the other', async () => {
  const { world, open, messages, queued, settled } = await opened('sample');
  await open.send('Hello');
  open.queue.add('Hello once more');
  open.queue.add('Thanks');
  await settled();
  expect([open.active, messages().slice(1), queued()]).toEqual([
    true,
    ['Hello'],
    ['Hello once more', 'Thanks'],
  ]);
  for (let times = 0; times < 4; times += 1) {
    world.settle();
    await settled();
  }
  expect([messages().slice(1), queued()]).toEqual([['Hello', 'Hello once more', 'Thanks'], []]);
});

test('nothing is sent into a question, a plan or a run that waits for the person', async () => {
  const { world, open, messages, queued, settled } = await opened('question');
  const before = messages().length;
  expect([open.active, open.requests.length]).toEqual([false, 1]);
  open.queue.add('And then this');
  world.tell({ type: 'work', session: open.id, active: false });
  await settled();
  expect([messages().length - before, queued()]).toEqual([0, ['And then this']]);
});

test('a stop holds what waits; sent at once, a message stops the work and goes first', async () => {
  const { world, open, messages, queued, settled } = await opened('sample');
  await open.send('Hello');
  open.queue.add('Thanks');
  await open.stop();
  await settled();
  expect([open.active, open.queue.held, queued()]).toEqual([false, true, ['Thanks']]);
  await open.send('Hello again');
  const urgent = open.queue.add('Hi, rather this');
  await open.queue.steer(urgent);
  await settled();
  expect(messages().slice(1)).toEqual(['Hello', 'Hello again', 'Hi, rather this']);
  expect(queued()).toEqual(['Thanks']);
  world.settle();
  await settled();
  expect(messages().at(-1)).toBe('Thanks');
});

test('what waits is held where what went before it failed, but for what was to go at once', async () => {
  const failures: ((world: World, session: string, turn: string) => void)[] = [
    (world, session, turn) => world.commit({ session, turn }, { kind: 'turn_ended', status: 'failed' }),
    (world, session, turn) => {
      world.commit({ session, turn, run: 'r' }, { kind: 'run_ended', status: 'failed' });
      world.commit({ session, turn }, { kind: 'turn_ended', status: 'failed' });
    },
    (world, session, turn) => {
      world.tell({ type: 'trouble', session, failure: { code: 'internal', message: 'the disk is away' } });
      world.commit({ session, turn }, { kind: 'turn_ended', status: 'cancelled' });
    },
  ];
  for (const fail of failures) {
    localStorage.clear();
    const { world, open, messages, queued, settled } = await opened('sample');
    await open.send('Hello');
    open.queue.add('Thanks');
    open.queue.add('Bye');
    fail(world, open.id, open.state.turns.at(-1)?.id ?? '');
    world.halt(open.id);
    await settled();
    expect([open.active, open.queue.held, queued(), messages().at(-1)]).toEqual([
      false,
      true,
      ['Thanks', 'Bye'],
      'Hello',
    ]);
    // Once a person has sent the first, the others follow.
    await open.queue.steer(open.queue.waiting[0]?.id ?? 0);
    world.settle();
    await settled();
    expect(messages().slice(-2)).toEqual(['Thanks', 'Bye']);
  }
  const { world, open, messages, settled } = await opened('sample');
  await open.send('Hello');
  const stop = open.queue.steer(open.queue.add('Rather this'));
  const turn = open.state.turns.at(-1)?.id ?? '';
  world.commit({ session: open.id, turn }, { kind: 'turn_ended', status: 'failed' });
  await stop;
  await settled();
  expect(messages().at(-1)).toBe('Rather this');
});

test('what waits is held where what went before it was stopped elsewhere, as by another program', async () => {
  const stops: { run?: EventKind[]; turn: 'cancelled' | 'answered' }[] = [
    {
      run: [{ kind: 'run_stop_asked' }, { kind: 'run_ended', status: 'cancelled' }],
      turn: 'cancelled',
    },
    { run: [{ kind: 'run_ended', status: 'cancelled' }], turn: 'answered' },
    // It was over before it was stopped.
    { run: [{ kind: 'run_stop_asked' }, { kind: 'run_ended', status: 'completed' }], turn: 'answered' },
    { turn: 'cancelled' },
  ];
  for (const { run = [], turn: status } of stops) {
    localStorage.clear();
    const { world, open, messages, queued, settled } = await opened('sample');
    await open.send('Hello');
    open.queue.add('Thanks');
    const place = { session: open.id, turn: open.state.turns.at(-1)?.id ?? '' };
    world.commit({ ...place, run: 'r' }, ...run);
    world.commit(place, { kind: 'turn_ended', status });
    world.halt(open.id);
    await settled();
    expect([open.active, open.queue.held, queued(), messages().at(-1)]).toEqual([
      false,
      true,
      ['Thanks'],
      'Hello',
    ]);
  }
});

test('who decides against a plan here, or for another in its stead, has stopped nothing: what waits goes on', async () => {
  const at = async (scene: string) => {
    localStorage.clear();
    const session = await opened(scene);
    const card = session.open.card([...session.open.state.plans.keys()].at(-1) ?? '');
    await card.load();
    session.open.queue.add('Thanks');
    return { ...session, card };
  };
  const rejected = await at('proposed');
  expect(await rejected.card.reject()).toBe(true);
  await rejected.settled();
  expect([rejected.open.queue.held, rejected.messages().at(-1)]).toEqual([false, 'Thanks']);

  // Elsewhere somebody may have meant what waits as well.
  const elsewhere = await at('proposed');
  if (elsewhere.card.view) await elsewhere.backend.plans.reject(elsewhere.card.view.reference);
  await elsewhere.settled();
  expect([elsewhere.open.queue.held, elsewhere.queued()]).toEqual([true, ['Thanks']]);

  const changed = await at('running');
  changed.card.reopen();
  await changed.card.edit({ op: 'set_title', title: 'Another' });
  expect(await changed.card.approve()).toBe(true);
  const runs = () => changed.open.runsOf(changed.card.id).map((run) => run.ended);
  expect([runs()[0], changed.open.queue.held]).toEqual(['cancelled', false]);
  // The run that came after it is another one.
  await changed.settled();
  changed.world.advance();
  const last = changed.open.runsOf(changed.card.id).at(-1);
  expect(runs()).toEqual(['cancelled', null]);
  await changed.backend.runs.cancel(last?.id ?? '');
  expect([runs()[1], changed.open.queue.held]).toEqual(['cancelled', true]);

  localStorage.clear();
  const instead = await opened('kept');
  const [saved] = instead.world.saved.keys();
  await instead.open.send('Count');
  instead.open.queue.add('Thanks');
  expect(await proposeInstead(instead.open, 'use', saved ?? '', 'Count')).toBe(true);
  await instead.settled();
  expect([instead.open.queue.held, instead.queued()]).toEqual([false, ['Thanks']]);
});

test('a decision that was not taken gives nothing up: what is stopped elsewhere then holds what waits', async () => {
  const { open, backend, settled } = await opened('proposed');
  const card = open.card([...open.state.plans.keys()].at(-1) ?? '');
  await card.load();
  open.queue.add('Thanks');
  backend.world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  expect(await card.reject()).toBe(false);
  if (card.view) await backend.plans.reject(card.view.reference);
  await settled();
  expect(open.queue.held).toBe(true);
});

/** A queue in which something waits, and the stop of a turn as it is told. */
function waiting() {
  localStorage.clear();
  const queue = new Queue('queue.e', {
    isQuiet: () => false,
    isBusy: () => true,
    send: async () => true,
    underWay: () => ['t'],
    stop: async () => false,
  });
  const id = queue.add('Thanks');
  const stop = (turn: string) =>
    ({ session: 's', turn, seq: 1, at: 0, kind: 'turn_ended', status: 'cancelled' }) as Event;
  return { queue, id, stop };
}

test('what was given up for something holds nothing when it ends, and what is stopped beside it does', () => {
  const { queue, stop } = waiting();
  queue.giveUp(['t', 'r']);
  queue.heard([stop('t')]);
  expect(queue.held).toBe(false);
  queue.heard([stop('r'), stop('another')]);
  expect(queue.held).toBe(true);
});

test('where what something was given up for did not come about, its end was a stop: before and after', () => {
  const before = waiting();
  const takeBack = before.queue.giveUp(['t']);
  before.queue.heard([before.stop('t')]);
  takeBack();
  expect(before.queue.held).toBe(true);

  const after = waiting();
  after.queue.giveUp(['t'])();
  expect(after.queue.held).toBe(false);
  after.queue.heard([after.stop('t')]);
  expect(after.queue.held).toBe(true);
});

test('who sends another message at once while what goes on is being stopped for one sends that one first', async () => {
  const sent: string[] = [];
  let busy = true;
  let stopped = () => {};
  const stops: string[] = [];
  const queue = new Queue('queue.now', {
    isQuiet: () => false,
    isBusy: () => busy,
    send: async (text) => sent.push(text) > 0,
    underWay: () => ['t'],
    stop: () => {
      stops.push('stop');
      return new Promise((done) => (stopped = () => done(true)));
    },
  });
  const [one, two] = [queue.add('one'), queue.add('two')];
  const first = queue.steer(one);
  await queue.steer(two);
  expect([sent, stops, queue.waiting.map(({ text }) => text)]).toEqual([[], ['stop'], ['two', 'one']]);
  busy = false;
  stopped();
  await first;
  expect([sent, queue.waiting.map(({ text }) => text)]).toEqual([['two'], ['one']]);
});

test('a stop for a message that did not work gives nothing up', async () => {
  const { queue, id, stop } = waiting();
  await queue.steer(id);
  expect(queue.held).toBe(true);
  queue.held = false;
  queue.heard([stop('t')]);
  expect(queue.held).toBe(true);
});

test('who decides against a later version of a plan has given up no run of it: stopped elsewhere, it holds what waits', async () => {
  const { backend, open, settled } = await opened('running');
  const card = open.card([...open.state.plans.keys()].at(-1) ?? '');
  await card.load();
  open.queue.add('Thanks');
  card.reopen();
  await card.edit({ op: 'set_title', title: 'Another' });
  expect(await card.save()).toBe(true);
  expect(await card.reject()).toBe(true);
  expect(open.queue.held).toBe(false);
  await backend.runs.cancel(open.run?.id ?? '');
  await settled();
  expect(open.queue.held).toBe(true);
});

test('a saved plan that could not be proposed in the stead of the one being made has stopped that: what waits is held', async () => {
  const planned = async () => {
    localStorage.clear();
    const session = await opened('kept');
    await session.open.send('Count');
    session.open.queue.add('Thanks');
    const [saved] = session.world.saved.keys();
    const turn = session.open.state.turns.at(-1)?.id ?? '';
    const stop = () =>
      session.world.commit({ session: session.open.id, turn }, { kind: 'turn_ended', status: 'cancelled' });
    return { ...session, stop, instead: () => proposeInstead(session.open, 'use', saved ?? '', 'Count') };
  };
  const away = await planned();
  away.backend.library.use = async () => away.world.fail('not_found', 'it was deleted');
  expect([await away.instead(), away.open.queue.held, away.queued()]).toEqual([false, true, ['Thanks']]);

  // Nothing has ended yet where not even the stop was taken, or where a plan was there in that moment.
  const untaken = await planned();
  untaken.world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  expect([await untaken.instead(), untaken.open.queue.held]).toEqual([false, false]);
  untaken.stop();
  expect(untaken.open.queue.held).toBe(true);

  const there = await planned();
  there.world.settle();
  expect([await there.instead(), there.open.queue.held]).toEqual([true, false]);
  there.stop();
  expect(there.open.queue.held).toBe(true);
});

test('a message that could not be sent is held and not lost; a new start finds what waited', async () => {
  const sent: string[] = [];
  const hooks = {
    isQuiet: () => true,
    isBusy: () => false,
    send: async (text: string) => sent.push(text) > 1,
    underWay: () => [],
    stop: async () => true,
  };
  const queue = new Queue('queue.a', hooks);
  queue.add('one');
  queue.add('two');
  await queue.advance();
  expect([sent, queue.held, queue.waiting.length]).toEqual([['one'], true, 2]);
  const again = new Queue('queue.a', hooks);
  expect([again.waiting.map((one) => one.text), again.held]).toEqual([['one', 'two'], true]);
  await again.advance();
  expect(sent).toEqual(['one']);
  const [first] = again.waiting;
  again.change(first?.id ?? 0, 'one, changed');
  await again.steer(first?.id ?? 0);
  expect([sent, again.waiting]).toEqual([['one', 'one, changed', 'two'], []]);
  expect(new Queue('queue.a', hooks).waiting).toEqual([]);
});

test('a message that is being changed is sent when that is done, as it then reads; one behind it is no hindrance', async () => {
  const sent: string[] = [];
  const hooks = {
    isQuiet: () => true,
    isBusy: () => false,
    send: async (text: string) => sent.push(text) > 0,
    underWay: () => [],
    stop: async () => true,
  };
  const queue = new Queue('queue.c', hooks);
  const [one, two] = [queue.add('one'), queue.add('two')];
  queue.edit(two);
  await queue.advance();
  expect(sent).toEqual(['one']);
  await queue.edited(one, 'not this');
  expect([sent, queue.editing]).toEqual([['one'], two]);
  await queue.edited(two, 'two, changed');
  expect([sent, queue.waiting]).toEqual([['one', 'two, changed'], []]);
  const three = queue.add('three');
  queue.edit(three);
  await queue.advance();
  await queue.edited(three);
  expect(sent.at(-1)).toBe('three');
  const four = queue.add('four');
  queue.edit(four);
  queue.remove(four);
  expect(queue.editing).toBe(null);
});

test('what was to go at once and was taken away, or held after all, has no other message go in its stead', async () => {
  for (const undo of [(queue: Queue, id: number) => queue.remove(id), (queue: Queue) => queue.hold()]) {
    const sent: string[] = [];
    const work = { goesOn: true };
    const queue = new Queue(`queue.d${String(undo)}`, {
      isQuiet: () => false,
      isBusy: () => work.goesOn,
      send: async (text) => sent.push(text) > 0,
      underWay: () => [],
      stop: async () => true,
    });
    const urgent = queue.add('urgent');
    queue.add('for later');
    await queue.steer(urgent);
    undo(queue, urgent);
    // A question is open by now: nothing but what was meant for at once may go into it.
    work.goesOn = false;
    await queue.advance();
    expect(sent).toEqual([]);
    const next = queue.waiting.at(-1)?.id ?? 0;
    await queue.steer(next);
    expect(sent).toEqual(['for later']);
  }
});

test('what is on its way can neither be taken away nor have what it begins stopped; the others can', async () => {
  const stops: string[] = [];
  const sent: string[] = [];
  let taken = (_: boolean) => {};
  const queue = new Queue('queue.f', {
    isQuiet: () => true,
    isBusy: () => true,
    send: (text) => {
      sent.push(text);
      return new Promise((done) => (taken = done));
    },
    underWay: () => [],
    stop: async () => stops.push('stop') > 0,
  });
  const [one, two] = [queue.add('one'), queue.add('two')];
  const sending = queue.advance();
  await queue.steer(one);
  expect([queue.remove(one), queue.waiting.length, stops]).toEqual([false, 2, []]);
  expect([queue.remove(two), queue.waiting.map(({ text }) => text)]).toEqual([true, ['one']]);
  taken(true);
  await sending;
  expect([sent, queue.waiting]).toEqual([['one'], []]);
});

test('a message of which nothing is left is taken away', () => {
  const still = {
    isQuiet: () => false,
    isBusy: () => true,
    send: async () => true,
    underWay: () => [],
    stop: async () => true,
  };
  const queue = new Queue('queue.b', still);
  queue.change(queue.add('one'), ' ');
  expect([queue.waiting, new Queue('queue.b', still).waiting]).toEqual([[], []]);
});

test('what is being written is there after a new start, until it is sent', async () => {
  const { backend, open } = await opened('sample');
  open.composed = 'half a sent';
  const again = new OpenSession(open.id, backend, new HandClock());
  expect(again.composed).toBe('half a sent');
  again.composed = '';
  expect(new OpenSession(open.id, backend, new HandClock()).composed).toBe('');
});
