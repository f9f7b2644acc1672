import { expect, test } from 'vitest';
import type { Signal } from '../backend/bindings';
import { liveAfter, quiet, type Live } from './live';

const place = { session: 'a', turn: 't' };
const hear = (...signals: Signal[]) => signals.reduce<Live>(liveAfter, quiet);

test('a plan grows step by step, begins anew when the planner is asked again, and is gone once it is proposed', () => {
  const title: Signal = { type: 'planning', ...place, progress: { type: 'title', text: 'Count' } };
  const step: Signal = {
    type: 'planning',
    ...place,
    progress: { type: 'step', index: 0, description: 'Search', tool: 'grep' },
  };
  const again: Signal = { type: 'planning', ...place, progress: { type: 'again' } };
  expect(hear(title, step).planning.get('t')).toMatchObject({
    title: 'Count',
    steps: [{ description: 'Search' }],
  });
  expect(hear(title, step, again).planning.get('t')).toMatchObject({ title: '', steps: [] });
  const proposed: Signal = {
    type: 'committed',
    event: { seq: 1, at: 0, ...place, kind: 'plan_proposed', plan: { id: 'p', version: 1, digest: '' } },
  };
  expect(hear(title, step, proposed).planning.size).toBe(0);
});

test('text belongs to its place, is void when the model is asked once more, and ends with its event', () => {
  const piece = (text: string, step?: string): Signal => ({
    type: 'text',
    ...place,
    ...(step && { run: 'r', step }),
    kind: 'text',
    text,
  });
  const live = hear(piece('one '), piece('two'), piece('elsewhere', 's1'));
  expect([live.texts.get('t')?.text, live.texts.get('r/s1')?.text]).toEqual(['one two', 'elsewhere']);
  expect(hear(piece('one'), { type: 'again', ...place, reason: 'offline' }).texts.size).toBe(0);
  const answered: Signal = {
    type: 'committed',
    event: { seq: 1, at: 0, ...place, kind: 'answered', text: { inline: 'one two' } },
  };
  expect([...hear(piece('one two'), piece('x', 's1'), answered).texts.keys()]).toEqual(['r/s1']);
});

test('what is heard from the middle on says so, until the model is asked once more or the next event of its place', () => {
  const at = { ...place, run: 'r', step: 's1' };
  const piece: Signal = { type: 'text', ...at, kind: 'text', text: 'half' };
  const half: Signal = { type: 'planning', ...place, progress: { type: 'answer', text: 'half' } };
  const title: Signal = { type: 'planning', ...place, progress: { type: 'title', text: 'Count' } };
  const again: Signal = { type: 'planning', ...place, progress: { type: 'again' } };
  const told = (event: object): Signal => ({
    type: 'committed',
    event: { seq: 1, at: 0, ...place, ...event } as never,
  });
  const step = (live: Live) => live.texts.get('r/s1')?.late;
  const plan = (live: Live) => live.planning.get('t')?.late;
  expect([step(hear(piece)), plan(hear(half)), plan(hear(title))]).toEqual([true, true, false]);
  expect(plan(hear(half, again, half))).toBe(false);
  expect(plan(hear(told({ kind: 'message_received', text: 'Hello' }), half))).toBe(false);
  const began = told({ run: 'r', step: 's1', kind: 'step_started', attempt: 1 });
  expect(step(hear(began, piece))).toBe(false);
  expect(step(hear(told({ run: 'r', step: 's2', kind: 'step_started', attempt: 1 }), piece))).toBe(true);
  const replied = told({ run: 'r', step: 's1', kind: 'model_replied', purpose: 'step' });
  expect(step(hear(piece, replied, piece))).toBe(false);
  expect(step(hear(piece, { type: 'again', ...at, reason: 'offline' }, piece))).toBe(false);
  // The answer of a run is written after its last step.
  const answer: Signal = { type: 'text', ...place, run: 'r', kind: 'text', text: 'The table' };
  expect([hear(answer), hear(began, answer)].map((live) => live.texts.get('t')?.late)).toEqual([true, false]);
});
