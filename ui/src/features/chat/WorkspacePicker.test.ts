import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import WorkspacePicker from './WorkspacePicker.svelte';

beforeEach(() => localStorage.clear());

test('a folder that was not there is marked, and can be chosen again; once it is there it counts as before', async () => {
  const { app, backend } = await appOn('sample');
  await app.change({ workspace: '/home/ada/set' });
  const create = backend.sessions.create;
  backend.sessions.create = async () => backend.world.fail('folder_unusable', 'it did not answer');
  expect(await app.begin('Count the files')).toBe(false);
  mounted(WorkspacePicker, {}, app);
  const chosen = screen.getByTestId('workspace');
  expect(chosen.textContent).toContain('set · not there any more');
  await fireEvent.click(chosen);
  const item = screen.getByTestId('workspace-/home/ada/set');
  expect([item.getAttribute('aria-description'), item.getAttribute('aria-disabled')]).toEqual([
    '/home/ada/set · not there any more',
    null,
  ]);
  await fireEvent.click(item);
  expect(app.folder).toBe('/home/ada/set');
  backend.sessions.create = create;
  expect(await app.begin('Count the files')).toBe(true);
  expect([app.workspace, app.folder, app.settings?.workspace?.usable]).toEqual([null, '/home/ada/set', true]);
  await waitFor(() => expect(chosen.textContent).not.toContain('not there'));
});

test('a folder in which no session is yet is marked as well', async () => {
  const { app } = await appOn('sample');
  mounted(WorkspacePicker, {}, app);
  app.workspace = '/root/away';
  const chosen = screen.getByTestId('workspace');
  await waitFor(() => expect(chosen.textContent).toContain('away'));
  expect(chosen.textContent).not.toContain('not there');
  expect(await app.begin('Count the files')).toBe(false);
  await waitFor(() => expect(chosen.textContent).toContain('away · not there any more'));
});
