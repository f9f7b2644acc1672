import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { Nearby } from './nearby.svelte';
import Roles from './Roles.svelte';

const pick = (id: string, value: string) => fireEvent.change(screen.getByTestId(id), { target: { value } });

test('each role has a model of its own, another one by name, or that for everything', async () => {
  const { app } = await appOn('sample');
  const nearby = new Nearby(app);
  await nearby.look();
  mounted(Roles, { nearby }, app);
  await pick('role-planner', 'ollama/qwen2.5:7b');
  await waitFor(() => expect(app.models?.chosen.planner).toBe('ollama/qwen2.5:7b'));

  await pick('role-step', ' ');
  const name = await screen.findByTestId('role-name');
  await fireEvent.input(name, { target: { value: 'nonsense' } });
  await fireEvent.click(screen.getByTestId('role-set'));
  await waitFor(() => expect(app.error?.code).toBe('invalid'));
  expect(app.models?.chosen.step).toBeNull();

  await pick('role-planner', '');
  await waitFor(() => expect(app.models?.chosen.planner).toBeNull());
});
