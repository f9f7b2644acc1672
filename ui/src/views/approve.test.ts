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

const place = (plan: string, top: number) => {
  const card = document.querySelector<HTMLElement>(`[data-plan="${plan}"]`) as HTMLElement;
  card.getBoundingClientRect = () => new DOMRect(0, top, 600, 200);
  return card;
};

test('without a focused card the one that waits is approved', () => {
  approve(['new']);
  approve([]);
  expect(done).toEqual(['new']);
});

test('of several that wait the only one in sight is approved; else none, which is said, and the newest is shown', () => {
  approve(['old', 'new']);
  expect(done.splice(0)).toEqual(['new shown', text.plan.severalWait(2)]);
  place('new', -900);
  approve(['old', 'new']);
  expect(done.splice(0)).toEqual(['old']);
  place('old', 9000);
  approve(['old', 'new']);
  expect(done).toEqual(['new shown', text.plan.severalWait(2)]);
});

test('what cannot be approved says why and has no other card approved instead', () => {
  focus('note');
  approve(['new']);
  expect(done).toEqual(['2 faults']);
});

test('a plan that waits beyond what is drawn is shown first, and not approved unseen', () => {
  approve(['far above']);
  expect(done).toEqual(['far above shown', text.plan.shownFirst]);
});

test('what is out of sight is shown first, and an open note says that it is in the way', () => {
  place('new', -900);
  approve(['new']);
  expect(done.splice(0)).toEqual(['new shown', text.plan.shownFirst]);
  const card = place('new', 100);
  card.innerHTML = '<form data-note><button>Reject</button></form>';
  approve(['new']);
  expect(done).toEqual([text.plan.noteOpen]);
});

test('what lies beneath a drawer is shown first as well', () => {
  document.querySelector('[data-plan="new"]')?.setAttribute('inert', '');
  approve(['new']);
  expect(done).toEqual(['new shown', text.plan.shownFirst]);
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
