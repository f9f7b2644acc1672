import { fireEvent, screen } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import WorkspacePicker from './WorkspacePicker.svelte';

beforeEach(() => localStorage.clear());

test('a folder that was not there can be chosen again, which tries it anew; once it is there it counts as before', async () => {
  const { app, backend } = await appOn('sample');
  await app.change({ workspace: '/home/ada/set' });
  const create = backend.sessions.create;
  backend.sessions.create = async () => backend.world.fail('folder_unusable', 'it did not answer');
  expect(await app.begin('Count the files')).toBe(false);
  expect(app.folder).not.toBe('/home/ada/set');
  mounted(WorkspacePicker, {}, app);
  await fireEvent.click(screen.getByTestId('workspace'));
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
});
