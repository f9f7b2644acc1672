import { render, screen } from '@testing-library/svelte';
import { createRawSnippet, tick } from 'svelte';
import { beforeEach, expect, test } from 'vitest';
import { announce } from '../announce.svelte';
import Dialog from './Dialog.svelte';
import Speaker from './Speaker.svelte';

const later = () => new Promise<void>((done) => setTimeout(done));
const children = createRawSnippet(() => ({ render: () => '<p>Sure?</p>' }));
const open = () => render(Dialog, { title: 'Delete it?', close: () => undefined, children });
/** What the live regions hold, without the sign that makes the same words new. */
const says = (testid: string) =>
  screen.queryAllByTestId(testid).map((one) => one.textContent.replace('\u00a0', ''));
const all = () => [says('said'), says('dialog-said')];

async function tell(words: string, how?: 'assertive') {
  announce(words, how);
  await later();
}

beforeEach(later);

test('while a dialog is open, what is said is said inside of it, and once', async () => {
  render(Speaker);
  await tell('before');
  const dialog = open();
  await tick();
  expect(all(), 'nothing is read once more because of the dialog').toEqual([['before'], ['']]);
  await tell('within');
  await tell('at once', 'assertive');
  expect(screen.getByRole('dialog', { hidden: true }).contains(screen.getByTestId('dialog-said'))).toBe(true);
  expect(all()).toEqual([['before'], ['within']]);
  expect([says('said-now'), says('dialog-said-now')]).toEqual([[''], ['at once']]);
  dialog.unmount();
  await later();
  expect(all(), 'nor because it has gone').toEqual([['before'], []]);
  await tell('after');
  expect(all()).toEqual([['after'], []]);
});

test('of two dialogs the one that was opened last speaks', async () => {
  render(Speaker);
  await tell('before');
  const first = open();
  const second = open();
  await tell('in the second');
  second.unmount();
  await tell('in the first');
  expect(all()).toEqual([['before'], ['in the first']]);
  first.unmount();
});

test('what is said as a dialog goes is heard in the window', async () => {
  render(Speaker);
  const dialog = open();
  await tell('within');
  announce('It is deleted');
  dialog.unmount();
  await later();
  expect(all()).toEqual([['It is deleted'], []]);
});
