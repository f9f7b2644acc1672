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
