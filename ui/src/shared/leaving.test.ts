import { beforeEach, expect, test } from 'vitest';
import { isOther, showsTaken, takeShown, takeWritten } from './leaving';

let told: string[] = [];
const field = (id: string) => document.getElementById(id) as HTMLInputElement | HTMLTextAreaElement;

beforeEach(() => {
  told = [];
  document.body.innerHTML = '<textarea id="tall"></textarea><input id="line"><input id="free">';
  for (const id of ['tall', 'line']) field(id).dataset['taken'] = ' One\r\ntwo ';
  field('tall').value = ' One\r\ntwo ';
  field('line').value = ' One\r\ntwo ';
  for (const one of document.querySelectorAll('input, textarea'))
    one.addEventListener('change', () => told.push(one.id));
});

test('a field that shows what was taken of it is not told of being left', () => {
  for (const id of ['tall', 'line', 'free']) {
    field(id).focus();
    takeWritten();
  }
  takeShown(document);
  // What is known of no field may have been written.
  expect(told).toEqual(['free']);
  expect(['tall', 'line', 'free'].map((id) => showsTaken(field(id)))).toEqual([true, true, false]);
});

test('a field that shows something else is told, also where that is only a line or a space', () => {
  field('tall').value = ' One two ';
  field('tall').focus();
  takeWritten();
  field('line').value = 'Onetwo';
  takeShown(document);
  expect(told).toEqual(['tall', 'tall', 'line']);
});

test('words are others by what they say, not by what stands around them or how lines are broken', () => {
  expect(isOther('One\r\ntwo ', ' One\ntwo')).toBe(false);
  expect(isOther('One\ntwo', 'One two')).toBe(true);
});
