import { screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Welcome from './Welcome.svelte';

test('at the first start a model that no program runs is not called ready, and one can only look around', async () => {
  const { app } = await appOn('first-serverless');
  expect(app.route).toEqual({ view: 'welcome' });
  mounted(Welcome as never, {}, app);
  expect(screen.getByTestId('no-server').textContent).toContain('llama-server is not in');
  expect(screen.queryByTestId('welcome-ready')).toBe(null);
  const model = screen.getAllByTestId('model')[0]?.textContent;
  expect(model).toContain('there, but nothing runs it');
  expect(model).not.toContain('ready');
  expect(screen.getByTestId('welcome-go').textContent).toContain('Look around without a model');
});

test('once the program is there, the same model is ready', async () => {
  const { app, backend } = await appOn('first-serverless');
  mounted(Welcome as never, {}, app);
  backend.world.serverless = false;
  expect(await app.findsPlanner()).toBe(true);
  const ready = await screen.findByTestId('welcome-ready');
  expect(ready.textContent).toContain('Ready: Qwen2.5-Coder 1.5B Instruct plans and works.');
  expect(screen.queryByTestId('no-server')).toBe(null);
});
