import { expect, test } from 'vitest';
import type { Event } from '../backend/bindings';
import { openScene } from '../backend/scripted/scenes';
import { emptySession, sessionAfter } from '../model/session';
import { soughtIn, turnOf } from './sought';

const NOW = 1_700_000_000_000;

/** A session with a plan and what its last events make of it. */
function session(later: (first: { turn: string; plan: { id: string; version: number } }) => object[]) {
  const backend = openScene('done', NOW);
  backend.world.settle();
  const [id, events] = [...backend.world.events].sort((one, other) => other[1].length - one[1].length)[0] ?? [
    '',
    [],
  ];
  const before = sessionAfter(emptySession, events);
  const plan = [...before.plans.values()][0]?.versions.at(-1)?.plan ?? { id: '', version: 0 };
  const more = later({ turn: before.turns[0]?.id ?? '', plan }).map((event, at) => ({
    session: id,
    at: NOW,
    seq: before.seq + 1 + at,
    ...event,
  }));
  return { backend, before, plan, state: sessionAfter(before, more as Event[]) };
}

test('a comment stands at its plan and step, whatever was said since', async () => {
  const { backend, before, plan, state } = session(({ plan }) => [
    { kind: 'message_received', turn: 'later', text: 'Something else' },
    { kind: 'commented', plan, on: 's2', text: 'Use June only' },
    { kind: 'commented', plan, text: 'As a table' },
  ]);
  const place = { plan: plan.id, run: null, version: null };
  expect(await soughtIn(state, backend, before.seq + 2, 'June')).toEqual({ ...place, step: 's2' });
  expect(await soughtIn(state, backend, before.seq + 3, 'table')).toEqual({ ...place, step: null });
});

test('what was said with a decision stands at its plan, in the version that it decided', async () => {
  const { backend, before, plan, state } = session(({ plan }) => [
    { kind: 'plan_rejected', plan, reason: 'In euros' },
    { kind: 'plan_proposed', plan: { ...plan, version: plan.version + 1 } },
    { kind: 'plan_approved', plan: { ...plan, version: plan.version + 1 }, by: 'user', note: 'Only June' },
  ]);
  const place = { plan: plan.id, run: null, step: null };
  expect(await soughtIn(state, backend, before.seq + 1, 'euros')).toEqual({
    ...place,
    version: plan.version,
  });
  expect(await soughtIn(state, backend, before.seq + 3, 'June')).toEqual({ ...place, version: null });
});

test('a step that was handed on leads to the part that has the words', async () => {
  const { backend, before, plan, state } = session(({ plan }) => [
    { kind: 'run_queued', run: 'another', plan },
    {
      ...{ kind: 'step_delegated', run: 'another', step: 's1', summary: 'In parts.' },
      steps: [
        { id: 's1.1', description: 'Read the sales', input: { context: {} } },
        { id: 's1.2', description: 'Sum up', instructions: 'In metric units', input: { context: {} } },
      ],
    },
  ]);
  const place = { plan: plan.id, run: 'another', version: null };
  expect(await soughtIn(state, backend, before.seq + 2, 'metric')).toEqual({ ...place, step: 's1.2' });
  expect(await soughtIn(state, backend, before.seq + 2, 'parts')).toEqual({ ...place, step: 's1' });
});

test('an answer that came late stands in its own turn, everything else in the one that had begun', () => {
  const { before, state } = session(({ turn }) => [
    { kind: 'message_received', turn: 'later', text: 'Something else' },
    { kind: 'answered', turn, text: { inline: 'Done at last.' } },
  ]);
  const places = [1, 2, 3].map((after) => turnOf(state.turns, before.seq + after));
  const last = { turn: state.turns.length - 1, said: 'message' };
  expect(places).toEqual([last, { turn: 0, said: 'answer' }, last]);
});
