import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { spoken } from '../../shared/announce.svelte';
import Data from './Data.svelte';
import General from './General.svelte';
import Settings from './Settings.svelte';

test('the folder of new requests is the one that is set, else the last, and one that was picked before both', async () => {
  const { app } = await appOn('sample');
  const last = app.folder;
  mounted(General, {}, app);
  expect(screen.getByTestId('default-workspace').textContent).toContain('The folder that was used last');
  await fireEvent.click(screen.getByTestId('choose-workspace'));
  await waitFor(() => expect(app.folder).toBe('/home/ada/licences'));
  expect(screen.getByTestId('default-workspace').textContent).toContain('/home/ada/licences');
  app.workspace = '/home/ada/elsewhere';
  expect(app.folder).toBe('/home/ada/elsewhere');
  app.workspace = null;
  await fireEvent.click(screen.getByTestId('clear-workspace'));
  await waitFor(() => expect(app.folder).toBe(last));
});

test('the folder that was used last is that of the newest session, and those of earlier ones stay at hand', async () => {
  const { app } = await appOn('sample');
  const first = app.folder;
  for (const folder of ['/home/ada/letters/', '/home/ada/licences']) {
    app.workspace = folder;
    expect(await app.begin('Count the files')).toBe(true);
  }
  app.workspace = null;
  mounted(General, {}, app);
  expect(screen.getByTestId('default-workspace').textContent).toContain('/home/ada/licences');
  const [last, before, ...others] = app.workspaces;
  expect([last?.path, before]).toEqual([
    '/home/ada/licences',
    { path: '/home/ada/letters/', name: 'letters', usable: true },
  ]);
  expect(others.map((one) => one.path)).toContain(first);
  if (first) await app.create(first);
  expect(app.workspaces.map((one) => one.path).filter((path) => path === first)).toEqual([first]);
  expect(app.folder).toBe(first);
});

test('a folder that cannot be used is not set, and why is told', async () => {
  const { app, backend } = await appOn('sample');
  mounted(General, {}, app);
  const folder = app.folder;
  backend.settings.change = async () =>
    backend.world.fail('folder_unusable', 'the folder cannot be used; choose another one');
  await fireEvent.click(screen.getByTestId('choose-workspace'));
  await waitFor(() => expect(app.error?.code).toBe('folder_unusable'));
  expect(app.folder).toBe(folder);
});

test('what is kept where names the real places, and the data folder opens', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Data, {}, app);
  expect(screen.getByTestId('kept-where').textContent).toContain('~/.local/share/assent/assent.db');
  expect(screen.getByTestId('kept-where').textContent).toContain('~/.local/share/assent/bin/llama-server');
  await fireEvent.click(screen.getByTestId('open-data'));
  await waitFor(() => expect(backend.world.opened).toEqual(['~/.local/share/assent']));
  await fireEvent.click(screen.getByTestId('doctor'));
  const findings = (await screen.findAllByTestId('finding')).map((one) => one.textContent);
  expect(findings).toHaveLength(3);
  expect(findings[0]).toContain('schema 3, in order');
});

test('where plans write, and whether that was approved, is true of when they need a word', async () => {
  const { app } = await appOn('sample');
  mounted(Data, {}, app);
  mounted(General, {}, app);
  const said = () => document.body.textContent;
  expect(said()).toContain('what is written, where you approved it');
  expect(said()).toContain('may read, and write where you approve it');
  await app.change({ policy: 'always-ask' });
  await waitFor(() => expect(said()).toContain('of their session, where you approved it'));
  expect(said()).toContain('may read and write once you approve it');
  await app.change({ policy: 'never-ask' });
  await waitFor(() => expect(said()).not.toMatch(/where you approved it|you approve it/));
});

test('everything is made larger and smaller, up to the ends, and as large as usual again', async () => {
  const { app, backend } = await appOn('sample');
  mounted(General, {}, app);
  expect(screen.queryByTestId('zoom-usual')).toBeNull();
  await fireEvent.click(screen.getByTestId('zoom-larger'));
  await waitFor(() => expect(screen.getByTestId('zoom').textContent).toContain('110 %'));
  expect(spoken().polite).toContain('110 %');
  await app.change({ zoom: 300 });
  await waitFor(() => expect(screen.getByTestId('zoom-larger').getAttribute('aria-disabled')).toBe('true'));
  await fireEvent.click(screen.getByTestId('zoom-smaller'));
  await waitFor(() => expect(app.zoom.percent).toBe(250));
  await fireEvent.click(screen.getByTestId('zoom-usual'));
  await waitFor(() => expect(app.zoom.percent).toBe(100));
  expect((await backend.settings.change({})).zoom).toBe(100);
});

test('what is chosen and refused goes back to what holds, and what is taken stays', async () => {
  const { app, backend } = await appOn('sample');
  const { unmount } = mounted(General, {}, app);
  const marked = (name: string) => screen.getByTestId<HTMLInputElement>(name).checked;
  const refuse = () => backend.world.failures.push({ code: 'internal', message: 'the disk is full' });
  const refused = () => waitFor(() => expect(app.error?.message).toBe('the disk is full'));

  refuse();
  await fireEvent.click(screen.getByTestId('closing-stop'));
  await refused();
  await waitFor(() =>
    expect([marked('closing-stop'), marked('closing-keep_running')]).toEqual([false, true]),
  );
  await fireEvent.click(screen.getByTestId('closing-stop'));
  await waitFor(() => expect(app.settings?.closing).toBe('stop'));
  expect([marked('closing-stop'), marked('closing-keep_running')]).toEqual([true, false]);

  refuse();
  await fireEvent.click(screen.getByTestId('notifications'));
  await refused();
  await waitFor(() => expect(marked('notifications')).toBe(true));
  await fireEvent.click(screen.getByTestId('notifications'));
  await waitFor(() => expect(app.settings?.notifications).toBe(false));
  expect(marked('notifications')).toBe(false);
  unmount();
});

test('when to be asked goes back to what holds where another choice is refused', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Settings as never, { part: 'approval', choose: () => undefined }, app);
  const marked = () =>
    screen.getAllByRole<HTMLInputElement>('radio', { checked: true }).map((one) => one.value);
  const before = marked();
  backend.settings.change = async () => backend.world.fail('internal', 'the disk is full');
  await fireEvent.click(screen.getByTestId('policy-never-ask'));
  await waitFor(() => expect(app.error?.message).toBe('the disk is full'));
  await waitFor(() => expect(marked()).toEqual(before));
  expect(before).toContain(app.policy);
});
