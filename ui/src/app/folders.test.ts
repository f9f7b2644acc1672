import { beforeEach, expect, test } from 'vitest';
import { backendError } from '../backend/errors';
import { offered, workspaceAt } from '../model/folders';
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

test.each(['picked', 'set', 'used last'])(
  'into a folder that cannot be used any more nothing is sent, nor into another one that nobody has chosen: one that was %s',
  async (how) => {
    const { app, backend } = await appOn('sample');
    const usual = app.folder ?? '';
    const away = { path: '/root/away', name: 'away', usable: true };
    if (how === 'picked') app.workspace = away.path;
    else if (how === 'set') app.settings = app.settings && { ...app.settings, workspace: away };
    else app.workspaces = [away, ...app.workspaces];
    const before = backend.world.sessions.size;
    for (const _ of ['Enter', 'and Enter once more']) {
      expect(await app.begin('Count the files')).toBe(false);
      expect([app.error?.code, app.folder]).toEqual(['folder_unusable', away.path]);
    }
    expect(backend.world.sessions.size).toBe(before);
    app.workspace = usual;
    expect(await app.begin('Count the files')).toBe(true);
    expect(app.session?.state.workspace).toBe(usual);
  },
);

test('who chooses another folder while one is tried that cannot be used keeps that', async () => {
  const { app } = await appOn('sample');
  app.workspace = '/root/away';
  const made = app.begin('Count the files');
  app.workspace = '/home/ada/another';
  expect(await made).toBe(false);
  expect(app.folder).toBe('/home/ada/another');
});

test('why a request could not be sent is said where its session is not looked at', async () => {
  const { app, backend } = await appOn('sample');
  app.workspace = '/home/ada/picked';
  const create = backend.sessions.create;
  backend.sessions.create = async (folder) => {
    app.go({ view: 'inbox' });
    return create(folder);
  };
  backend.messages.send = () =>
    Promise.reject(backendError({ code: 'storage', message: 'the disk is full' }));
  await app.begin('Count the files');
  expect([app.route.view, app.error?.message]).toEqual(['inbox', 'the disk is full']);
});

test('a folder that cannot be used is marked as such, however many others there are', () => {
  const used = Array.from({ length: 10 }, (_, at) => workspaceAt(`/mnt/${at}`, false));
  expect(offered(null, used, '/mnt/9').find((one) => one.path === '/mnt/9')?.usable).toBe(false);
  expect(offered(null, used, '/mnt/9').length).toBe(8);
  expect(offered(null, used, '/mnt/new')[0]).toEqual(workspaceAt('/mnt/new', true));
});

test('who has gone elsewhere while a session is made is not taken back to it, and it is begun all the same', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.silent = true;
  const begun = app.begin('Count the files');
  app.go({ view: 'inbox' });
  backend.world.speak();
  expect(await begun).toBe(true);
  expect([app.route, app.session]).toEqual([{ view: 'inbox' }, null]);
  const made = [...backend.world.sessions.keys()].at(-1) ?? '';
  await app.open(made);
  expect(app.session?.state.turns.map(({ message }) => message)).toEqual(['Count the files']);
});
