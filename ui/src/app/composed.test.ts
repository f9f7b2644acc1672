import { beforeEach, expect, test } from 'vitest';
import type { RequestRow } from '../backend/bindings';
import { Composed } from './composed.svelte';

beforeEach(() => localStorage.clear());

const row = (id: string, kind: string) => ({ request: { id, kind } }) as RequestRow;

test('which question a draft answers is there after a restart, and no other one takes its place', () => {
  let waiting = [row('p', 'permit'), row('q1', 'question'), row('q2', 'question')];
  const begin = () => new Composed('s', () => waiting);
  const before = begin();
  before.chosen = 'q2';
  before.words = 'By year';
  const after = begin();
  expect([after.words, after.question?.request.id]).toEqual(['By year', 'q2']);
  // The card that is shown is that of another request: it is the question's all the same.
  after.chosen = 'p';
  expect(after.question?.request.id).toBe('q2');
  after.words = 'By year, please';
  expect(begin().question?.request.id).toBe('q2');
  waiting = [row('p', 'permit'), row('q1', 'question')];
  expect(begin().question).toBe(undefined);
  // Nor where the card of another question is the only one.
  waiting = [row('q1', 'question')];
  expect(begin().question).toBe(undefined);
  after.words = '';
  expect(begin().question?.request.id).toBe('q1');
  expect(Object.keys(localStorage)).toEqual([]);
});
