import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { AllowanceRow } from '../../backend/bindings';
import Permissions from './Permissions.svelte';

const row = (id: string, tool: string, reach: AllowanceRow['reach']): AllowanceRow => ({
  id,
  tool,
  reach,
  workspace: '/home/ada/licences',
  run: null,
  step: null,
  at: Date.UTC(2023, 10, 2, 12),
});

test('what is allowed says what, where, since when and for how long, and is taken back', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.allowances = [row('p2', 'bash', 'run'), row('p1', 'create_file', 'workspace')];
  mounted(Permissions, {}, app);
  const [first, second] = await screen.findAllByTestId('permission');
  expect(first?.textContent).toContain('until its run is over');
  expect(second?.textContent).toMatch(
    /create_file\s*in every session of this folder\s*\/home\/ada\/licences · since .*2023/,
  );
  await fireEvent.click(screen.getByRole('button', { name: 'Take back bash in /home/ada/licences' }));
  await waitFor(() => expect(screen.getAllByTestId('permission')).toHaveLength(1));
  await fireEvent.click(screen.getByTestId('revoke'));
  expect((await screen.findByTestId('no-permissions')).textContent).toContain('Nothing');
});

test('one that somebody else took back is told, and gone from the list', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.allowances = [row('p1', 'bash', 'workspace')];
  mounted(Permissions, {}, app);
  await screen.findByTestId('permission');
  backend.world.allowances = [];
  await fireEvent.click(screen.getByTestId('revoke'));
  await screen.findByTestId('no-permissions');
  expect(app.error?.code).toBe('not_found');
});

test('the second press of a double click takes nothing more back: another row stands there by then', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.allowances = [row('p2', 'bash', 'run'), row('p1', 'create_file', 'workspace')];
  mounted(Permissions, {}, app);
  await screen.findAllByTestId('permission');
  await fireEvent.click(screen.getAllByTestId('revoke')[0] as HTMLElement, { detail: 1 });
  await waitFor(() => expect(screen.getAllByTestId('permission')).toHaveLength(1));
  const revoke = vi.spyOn(backend.requests, 'revoke');
  await fireEvent.click(screen.getByTestId('revoke'), { detail: 2 });
  expect(revoke).not.toHaveBeenCalled();
});
