import { expect, test } from 'vitest';
import { openScene } from '../backend/scripted/scenes';
import { Card } from './card.svelte';
import type { Clock } from './clock';

const NOW = 1_700_000_000_000;

/** Time that passes when a test says so. */
function handClock(): Clock & { pass: () => void } {
  const due = new Set<() => void>();
  return {
    now: () => NOW,
    every: () => () => undefined,
    after: (_ms, act) => {
      due.add(act);
      return () => due.delete(act);
    },
    pass: () => {
      for (const act of [...due]) act();
      due.clear();
    },
  };
}

async function opened() {
  const backend = openScene('proposed', NOW);
  const clock = handClock();
  const [plan] = await backend.plans.list();
  const card = new Card(plan?.id ?? '', backend, clock);
  await card.load();
  return { backend, clock, card };
}

test('changes made one after the other build on each other, and are kept as a draft that another card finds', async () => {
  const { backend, clock, card } = await opened();
  void card.edit({ op: 'set_title', title: 'First' });
  void card.edit({ op: 'remove_step', step: 's4' });
  await card.edit({ op: 'set_task', refinedTask: 'Only count' });
  expect([card.document?.title, card.document?.steps.length, card.document?.refinedTask, card.dirty]).toEqual(
    ['First', 3, 'Only count', true],
  );
  expect(card.check?.effects.writes).toEqual([]);
  clock.pass();
  const other = new Card(card.id, backend, clock);
  await other.load();
  expect([other.document?.title, other.dirty]).toEqual(['First', true]);
});

test('a refused change says why at its step, and approving saves and approves exactly what is shown', async () => {
  const { backend, card } = await opened();
  await card.edit({ op: 'move_step', step: 's3', to: 0 });
  expect([card.draft?.refused?.step, card.dirty]).toEqual(['s3', false]);
  await card.edit({ op: 'set_title', title: 'Another' });
  expect(card.draft?.refused).toBe(null);
  expect(await card.approve('with care')).toBe(true);
  const versions = await backend.plans.history(card.id);
  expect(versions.map((version) => [version.plan.version, version.status])).toEqual([
    [1, 'superseded'],
    [2, 'approved'],
  ]);
  expect([card.view?.plan.title, card.dirty, card.deciding]).toEqual(['Another', false, null]);
});

test('what does not hold cannot be saved, and nothing that was written is lost', async () => {
  const { card } = await opened();
  await card.edit({ op: 'set_required_tools', step: 's1', requiredTools: ['wc'] });
  expect(card.check?.faults.map((fault) => fault.message)).toEqual(['there is no tool wc']);
  expect(await card.approve()).toBe(false);
  expect([card.error?.code, card.dirty, card.document?.steps[0]?.requiredTools]).toEqual([
    'plan_faults',
    true,
    ['wc'],
  ]);
});

test('what could not be saved is kept as a draft like any other change, also where the window goes at once', async () => {
  const title = 'Mine';
  for (const end of ['flushed while it is saved', 'flushed after', 'left alone']) {
    const { backend, clock, card } = await opened();
    backend.plans.save = () => Promise.reject(new Error('the file is locked'));
    await card.edit({ op: 'set_title', title });
    const approved = card.approve();
    if (end === 'flushed while it is saved') card.flush();
    expect(await approved).toBe(false);
    if (end === 'flushed after') card.flush();
    if (end === 'left alone') clock.pass();
    await expect
      .poll(async () => [end, (await backend.plans.draft(card.id))?.plan.title])
      .toEqual([end, title]);
    expect([card.dirty, card.error?.message]).toEqual([true, 'the file is locked']);
  }
});

test('a change, one taken back and one made again each ask the engine once, for all that is shown of it', async () => {
  const { backend, card } = await opened();
  const asked: string[] = [];
  for (const [name, call] of Object.entries(backend.plans)) {
    const plans = backend.plans as unknown as Record<string, unknown>;
    plans[name] = (...args: unknown[]) => {
      asked.push(name);
      return (call as (...given: unknown[]) => unknown)(...args);
    };
  }
  const shown = () => [card.check?.effects.writes.length, card.adds?.removed.map((step) => step.id)];
  await card.edit({ op: 'remove_step', step: 's4' });
  expect([asked.splice(0), ...shown()]).toEqual([['apply'], 0, ['s4']]);
  await card.undo();
  expect([asked.splice(0), ...shown()]).toEqual([['apply'], 1, []]);
  await card.redo();
  expect([asked.splice(0), ...shown()]).toEqual([['apply'], 0, ['s4']]);
});

