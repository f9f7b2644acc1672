import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { App } from '../app/app.svelte';
import { HandClock } from '../app/mounted.test-data';
import { BackendError } from '../backend/errors';
import { openScene } from '../backend/scripted/scenes';
import NotStarted from './NotStarted.svelte';

test('everything is made larger and smaller by keys where the engine could not be opened, and it is said', async () => {
  const { world, ...backend } = openScene('locked', 0);
  const app = new App(backend, new HandClock());
  const failure = await app.start();
  render(NotStarted, {
    failure: failure ?? new BackendError({ code: 'internal', message: 'it opened' }),
    app,
  });
  const press = (key: string) => fireEvent.keyDown(document.body, { key, ctrlKey: true });
  // What is prevented is not done by the web view as well.
  expect(await press('+')).toBe(false);
  await press('+');
  expect(world.zoom).toBe(125);
  expect(screen.getByTestId('said').textContent).toContain('125 %');
  await press('0');
  expect(world.zoom).toBe(100);
  expect(await press('k')).toBe(true);
});
