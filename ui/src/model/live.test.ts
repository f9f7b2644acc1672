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

test('what is told from its beginning takes the place of all that was heard, and goes on from there', () => {
  const at = { ...place, run: 'r', step: 's1' };
  const piece = (text: string, step = 's1'): Signal => ({ type: 'text', ...at, step, kind: 'text', text });
  const answer = (text: string): Signal => ({
    type: 'planning',
    ...place,
    progress: { type: 'answer', text },
  });
  const call = (text: string): Signal => ({ type: 'call', ...at, call: 'c', text });
  const loading: Signal = { type: 'loading', state: 'loading', elapsedMs: 10 };
  const pieces = [answer('The '), piece('Two lines'), call('1 of 7\n')];
  const whole: Signal = { type: 'under_way', session: 'a', pieces };
  const heard = hear(piece(' lines'), piece('elsewhere', 's2'), whole, piece('.'), call('2 of 7\n'));
  expect([...heard.texts]).toEqual([['r/s1', { text: 'Two lines.', thought: '' }]]);
  expect(heard.planning.get('t')?.answer).toBe('The ');
  expect(heard.calls.get('c')).toBe('1 of 7\n2 of 7\n');
  const none: Signal = { type: 'under_way', session: 'a', pieces: [] };
  expect(hear(loading, none).loading).toMatchObject({ elapsedMs: 10 });
});

test('a model that writes, or whose work is over, is not being loaded any more', () => {
  const loading: Signal = { type: 'loading', state: 'loading', elapsedMs: 5000 };
  const failed: Signal = {
    type: 'committed',
    event: {
      seq: 1,
      at: 0,
      ...place,
      kind: 'model_failed',
      purpose: 'plan',
      model: 'm',
      error: 'no file',
      retrying: false,
    },
  };
  const ends: Signal[] = [
    { type: 'loading', state: 'ready', elapsedMs: 6000 },
    { type: 'loading', state: 'ended', elapsedMs: 0 },
    { type: 'work', session: 'a', active: false },
    { type: 'planning', ...place, progress: { type: 'thought', text: 'hm' } },
    { type: 'text', ...place, kind: 'text', text: 'One' },
    failed,
  ];
  expect(hear(loading).loading).not.toBeNull();
  expect(ends.map((end) => hear(loading, end).loading)).toEqual(ends.map(() => null));
});

test('nothing is being written in a session in which nothing goes on', () => {
  const piece: Signal = { type: 'text', ...place, kind: 'text', text: 'One' };
  const work = (active: boolean): Signal => ({ type: 'work', session: 'a', active });
  expect(hear(piece, work(true)).texts.size).toBe(1);
  expect(hear(piece, work(false)).texts.size).toBe(0);
});
