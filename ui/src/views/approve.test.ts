import { beforeEach, expect, test } from 'vitest';
import { text } from '../shared/text';
import { approveByKey } from './approve';

let done: string[] = [];
const approve = (waiting: string[]) =>
  approveByKey(
    document,
    waiting,
    (plan) => done.push(`${plan} shown`),
    (words) => done.push(words),
  );

beforeEach(() => {
  done = [];
  document.body.innerHTML = `
    <section data-plan="old"><input id="field" value="words"><button data-approve></button></section>
    <section data-plan="new"><button data-approve></button></section>
    <section data-plan="faulty"><button id="note"></button><button data-approve aria-disabled="true" aria-description="2 faults"></button></section>
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
  approve(['old', 'new']);
  expect(done).toEqual(['field taken', 'old']);
});

test('without a focused card the one that waits is approved; of several none', () => {
  approve(['new']);
  approve(['old', 'new']);
  approve([]);
  expect(done).toEqual(['new']);
});

test('what cannot be approved says why and has no other card approved instead', () => {
  focus('note');
  approve(['new']);
  expect(done).toEqual(['2 faults']);
});

test('a plan that waits beyond what is drawn is shown first, and not approved unseen', () => {
  approve(['far above']);
  expect(done).toEqual(['far above shown']);
});

test('what is out of sight is shown first, and an open note says that it is in the way', () => {
  const card = document.querySelector<HTMLElement>('[data-plan="new"]') as HTMLElement;
  card.getBoundingClientRect = () => new DOMRect(0, -900, 600, 200);
  approve(['new']);
  expect(done).toEqual(['new shown']);
  card.getBoundingClientRect = () => new DOMRect(0, 100, 600, 200);
  card.innerHTML = '<form data-note><button>Reject</button></form>';
  approve(['new']);
  expect(done).toEqual(['new shown', text.plan.noteOpen]);
});

test('nothing is approved while words stand in the composer', () => {
  focus('composer');
  const composer = document.getElementById('composer') as HTMLTextAreaElement;
  composer.value = 'one more thing';
  approve(['new']);
  expect(done).toEqual([]);
  composer.value = '';
  approve(['new']);
  expect(done).toEqual(['new']);
});
