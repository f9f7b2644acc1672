import { render, screen } from '@testing-library/svelte';
import { createRawSnippet, tick } from 'svelte';
import { beforeEach, expect, test } from 'vitest';
import Layout from './Layout.svelte';
import { panes } from './panes.svelte';

const part = (words: string) => createRawSnippet(() => ({ render: () => `<button>${words}</button>` }));
const parts = { sidebar: part('Sessions'), children: part('Chat') };

/** Whether the middle can be used, and whether it lies in the shade. */
const middle = () => {
  const main = screen.getByTestId('main');
  return {
    inert: main.inert || main.hasAttribute('inert'),
    shade: document.querySelector('.shade') !== null,
  };
};
const below = { inert: true, shade: true };
const free = { inert: false, shade: false };

beforeEach(() => {
  localStorage.clear();
  [panes.drawer, panes.sidebar, panes.inspector] = [null, true, true];
});

// The window of these tests is narrow.
test('the middle is out of reach below an inspector that lies over it, and stays free where there is none', async () => {
  const { rerender } = render(Layout, { ...parts, inspector: part('Plan') });
  panes.drawer = 'inspector';
  await tick();
  expect([middle(), document.activeElement?.id]).toEqual([below, 'inspector']);
  await rerender({ ...parts, inspector: undefined });
  expect(middle()).toEqual(free);
});