test('a second decision while one is made does nothing', async () => {
  const { backend, card } = await opened();
  const [first, second] = await Promise.all([card.approve(), card.approve()]);
  expect([first, second]).toEqual([true, false]);
  const events = [...backend.world.events.values()].flat().filter((event) => event.kind === 'plan_approved');
  expect(events).toHaveLength(1);
});

test('an approval that was asked for with a change waits for the next word when the change was refused', async () => {
  const { backend, card } = await opened();
  const edit = card.edit({ op: 'move_step', step: 's3', to: 0 });
  expect(await card.approve()).toBe(false);
  await edit;
  const statuses = async () => (await backend.plans.history(card.id)).map((version) => version.status);
  expect([card.draft?.refused?.step, card.deciding, await statuses()]).toEqual(['s3', null, ['proposed']]);
  backend.world.failures.push({ code: 'not_found', message: 'the engine is away' });
  void card.edit({ op: 'set_title', title: 'Another' });
  expect(await card.approve()).toBe(false);
  expect([card.error?.message, await statuses()]).toEqual(['the engine is away', ['proposed']]);
  // Its field shows it still.
  card.give = () => void card.edit({ op: 'set_title', title: 'Another' });
  backend.world.failures.push({ code: 'not_found', message: 'the engine is still away' });
  expect(await card.approve()).toBe(false);
  expect([card.error?.message, await statuses()]).toEqual(['the engine is still away', ['proposed']]);
  expect(await card.approve()).toBe(true);
  expect([card.view?.plan.title, await statuses()]).toEqual(['Another', ['superseded', 'approved']]);
});

test('a list that is changed twice before the first change was made has both changes', async () => {
  const { card } = await opened();
  const require = (name: string) =>
    card.edit(({ steps: [step] }) => ({
      op: 'set_required_tools',
      step: 's1',
      requiredTools: [...(step?.requiredTools ?? []), name],
    }));
  const before = card.document?.steps[0]?.requiredTools ?? [];
  expect(await Promise.all([require('read'), require('bash')])).toEqual([true, true]);
  expect(card.document?.steps[0]?.requiredTools).toEqual([...before, 'read', 'bash']);
});

test('another version that comes while changes are not saved takes nothing away; saving makes the next one', async () => {
  const { backend, clock, card } = await opened();
  await card.edit({ op: 'remove_step', step: 's4' });
  clock.pass();
  await backend.plans.edit(card.id, 1, [{ op: 'set_title', title: 'From elsewhere' }]);
  backend.world.drafts.set(card.id, { plan: card.document as never, updatedAt: NOW });
  await card.load();
  expect([card.overtaken, card.document?.steps.length, card.view?.plan.version]).toEqual([true, 3, 2]);
  const other = new Card(card.id, backend, clock);
  await other.load();
  expect([other.overtaken, other.document?.steps.length]).toEqual([true, 3]);
  expect(await card.save()).toBe(true);
  expect([card.overtaken, card.dirty, card.view?.plan.version, card.document?.steps.length]).toEqual([
    false,
    false,
    3,
    3,
  ]);
});

test('a draft of an earlier version goes with its last change: what is approved then is the version that is shown', async () => {
  const backs = {
    'taken back': (card: Card) => card.undo(),
    'written back': async (card: Card, title: string) => void (await card.edit({ op: 'set_title', title })),
  };
  for (const back of Object.values(backs)) {
    const { backend, clock, card } = await opened();
    const before = card.document?.title ?? '';
    await card.edit({ op: 'set_title', title: 'Mine' });
    clock.pass();
    await backend.plans.edit(card.id, 1, [{ op: 'remove_step', step: 's4' }]);
    await card.load();
    expect([card.overtaken, card.document?.version]).toEqual([true, 1]);
    await back(card, before);
    expect([card.dirty, card.document?.version, card.document?.steps.length]).toEqual([false, 2, 3]);
    expect([card.check?.effects.writes, card.adds]).toEqual([[], null]);
    clock.pass();
    expect(await backend.plans.draft(card.id)).toBe(null);
    expect(await card.approve()).toBe(true);
    const versions = await backend.plans.history(card.id);
    expect(versions.map((version) => version.status)).toEqual(['superseded', 'approved']);
  }
});

