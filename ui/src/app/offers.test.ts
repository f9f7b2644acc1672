import { expect, test } from 'vitest';
import type { SentRequest } from '../backend/bindings';
import { openScene } from '../backend/scripted/scenes';
import { emptySession, sessionAfter } from '../model/session';
import { Offers } from './offers.svelte';

async function opened() {
  const backend = openScene('discovery', 1_700_000_000_000);
  const [row] = await backend.plans.list();
  const session = row?.sessionId ?? '';
  const state = sessionAfter(emptySession, backend.world.events.get(session) ?? []);
  const run = [...state.runs.values()][0] ?? null;
  const plan = row ? (await backend.plans.get(row.id)).plan : null;
  const offers = new Offers(session, backend);
  return { backend, session, state, run, plan, offers };
}

test("the newest request that tells of tools is a planner's until a run asks", async () => {
  const { state, run, plan, offers } = await opened();
  await offers.look(state, null, null);
  expect([offers.newest?.purpose, offers.newest?.run]).toEqual(['plan', null]);
  await offers.look(state, run, plan);
  expect([offers.newest?.purpose, offers.newest?.run, offers.newest?.step]).toEqual(['step', run?.id, 's2']);
});

test('a request that tells of none, or cannot be had any more, leaves the one before it', async () => {
  const { backend, state, run, plan, offers } = await opened();
  const { sent } = backend.runs;
  backend.runs.sent = async (session, seq) => {
    const answer = await sent(session, seq);
    if (answer.purpose === 'step') throw new Error('the templates have changed');
    return answer;
  };
  await offers.look(state, run, plan);
  expect(offers.newest?.purpose).toBe('plan');
  backend.runs.sent = async (session, seq): Promise<SentRequest> => ({
    ...(await sent(session, seq)),
    told: [],
    leftOut: [],
  });
  await offers.look(state, run, plan);
  expect(offers.newest).toBe(null);
});

test('what an older look finds does not take the place of what a newer one found', async () => {
  const { backend, state, run, plan, offers } = await opened();
  const { sent } = backend.runs;
  let answer = () => {};
  const waits = new Promise<void>((done) => (answer = done));
  backend.runs.sent = async (session, seq) => {
    await waits;
    return sent(session, seq);
  };
  const older = offers.look(state, run, plan);
  backend.runs.sent = sent;
  await offers.look(state, null, null);
  answer();
  await older;
  expect(offers.newest?.purpose).toBe('plan');
});
