import { expect, test, vi } from 'vitest';
import type { SavedPlanRow, Suggestion } from '../backend/bindings';
import { HandClock } from './mounted.test-data';
import { Resembling } from './resembling.svelte';

const saved = (id: string): Suggestion => ({
  likeness: 0.9,
  saved: {
    id,
    name: id,
    tags: [],
    title: id,
    message: id,
    outline: [],
    steps: 1,
    savedAt: 0,
    usedAt: null,
    uses: 0,
  } satisfies SavedPlanRow,
});

function looking(answers: (message: string) => Promise<Suggestion[]>) {
  const clock = new HandClock();
  const suggest = vi.fn(answers);
  return { clock, suggest, resembling: new Resembling(suggest, clock) };
}

const LONG = 'Count the lines that mention patents';

test('it is looked once the person pauses, and not for every letter or a few', async () => {
  const { clock, suggest, resembling } = looking(async () => [saved('one')]);
  resembling.look('Count');
  for (let at = 20; at <= LONG.length; at += 1) {
    resembling.look(LONG.slice(0, at));
    clock.pass(100);
  }
  expect(suggest).not.toHaveBeenCalled();
  clock.pass(400);
  await vi.waitFor(() => expect(resembling.offered?.id).toBe('one'));
  expect(suggest.mock.calls).toEqual([[LONG]]);
  resembling.look('Count');
  expect(resembling.offered).toBeNull();
});

test('what is ignored is not offered again until the person begins anew', async () => {
  const { clock, resembling } = looking(async () => [saved('one'), saved('two')]);
  const look = async (words: string, offered: string | undefined) => {
    resembling.look(words);
    clock.pass(400);
    await vi.waitFor(() => expect(resembling.offered?.id).toBe(offered));
  };
  await look(LONG, 'one');
  resembling.ignore();
  expect(resembling.offered).toBeNull();
  await look(`${LONG} again`, 'two');
  resembling.look('');
  await look(LONG, 'one');
});

test('an answer that comes late, or none, offers nothing', async () => {
  let answer: (found: Suggestion[]) => void = () => undefined;
  const { clock, suggest, resembling } = looking(() => new Promise((done) => (answer = done)));
  resembling.look(LONG);
  clock.pass(400);
  resembling.look('');
  answer([saved('one')]);
  await Promise.resolve();
  expect(resembling.offered).toBeNull();
  suggest.mockRejectedValueOnce(new Error('locked'));
  resembling.look(LONG);
  clock.pass(400);
  await Promise.resolve();
  expect(resembling.offered).toBeNull();
});

test.each([
  ['整理归档中的所有许可证', true],
  ['アーカイブを整理', true],
  ['整理它', false],
  ['Hello there', false],
])('a sign that says more than a letter counts for more: %s', async (words, looked) => {
  const { clock, suggest, resembling } = looking(async () => []);
  resembling.look(words);
  clock.pass(400);
  await Promise.resolve();
  expect(suggest.mock.calls.length).toBe(looked ? 1 : 0);
});

test('what is sent is looked for at once; it is known what was answered for, and of whom ignores everything', async () => {
  const { clock, suggest, resembling } = looking(async () => [saved('one')]);
  resembling.look(LONG, true);
  expect(suggest).toHaveBeenCalledExactlyOnceWith(LONG);
  await vi.waitFor(() => expect(resembling.offered?.id).toBe('one'));
  resembling.look(`${LONG} again`);
  expect([resembling.knows(`${LONG} `), resembling.knows(`${LONG} again`)]).toEqual([true, false]);
  clock.pass(400);
  await vi.waitFor(() => expect(resembling.knows(`${LONG} again`)).toBe(true));
  resembling.ignore();
  expect(resembling.knows('Something else that is long')).toBe(true);
});
