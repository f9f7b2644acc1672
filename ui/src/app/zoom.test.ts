import { beforeEach, expect, test } from 'vitest';
import type { Backend } from '../backend/backend';
import { scriptedBackend } from '../backend/scripted';
import type { SettingsChange } from '../backend/bindings';
import { BackendError } from '../backend/errors';
import { App } from './app.svelte';

const NOW = 1_700_000_000_000;
const clock = { now: () => 0, every: () => () => undefined, after: () => () => undefined };

beforeEach(() => localStorage.clear());

/** A window on an engine that says what it was asked to save. */
function made(scripted = scriptedBackend(NOW)) {
  const asked: SettingsChange[] = [];
  const settings = {
    ...scripted.settings,
    change: (change: SettingsChange) => {
      asked.push(change);
      return scripted.settings.change(change);
    },
  };
  return { scripted, asked, backend: { ...scripted, settings }, world: scripted.world };
}

/** An engine that is open once that is called. */
function opensLater(backend: Backend) {
  let open = () => {};
  const opening = new Promise<void>((done) => (open = done));
  const slow: Backend = {
    ...backend,
    open: async (hear) => {
      await opening;
      return backend.open(hear);
    },
  };
  return { slow, open };
}

test('of presses that come faster than they are saved the last one counts, saved last', async () => {
  const scripted = scriptedBackend(NOW);
  const asked: SettingsChange[] = [];
  const waiting: (() => void)[] = [];
  const settings = {
    ...scripted.settings,
    change: async (change: SettingsChange) => {
      asked.push(change);
      const changed = await scripted.settings.change(change);
      await new Promise<void>((go) => waiting.push(go));
      return changed;
    },
  };
  const app = new App({ ...scripted, settings }, clock);
  await app.start();
  const presses = [app.zoom.by(1), app.zoom.by(1), app.zoom.by(1)];
  expect(app.zoom.percent).toBe(150);

  // Each answer is that of an older press, and takes nothing back.
  for (let answered = 0; answered < 2; answered++) {
    while (waiting.length <= answered) await Promise.resolve();
    waiting[answered]?.();
    await Promise.resolve();
    expect(app.zoom.percent).toBe(150);
  }
  await Promise.all(presses);
  expect(asked).toEqual([{ zoom: 110 }, { zoom: 150 }]);
  expect([app.zoom.percent, app.settings?.zoom]).toEqual([150, 150]);
});

test('a page begins with the size that was saved last, and steps go on from that', async () => {
  const first = made();
  await first.scripted.settings.change({ zoom: 200 });
  await new App(first.backend, clock).start();
  const { backend, world } = made();
  const { slow, open } = opensLater(backend);
  const app = new App(slow, clock);
  const started = app.start();
  expect([app.zoom.percent, world.zoom]).toEqual([200, 200]);
  await app.zoom.by(-1);
  expect(world.zoom).toBe(175);
  open();
  await started;
  expect([app.zoom.percent, world.zoom]).toEqual([175, 175]);
});

test('what is asked for while the engine opens is shown at once, and saved once it is open', async () => {
  const { backend, asked, world } = made();
  const { slow, open } = opensLater(backend);
  const app = new App(slow, clock);
  const started = app.start();
  await app.zoom.by(1);
  await app.zoom.by(1);
  expect([world.zoom, app.zoom.percent, asked, app.error]).toEqual([125, 125, [], null]);
  open();
  await started;
  await app.watch.untilQuiet();
  expect(asked).toEqual([{ zoom: 125 }]);
  expect([world.zoom, app.zoom.percent, app.settings?.zoom, app.error]).toEqual([125, 125, 125, null]);
});

test('where the engine cannot be opened, the next page goes on from there and saves it once it can', async () => {
  const { backend, asked, world } = made();
  world.unopened = { code: 'database_locked', message: 'another program holds it' };
  const first = new App(backend, clock);
  expect((await first.start())?.code).toBe('database_locked');
  await first.zoom.by(1);
  expect(world.zoom).toBe(110);

  // As when the application was started anew.
  world.zoom = 100;
  const second = new App(backend, clock);
  await second.start();
  await second.watch.untilQuiet();
  expect([world.zoom, second.zoom.percent, asked]).toEqual([110, 110, []]);

  world.unopened = null;
  const third = new App(backend, clock);
  await third.start();
  await third.watch.untilQuiet();
  expect(asked).toEqual([{ zoom: 110 }]);
  // What is saved is not kept beside that as well.
  await backend.settings.change({ zoom: 200 });
  const fourth = new App(backend, clock);
  await fourth.start();
  await fourth.watch.untilQuiet();
  expect([world.zoom, fourth.zoom.percent]).toEqual([200, 200]);
});

test('what could not be saved holds all the same, and is told until it is', async () => {
  const { backend, world } = made();
  const app = new App(backend, clock);
  await app.start();
  let isFull = true;
  const change = backend.settings.change;
  backend.settings.change = async (wanted) => {
    if (isFull) throw new BackendError({ code: 'disk_full', message: 'the disk is full' });
    return change(wanted);
  };
  await app.zoom.by(1);
  expect([world.zoom, app.zoom.percent, app.error?.code]).toEqual([110, 110, 'disk_full']);
  isFull = false;
  await app.zoom.by(1);
  expect([world.zoom, app.settings?.zoom, app.error]).toEqual([125, 125, null]);
});

test('an error in sight stays there when everything is made larger', async () => {
  const { backend } = made();
  const app = new App(backend, clock);
  await app.start();
  await app.try(() => Promise.reject(new Error('the disk is full')));
  await app.zoom.by(1);
  expect([app.settings?.zoom, app.error?.message]).toEqual([110, 'the disk is full']);
});
