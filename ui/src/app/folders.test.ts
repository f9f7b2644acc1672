import { beforeEach, expect, test } from 'vitest';
import { appOn } from './mounted.test-data';

beforeEach(() => localStorage.clear());

test('a folder is picked for the next session: after that the one that is set counts again', async () => {
  const { app } = await appOn('sample');
  expect(await app.change({ workspace: '/home/ada/set' })).toBe(true);
  app.workspace = '/home/ada/picked';
  expect(await app.begin('Count the files')).toBe(true);
  expect([app.session?.state.workspace, app.folder]).toEqual(['/home/ada/picked', '/home/ada/set']);
  expect(app.workspaces[0]?.path).toBe('/home/ada/picked');
});

test('a folder that was picked is there after a restart, as the words are that were written for it', async () => {
  const { app } = await appOn('sample');
  app.workspace = '/home/ada/picked';
  app.composed = 'Count the files';
  const again = (await appOn('sample')).app;
  expect([again.folder, again.composed]).toEqual(['/home/ada/picked', 'Count the files']);
  expect(await again.begin('Count the files')).toBe(true);
  expect((await appOn('sample')).app.workspace).toBe(null);
});

test('who sets the folder of new requests means the next one too, and so does who sets none', async () => {
  const { app } = await appOn('sample');
  app.workspace = '/home/ada/picked';
  await app.change({ appearance: 'dark' });
  expect(app.folder).toBe('/home/ada/picked');
  await app.change({ workspace: '/home/ada/set' });
  expect(app.folder).toBe('/home/ada/set');
  app.workspace = '/home/ada/picked';
  await app.change({ workspace: '' });
  expect(app.folder).toBe(app.workspaces.find((one) => one.usable)?.path);
});

test('what is picked while a session is made is for the one after it', async () => {
  const { app } = await appOn('sample');
  app.workspace = '/home/ada/picked';
  const made = app.create('/home/ada/picked');
  app.workspace = '/home/ada/another';
  await made;
  expect(app.folder).toBe('/home/ada/another');
});

test('a folder that cannot be used any more is picked no longer, nor fallen back to, and why is told', async () => {
  const { app } = await appOn('sample');
  const usual = app.folder;
  app.workspace = '/root/away';
  expect(await app.begin('Count the files')).toBe(false);
  expect([app.error?.code, app.folder]).toEqual(['folder_unusable', usual]);
  app.settings = app.settings && {
    ...app.settings,
    workspace: { path: '/root/set', name: 'set', usable: true },
  };
  app.workspaces = [{ path: '/root/used', name: 'used', usable: true }, ...app.workspaces];
  for (const folder of ['/root/set', '/root/used']) {
    expect(app.folder).toBe(folder);
    expect(await app.begin('Count the files')).toBe(false);
  }
  expect(app.folder).toBe(usual);
});
