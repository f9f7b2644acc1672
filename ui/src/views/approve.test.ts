import { beforeEach, expect, test } from 'vitest';
import { approveByKey } from './approve';

let done: string[] = [];

beforeEach(() => {
  done = [];
  document.body.innerHTML = `
    <section data-plan="old"><input id="field" value="words"><button data-approve></button></section>
    <section data-plan="new"><button data-approve></button></section>
    <section data-plan="faulty"><button id="note"></button><button data-approve aria-disabled="true"></button></section>
    <textarea id="composer"></textarea>`;
  for (const card of document.querySelectorAll<HTMLElement>('[data-plan]'))
    card
      .querySelector('[data-approve]')
      ?.addEventListener('click', () => done.push(card.dataset['plan'] ?? ''));
  document.getElementById('field')?.addEventListener('change', () => done.push('field taken'));
});

const focus = (id: string) => document.getElementById(id)?.focus();

test('the card with the focus is approved, what stands in its field taken first', () => {
  focus('field');
  approveByKey(document, ['old', 'new']);
  expect(done).toEqual(['field taken', 'old']);
});

test('without a focused card the one that waits is approved; of several none', () => {
  approveByKey(document, ['new']);
  approveByKey(document, ['old', 'new']);
  approveByKey(document, []);
  expect(done).toEqual(['new']);
});

test('what cannot be approved has no other card approved instead', () => {
  focus('note');
  approveByKey(document, ['new']);
  expect(done).toEqual([]);
});

test('nothing is approved while words stand in the composer', () => {
  focus('composer');
  const composer = document.getElementById('composer') as HTMLTextAreaElement;
  composer.value = 'one more thing';
  approveByKey(document, ['new']);
  expect(done).toEqual([]);
  composer.value = '';
  approveByKey(document, ['new']);
  expect(done).toEqual(['new']);
});
