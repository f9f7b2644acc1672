import { beforeEach, expect, test } from 'vitest';
import { text } from '../shared/text';
import { approveByKey, showFoot } from './approve';

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
  document.body.style.overflow = 'hidden';
  document.body.getBoundingClientRect = () => new DOMRect(0, 0, 1000, window.innerHeight);
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

/** A card of a height of 200, with its foot, which is 40 high, at its end. */
const place = (plan: string, top: number) => {
  const card = document.querySelector<HTMLElement>(`[data-plan="${plan}"]`) as HTMLElement;
  card.getBoundingClientRect = () => new DOMRect(0, top, 600, 200);
  const foot = card.querySelector('[data-approve]');
  if (foot) foot.getBoundingClientRect = () => new DOMRect(0, top + 160, 100, 40);
  return card;
};
/** Puts a card into what scrolls, and is seen from 100 to 400. */
const frame = (card: HTMLElement) => {
  const around = document.createElement('div');
  around.style.overflowY = 'auto';
  around.getBoundingClientRect = () => new DOMRect(0, 100, 600, 300);
  card.replaceWith(around);
  around.append(card);
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

test('a card is approved once its foot is seen in what scrolls around it, not only in the window', () => {
  frame(place('new', 410));
  const shown = ['new shown', text.plan.shownFirst];
  // Below it and above it, of its beginning or its end some pixels, its foot by half, all of it.
  for (const [top, expected] of [
    [410, shown],
    [-110, shown],
    [390, shown],
    [225, shown],
    [-85, shown],
    [215, ['new']],
    [-75, ['new']],
    [150, ['new']],
  ] as const) {
    place('new', top);
    approve(['new']);
    expect([top, done.splice(0)]).toEqual([top, expected]);
  }
});

test('what approving allows is foot enough, and a card of which the beginning is seen as well keeps both from being approved', () => {
  const card = place('new', 290);
  frame(card);
  const may = document.createElement('p');
  may.dataset['may'] = '';
  may.getBoundingClientRect = () => new DOMRect(0, 380, 600, 20);
  card.prepend(may);
  approve(['new']);
  expect(done.splice(0)).toEqual(['new']);
  place('old', 600);
  approve(['old', 'new']);
  expect(done).toEqual(['new shown', text.plan.severalWait(2)]);
});

test('a card with the focus that is scrolled away is shown first, and nothing of it is taken', () => {
  frame(place('old', 500));
  focus('field');
  approve(['old', 'new']);
  expect(done.splice(0)).toEqual(['old shown', text.plan.shownFirst]);
  // Who writes in it has its beginning before their eyes: what they wrote is part of what the foot tells.
  place('old', 390);
  approve(['old', 'new']);
  expect(done.splice(0)).toEqual(['field taken', 'old shown', text.plan.shownFirst]);
  place('old', 200);
  approve(['old', 'new']);
  expect([done, document.activeElement?.id]).toEqual([['field taken', 'old'], 'field']);
});

test('what changes allow stands below what the plan does, and has to be seen as well', () => {
  const card = place('old', 250);
  frame(card);
  focus('field');
  const all = [0, 40].map((below) => {
    const may = document.createElement('p');
    may.dataset['may'] = '';
    card.append(may);
    return { may, below };
  });
  const button = card.querySelector('[data-approve]') as HTMLElement;
  button.getBoundingClientRect = () => new DOMRect(0, 480, 100, 40);
  for (const [top, ends] of [
    [410, 'old shown'],
    [380, 'old shown'],
    [340, 'old'],
  ] as const) {
    for (const { may, below } of all) may.getBoundingClientRect = () => new DOMRect(0, top + below, 600, 20);
    approve(['old', 'new']);
    expect([top, done.splice(0)[1]]).toEqual([top, ends]);
  }
});

test('the foot of a card that was called up is brought into sight, as soon as it is there', async () => {
  const brought: string[] = [];
  const added = document.createElement('section');
  added.dataset['plan'] = 'later';
  added.innerHTML = '<button data-approve></button>';
  added.scrollIntoView = () => {
    place('later', 0);
    brought.push('later');
  };
  const ends = showFoot(document, 'later');
  await new Promise(requestAnimationFrame);
  document.body.append(added);
  place('later', window.innerHeight - 50);
  await ends;
  // And no further, once it is seen.
  await showFoot(document, 'later');
  expect(brought).toEqual(['later']);
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