test('words that are refused outlast another version as unsaved changes do, until they stand nowhere any more', async () => {
  const ways = {
    mended: async (card: Card) => {
      await card.edit({ op: 'set_description', step: 's1', description: 'Look' });
      expect([card.overtaken, card.dirty, card.document?.version]).toEqual([true, true, 1]);
      expect(await card.approve()).toBe(true);
      expect([card.view?.plan.version, card.view?.plan.steps[0]?.description]).toEqual([3, 'Look']);
    },
    dropped: async (card: Card) => {
      await card.discard();
      expect([card.overtaken, card.draft, card.document?.version]).toEqual([false, null, 2]);
    },
    forgiven: async (card: Card) => {
      card.forgiven();
      expect([card.overtaken, card.draft, card.document?.version]).toEqual([false, null, 2]);
    },
    'read again': async (card: Card) => {
      await card.load();
      expect([card.overtaken, card.draft?.refused ?? null, card.document?.version]).toEqual([false, null, 2]);
    },
    decided: async (card: Card, status: () => Promise<string | undefined>) => {
      expect([await card.approve(), card.error?.code, await status()]).toEqual([
        false,
        'plan_changed',
        'proposed',
      ]);
      expect([card.overtaken, card.document?.version]).toEqual([false, 2]);
    },
  };
  for (const [way, goes] of Object.entries(ways)) {
    const { backend, card } = await opened();
    const status = async () => (await backend.plans.history(card.id)).at(-1)?.status;
    card.give = () => void card.edit({ op: 'set_description', step: 's1', description: '' });
    await backend.plans.edit(card.id, 1, [
      { op: 'set_description', step: 's1', description: 'Theirs' },
      { op: 'set_title', title: 'Theirs' },
    ]);
    // However often it is read.
    for (let times = 0; times < 2; times += 1) {
      await card.load();
      expect([way, card.view?.plan.version, card.document?.version, card.overtaken]).toEqual([
        way,
        2,
        1,
        true,
      ]);
      expect(card.draft?.refused?.step).toBe('s1');
    }
    expect([await card.approve(), card.error, await status()]).toEqual([false, null, 'proposed']);
    card.give = () => undefined;
    await goes(card, status);
  }
});

test('a move that was refused is no words: another version is shown as soon as it is there', async () => {
  const { backend, card } = await opened();
  await card.edit({ op: 'move_step', step: 's3', to: 0 });
  await backend.plans.edit(card.id, 1, [{ op: 'set_title', title: 'Theirs' }]);
  await card.load();
  expect([card.overtaken, card.draft, card.document?.title]).toEqual([false, null, 'Theirs']);
});

test('a decision is about the version that was shown when it was made, and about none that came before it had its turn', async () => {
  const decisions = {
    approve: (card: Card) => card.approve(),
    later: (card: Card) => card.approveForLater(),
    save: (card: Card) => card.save(),
    reject: (card: Card) => card.reject(),
  };
  for (const decide of Object.values(decisions)) {
    const { backend, card } = await opened();
    let release = () => {};
    card.hold(new Promise((done) => (release = done)));
    const edited = card.edit({ op: 'set_task', refinedTask: 'Only count' });
    const decided = decide(card);
    await backend.plans.edit(card.id, 1, [{ op: 'set_title', title: 'The second' }]);
    await card.load();
    release();
    await edited;
    expect([await decided, card.error?.code, card.document?.title]).toEqual([
      false,
      'plan_changed',
      'The second',
    ]);
    const versions = await backend.plans.history(card.id);
    expect(versions.map((version) => version.status)).not.toContain('approved');
    expect(versions).toHaveLength(2);
  }
});

