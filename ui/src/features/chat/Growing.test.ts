import { screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Growing from './Growing.svelte';

test('what grows is shown at once, then at a steady pace, and in the end as it is', async () => {
  const { app, clock } = await appOn('sample');
  const { rerender } = mounted(Growing as never, { text: 'One' }, app);
  const shown = () => screen.getByTestId('streaming').textContent.trim();
  const grow = async (text: string) => {
    await rerender({ text });
    await tick();
    return shown();
  };
  expect([shown(), await grow('One two'), await grow('One two three')]).toEqual([
    'One',
    'One two',
    'One two',
  ]);
  clock.pass(100);
  await tick();
  expect([shown(), await grow('One two three four')]).toEqual(['One two three', 'One two three']);
  clock.pass(100);
  clock.pass(100);
  await tick();
  expect([shown(), await grow('All of it')]).toEqual(['One two three four', 'All of it']);
});
