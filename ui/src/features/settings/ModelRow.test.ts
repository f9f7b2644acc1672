import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { App } from '../../app/app.svelte';
import ModelRow from './ModelRow.svelte';
import Models from './Models.svelte';
import { Nearby } from './nearby.svelte';

function starter(app: App) {
  const model = app.models?.models.find((one) => one.id === 'local/starter');
  if (!model) throw new Error('the scene has no starter model');
  return model;
}

test('a model is fetched with its progress, stopped, gone on with, and there', async () => {
  const { app, backend } = await appOn('first');
  const { rerender } = mounted(ModelRow, { model: starter(app) }, app);
  await fireEvent.click(screen.getByTestId('pull'));
  expect((await screen.findByTestId('pull-progress')).textContent).toContain('480.4 MB of 1.1 GB');
  expect(screen.queryByTestId('pull')).toBeNull();
  await fireEvent.click(screen.getByTestId('stop-pull'));
  await screen.findByText(/What came is kept/);
  expect(app.error).toBeNull();

  await fireEvent.click(screen.getByTestId('pull'));
  await screen.findByTestId('pull-progress');
  backend.world.advance();
  await waitFor(() => expect(app.canPlan).toBe(true));
  await rerender({ model: starter(app) });
  expect(screen.getByTestId('model').textContent).toContain('In use');
});

test('how long it takes is told once its speed is known', async () => {
  const { app, clock } = await appOn('first');
  mounted(ModelRow, { model: starter(app) }, app);
  app.pulls.set('local/starter', { done: 100e6, total: 1000e6, failure: null });
  expect((await screen.findByTestId('pull-progress')).textContent).not.toContain('left');
  clock.pass(10_000);
  app.pulls.set('local/starter', { done: 200e6, total: 1000e6, failure: null });
  await waitFor(() =>
    expect(screen.getByTestId('pull-progress').textContent).toContain(
      '200.0 MB of 1.0 GB, about 1 min 20 s left',
    ),
  );
});

test('a transfer that fails says why and can be tried again', async () => {
  const { app, backend } = await appOn('first');
  mounted(ModelRow, { model: starter(app) }, app);
  backend.world.failures.push({ code: 'pull', message: 'the hub does not answer; try again' });
  await fireEvent.click(screen.getByTestId('pull'));
  expect((await screen.findByTestId('pull-failure')).textContent).toContain('the hub does not answer');
  expect(screen.getByTestId('pull').textContent).toContain('Continue');
});

test('a transfer that the person stopped says so, whichever word of its end comes last', async () => {
  const { app, backend } = await appOn('first');
  mounted(ModelRow, { model: starter(app) }, app);
  await fireEvent.click(screen.getByTestId('pull'));
  await screen.findByTestId('pull-progress');
  await backend.models.stopPull(starter(app).id);
  const said = (await screen.findByTestId('pull-failure')).textContent;
  app.hear([
    { type: 'pull_ended', model: starter(app).id, failure: { code: 'cancelled', message: 'stopped by you' } },
  ]);
  await waitFor(() => expect(screen.getByTestId('pull-failure').textContent).toBe(said));
  expect(said).not.toContain('stopped by you');
});

test('a model whose file turns out to be another one is fetched anew, and what its test said goes with that', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.spoiled = true;
  mounted(Models, { nearby: new Nearby(app) }, app);
  expect(screen.queryByTestId('pull')).toBe(null);
  const row = () => screen.getAllByTestId('model')[0]?.textContent ?? '';
  await fireEvent.click(screen.getAllByTestId('test-model')[0] as HTMLElement);
  const pull = await screen.findByTestId('pull');
  expect(row()).toContain('damaged · 1.1 GB · Apache-2.0 · it has the right size but other content');
  expect((await screen.findByTestId('test-result')).textContent).toContain('local/starter cannot be used');
  expect(starter(app).state).toBe('damaged');
  await fireEvent.click(pull);
  await screen.findByTestId('pull-progress');
  expect(screen.queryByTestId('test-result')).toBe(null);
  backend.world.advance();
  await waitFor(() => expect(starter(app).state).toBe('ready'));
  expect([screen.queryByTestId('pull'), screen.queryByTestId('test-result')]).toEqual([null, null]);
  await fireEvent.click(screen.getAllByTestId('test-model')[0] as HTMLElement);
  expect((await screen.findByTestId('test-result')).textContent).toContain('Works');
});

test('a file of the person’s own is added beside the others, used, and forgotten', async () => {
  const { app } = await appOn('sample');
  mounted(Models, { nearby: new Nearby(app) }, app);
  await fireEvent.click(screen.getByTestId('add-file'));
  await screen.findByText('Mistral 7B Instruct');
  await fireEvent.click(screen.getByTestId('use-model'));
  await waitFor(() => expect(app.models?.chosen.default).toBe('local/mistral-7b'));
  await fireEvent.click(screen.getByTestId('forget-file'));
  await waitFor(() => expect(screen.queryByTestId('forget-file')).toBeNull());
  expect(app.models?.chosen.default).toBe('local/starter');
});

test('a model whose turn has not come yet is busy, and that which is in use can be chosen instead', async () => {
  const { app, backend } = await appOn('sample');
  const nearby = new Nearby(app);
  await nearby.look();
  mounted(Models, { nearby }, app);
  const use = (name: string) => screen.getByRole('button', { name: `Use ${name}` });
  backend.world.silent = true;
  await fireEvent.click(use('qwen2.5:7b'));
  await waitFor(() => expect(use('qwen2.5:7b').getAttribute('aria-busy')).toBe('true'));
  await fireEvent.click(use('Qwen2.5-Coder 1.5B Instruct'));
  await waitFor(() => expect(use('qwen2.5:7b').getAttribute('aria-busy')).toBe(null));
  backend.world.speak();
  await waitFor(() => expect(screen.getAllByTestId('model')[0]?.textContent).toContain('In use'));
  expect(app.models?.chosen.default).toBe('local/starter');
});

test('what is done with a model names it, and the second press of a double click forgets nothing', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Models, { nearby: new Nearby(app) }, app);
  await fireEvent.click(screen.getByTestId('add-file'));
  const forget = await screen.findByRole('button', { name: 'Forget Mistral 7B Instruct' });
  expect(screen.getByRole('button', { name: 'Use Mistral 7B Instruct' })).toBeTruthy();
  await fireEvent.click(forget, { detail: 2 });
  expect(screen.queryByTestId('forget-file')).toBe(forget);
  backend.world.silent = true;
  await fireEvent.click(screen.getByRole('button', { name: 'Test Mistral 7B Instruct' }));
  await screen.findByRole('button', { name: 'Testing… Mistral 7B Instruct' });
});