test('an older answer about a plan never takes the place of a newer one', async () => {
  const backend = openScene('proposed', NOW);
  const [plan] = await backend.plans.list();
  const id = plan?.id ?? '';
  const waiting: (() => void)[] = [];
  let slow = false;
  const get: typeof backend.plans.get = async (of, version) => {
    const read = await backend.plans.get(of, version);
    if (slow) {
      slow = false;
      await new Promise<void>((answer) => waiting.push(answer));
    }
    return read;
  };
  const card = new Card(id, { ...backend, plans: { ...backend.plans, get } }, handClock());
  slow = true;
  const first = card.load();
  await expect.poll(() => waiting.length).toBe(1);
  await backend.plans.edit(id, 1, [{ op: 'set_title', title: 'The second' }]);
  const second = card.load();
  await new Promise((done) => setTimeout(done));
  for (const answer of waiting) answer();
  await Promise.all([first, second]);
  expect([card.view?.plan.version, card.document?.title]).toEqual([2, 'The second']);
});

test('a plan that is planned anew stays as it is until the new one is there', async () => {
  const { backend, card } = await opened();
  const status = async () => (await backend.plans.history(card.id)).map((version) => version.status);
  backend.world.offline = true;
  expect(await card.again('in French')).toBe(true);
  backend.world.settle();
  expect(await status()).toEqual(['proposed']);
  backend.world.offline = false;
  await card.again('in French');
  backend.world.advance();
  expect([card.renewing, await status()]).toEqual([true, ['proposed']]);
  backend.world.settle();
  expect([await status(), (await backend.plans.list()).length]).toEqual([['rejected'], 2]);
});

test('a version that is changed after it was decided about is changed until the next one is there', async () => {
  const { backend, card } = await opened();
  const before = card.view?.reference;
  if (!before) throw new Error('the card is loaded');
  await backend.plans.approveForLater(before);
  card.reopen();
  expect(card.reopened).toBe(true);
  await backend.plans.edit(before.id, before.version, [{ op: 'set_title', title: 'Another title' }]);
  await card.load();
  expect([card.view?.plan.version, card.reopened]).toEqual([2, false]);
});

test('changes that were thrown away can be had again, unless another version came meanwhile', async () => {
  const { backend, clock, card } = await opened();
  await card.edit({ op: 'set_title', title: 'Another' });
  clock.pass();
  await card.discard();
  expect([card.dirty, card.document?.title === 'Another', card.check?.faults]).toEqual([false, false, []]);
  expect(await backend.plans.draft(card.id)).toBe(null);
  await card.undo();
  clock.pass();
  await card.load();
  expect([card.dirty, card.document?.title]).toEqual([true, 'Another']);
  const other = new Card(card.id, backend, clock);
  await other.load();
  expect(other.document?.title).toBe('Another');
});

test('what went wrong with an act stays told while the plan is read once more; what reading brought goes with it', async () => {
  const { backend, card } = await opened();
  backend.world.failures.push({ code: 'disk_full', message: 'the disk is full' });
  expect(await card.approve()).toBe(false);
  await card.load();
  expect(card.error?.message).toBe('the disk is full');
  const { backend: other, card: read } = await opened();
  other.world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  await read.load();
  expect(read.error?.message).toBe('the file is locked');
  other.world.failures.length = 0;
  await read.load();
  expect(read.error).toBe(null);
});

test('what is changed while something is pressed is changed once that is let go, and before what the press decides', async () => {
  const { card } = await opened();
  let release = () => {};
  card.hold(new Promise((done) => (release = done)));
  const edited = card.edit({ op: 'set_title', title: 'Mine' });
  await new Promise((done) => setTimeout(done));
  expect([card.dirty, card.draft]).toEqual([false, null]);
  const approved = card.approve();
  release();
  await edited;
  expect([await approved, card.view?.plan.title, card.view?.plan.version]).toEqual([true, 'Mine', 2]);
});

test('what could not be kept is told whatever is read meanwhile, until it is kept when that is tried again', async () => {
  const { backend, clock, card } = await opened();
  await card.edit({ op: 'set_title', title: 'Another' });
  const { keepDraft } = backend.plans;
  backend.plans.keepDraft = async () => backend.world.fail('disk_full', 'the disk is full');
  clock.pass();
  await expect.poll(() => card.error?.message).toBe('the disk is full');
  await card.load();
  expect([card.error?.message, card.unread]).toEqual(['the disk is full', true]);
  backend.plans.keepDraft = keepDraft;
  await card.retry();
  await expect.poll(() => card.error).toBe(null);
  expect((await backend.plans.draft(card.id))?.plan.title).toBe('Another');
});
