import { beforeEach, expect, test } from 'vitest';
import { openScene } from '../backend/scripted/scenes';
import { another, HandClock } from './mounted.test-data';
import { OpenSession } from './session.svelte';

beforeEach(() => localStorage.clear());

/** A session in which a run goes on, with a plan that waits beside it. */
async function beside() {
  const clock = new HandClock();
  const backend = openScene('running', clock.now());
  const { world } = backend;
  const [run] = [...world.runs.values()].filter(({ status }) => status === 'running');
  const { plan } = world.version(run?.plan ?? { id: '' });
  const { id } = another(backend, plan, 'Beside it');
  const session = new OpenSession(plan.sessionId, backend, clock);
  world.subscribe((signals) => session.hear(signals));
  await session.load();
  const card = session.card(id);
  await card.load();
  const trouble = (of = session.id) =>
    world.tell({ type: 'trouble', session: of, failure: { code: 'plan_state', message: 'no step came' } });
  const version = async () => {
    await card.load();
    return card.view?.plan.version;
  };
  return { backend, world, session, card, trouble, version };
}

test('a step is planned anew until the next version is there, whatever goes on after that', async () => {
  const { world, session, card, version } = await beside();
  await card.rework('s1', 'the longest first');
  await card.load();
  expect(card.reworking).toBe('s1');
  while ((await version()) === 1) world.advance();
  expect([card.reworking, session.active]).toEqual([null, true]);
});

test('a step of which nothing came is planned anew no more, whatever goes on; trouble of another session says nothing of that', async () => {
  const { session, card, trouble } = await beside();
  await card.rework('s1', 'the longest first');
  trouble('another');
  expect(card.reworking).toBe('s1');
  trouble();
  expect([card.reworking, session.active]).toEqual([null, true]);
});

test('what is over before it is known to have begun was planned anew: by what came of it, or as nothing did', async () => {
  for (const ends of ['failed', 'came'] as const) {
    const { backend, session, card, trouble } = await beside();
    const { rework } = backend.plans;
    backend.plans.rework = async (...given) => {
      await rework(...given);
      if (ends === 'failed') return trouble();
      await backend.plans.edit(card.id, 1, [{ op: 'set_title', title: 'The second' }]);
      await card.load();
    };
    expect(await card.rework('s1', 'the longest first')).toBe(true);
    expect([ends, card.reworking, session.active]).toEqual([ends, null, true]);
  }
});

test('another plan is being made until its turn has one, or has ended without; the end of another turn is not that', async () => {
  for (const end of ['failed', 'cancelled', 'plan'] as const) {
    const { world, session, card } = await beside();
    await card.again('in French');
    const turn = session.state.turns.at(-1)?.id ?? '';
    const of = (id: string) => ({ session: session.id, turn: id });
    world.commit(of('earlier'), { kind: 'turn_ended', status: 'answered' });
    expect([card.renewing, session.active]).toEqual([true, true]);
    if (end === 'plan')
      world.commit(of(turn), { kind: 'plan_proposed', plan: { id: card.id, version: 1, digest: '' } });
    else world.commit(of(turn), { kind: 'turn_ended', status: end });
    expect([end, card.renewing, session.active]).toEqual([end, false, true]);
  }
});

test('once nothing goes on in the session, nothing is said to be planned anew in it', async () => {
  const { world, session, card } = await beside();
  await card.again('in French');
  await card.rework('s1', 'the longest first');
  expect([card.renewing, card.reworking]).toEqual([true, 's1']);
  world.halt(session.id);
  expect([card.renewing, card.reworking]).toEqual([false, null]);
});
