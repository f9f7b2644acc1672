import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Endpoints from './Endpoints.svelte';

async function shown(used: boolean) {
  const { app, backend } = await appOn('sample');
  await backend.models.addProvider({
    id: 'mine',
    baseUrl: 'https://models.example/v1',
    protocol: 'openai',
  } as never);
  if (used) await backend.models.choose('planner', 'mine/large');
  await app.readModels();
  mounted(Endpoints as never, {}, app);
  const there = async () => (await backend.models.providers()).some((one) => one.provider.id === 'mine');
  return { there };
}

test('an endpoint of which a model is chosen goes once that is confirmed, and which roles it has is said', async () => {
  const { there } = await shown(true);
  await fireEvent.click(await screen.findByTestId('remove-endpoint'));
  expect(screen.getByTestId('remove-used').textContent).toContain('A model of it is chosen for: Plans.');
  await fireEvent.click(screen.getByTestId('remove-no'));
  expect([await there(), screen.queryByTestId('remove-used')]).toEqual([true, null]);
  await fireEvent.click(screen.getByTestId('remove-endpoint'));
  await fireEvent.click(screen.getByTestId('remove-yes'));
  await waitFor(async () => expect(await there()).toBe(false));
});

test('an endpoint that nothing uses goes at once', async () => {
  const { there } = await shown(false);
  await fireEvent.click(await screen.findByTestId('remove-endpoint'));
  expect(screen.queryByTestId('remove-used')).toBe(null);
  await waitFor(async () => expect(await there()).toBe(false));
});
