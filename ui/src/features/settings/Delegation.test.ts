import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Delegation from './Delegation.svelte';

test('how a step finds who does it is chosen, and what is chosen is shown', async () => {
  const { app } = await appOn('sample');
  mounted(Delegation as never, {}, app);
  const option = (name: string) => screen.getByTestId<HTMLInputElement>(`delegation-${name}`);
  expect([option('expand').checked, option('runtime').checked]).toEqual([true, false]);
  await fireEvent.click(option('runtime'));
  await waitFor(() => expect(app.settings?.delegation).toBe('runtime'));
  expect([option('expand').checked, option('runtime').checked]).toEqual([false, true]);
});
