import { expect, test } from 'vitest';
import { scriptedBackend } from '../backend/scripted';
import type { SettingsChange } from '../backend/bindings';
import { App } from './app.svelte';

test('of presses that come faster than they are saved the last one counts, saved last', async () => {
  const scripted = scriptedBackend(1_700_000_000_000);
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
  const clock = { now: () => 0, every: () => () => undefined, after: () => () => undefined };
  const app = new App({ ...scripted, settings }, clock);
  const presses = [app.zoomBy(1), app.zoomBy(1), app.zoomBy(1)];
  expect(app.zoom).toBe(150);

  // Each answer is that of an older press, and takes nothing back.
  for (let answered = 0; answered < 2; answered++) {
    while (waiting.length <= answered) await Promise.resolve();
    waiting[answered]?.();
    await Promise.resolve();
    expect(app.zoom).toBe(150);
  }
  await Promise.all(presses);
  expect(asked).toEqual([{ zoom: 110 }, { zoom: 150 }]);
  expect([app.zoom, app.settings?.zoom]).toEqual([150, 150]);
});
