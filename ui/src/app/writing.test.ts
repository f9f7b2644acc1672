import { beforeEach, expect, test } from 'vitest';
import { Writing } from './writing.svelte';

beforeEach(() => localStorage.clear());

test('what was begun is there again in another window, and what was sent or closed is not', () => {
  const first = new Writing('plan.a');
  first.open('comment:s1');
  first.write('comment:s1', 'Only the newest');
  first.open('note:reject');
  first.write('note:reject', 'Too much');
  first.open('add:end');
  const again = new Writing('plan.a');
  expect([again.of('comment:s1'), again.of('note:reject')]).toEqual(['Only the newest', 'Too much']);
  expect(again.isOpen('add:end')).toBe(false);
  expect(new Writing('plan.b').isOpen('comment:s1')).toBe(false);
  again.sent('comment:s1', 'Only the newest');
  again.close('note:reject');
  const third = new Writing('plan.a');
  expect([third.isOpen('comment:s1'), third.isOpen('note:reject')]).toEqual([false, false]);
});

test('a field that was closed has its words when it is opened again, one that was sent has none', () => {
  const writing = new Writing('plan.a');
  writing.open('comment:s1');
  writing.write('comment:s1', 'Only the newest');
  writing.close('comment:s1');
  writing.open('comment:s1');
  expect(writing.of('comment:s1')).toBe('Only the newest');
  writing.sent('comment:s1', 'Only the newest');
  writing.open('comment:s1');
  expect(writing.of('comment:s1')).toBe('');
});

test('what is written while other words are sent stays, and is still there in another window', () => {
  const writing = new Writing('plan.a');
  writing.open('comment:s1');
  writing.write('comment:s1', 'Only the newest ');
  writing.write('comment:s1', 'Only the newest, and by date');
  expect(writing.sent('comment:s1', 'Only the newest')).toBe(false);
  expect(new Writing('plan.a').of('comment:s1')).toBe('Only the newest, and by date');
  expect(writing.sent('comment:s1', 'Only the newest, and by date')).toBe(true);
  expect(writing.isOpen('comment:s1')).toBe(false);
});

test('a field that was closed while its words were sent is empty when it is opened again', () => {
  const writing = new Writing('plan.a');
  writing.open('comment:s1');
  writing.write('comment:s1', 'Only the newest ');
  writing.close('comment:s1');
  expect(writing.sent('comment:s1', 'Only the newest')).toBe(false);
  writing.open('comment:s1');
  expect(writing.of('comment:s1')).toBe('');
});

test('only the field that was just opened takes the focus, and once', () => {
  const writing = new Writing('plan.a');
  writing.open('comment:s1');
  expect([writing.takesFocus('comment:s1'), writing.takesFocus('comment:s1')]).toEqual([true, false]);
  writing.write('comment:s1', 'x');
  expect(new Writing('plan.a').takesFocus('comment:s1')).toBe(false);
});

test('what was kept by something else is no reason to fail', () => {
  for (const kept of ['{', '5', '[1, ["a"], ["b", 2], [["c"], "d"]]', '{"a": "b"}']) {
    localStorage.setItem('assent.plan.a', kept);
    const writing = new Writing('plan.a');
    expect(writing.isOpen('comment:b')).toBe(false);
    writing.open('comment:s1');
  }
});
