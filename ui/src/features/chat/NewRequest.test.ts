import { fireEvent, screen } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import NewRequest from './NewRequest.svelte';

beforeEach(() => localStorage.clear());

test('what is written while a request is sent stays; what was sent does not', async () => {
  const { app, backend } = await appOn('sample');
  mounted(NewRequest as never, {}, app);
  const area = screen.getByTestId('composer');
  const send = async (words: string) => {
    await fireEvent.input(area, { target: { value: words } });
    backend.world.silent = true;
    await fireEvent.keyDown(area, { key: 'Enter' });
  };
  const turns = () => app.session?.state.turns.map((turn) => turn.message);
  await send('Count the files');
  app.composed = 'Count the folders, too';
  backend.world.speak();
  await expect.poll(turns).toEqual(['Count the files']);
  expect(app.composed).toBe('Count the folders, too');
  await send('Count the lines');
  backend.world.speak();
  await expect.poll(turns).toEqual(['Count the lines']);
  await expect.poll(() => app.composed).toBe('');
});

test('a request is taken where the models that plan and do the steps are there, whatever that for everything is', async () => {
  const { app, backend } = await appOn('offline');
  mounted(NewRequest as never, {}, app);
  const choose = async (role: 'default' | 'planner' | 'step', id: string | null) => {
    await backend.models.choose(role, id);
    await app.readModels();
  };
  const isTold = () => expect.poll(() => screen.queryByTestId('no-model') !== null);
  await isTold().toBe(true);
  await choose('planner', 'openai/large');
  await isTold().toBe(true);
  await choose('step', 'openai/small');
  await isTold().toBe(false);
  await choose('planner', null);
  await isTold().toBe(true);
  await choose('default', 'openai/large');
  await isTold().toBe(false);
  await choose('step', 'local/starter');
  await isTold().toBe(true);
});

test('a request is not taken where nothing runs the model that was fetched or added, and is by one elsewhere', async () => {
  const { app, backend } = await appOn('serverless');
  mounted(NewRequest as never, {}, app);
  const isTold = () => screen.queryByTestId('no-model') !== null;
  expect(isTold()).toBe(true);
  await backend.models.addFile();
  await backend.models.choose('default', 'local/mistral-7b');
  await app.readModels();
  await expect.poll(isTold).toBe(true);
  await backend.models.choose('default', 'openai/large');
  await app.readModels();
  await expect.poll(isTold).toBe(false);
});

test('a model that is fetched meanwhile says how that goes, and why it did not come, with a way to it', async () => {
  const { app, backend } = await appOn('first');
  mounted(NewRequest as never, {}, app);
  const told = () => screen.getByTestId('no-model').textContent.replace(/\s+/g, ' ');
  expect(told()).toContain('No model can be reached');
  // What finds tools by meaning plans nothing.
  app.pulls.set('local/meaning', { done: 10, total: 100, failure: null });
  void app.pulls.fetch('local/starter', () => backend.models.pull('local/starter'));
  await expect.poll(told).toContain('Qwen2.5-Coder 1.5B Instruct is being fetched 480.4 MB of 1.1 GB');
  expect(told()).not.toContain('No model can be reached');
  expect(screen.getByTestId('send').getAttribute('aria-description')).toContain('is being fetched');

  const failure = { code: 'pull', message: 'the hub does not answer; try again' } as const;
  app.hear([{ type: 'pull_ended', model: 'local/starter', failure }]);
  await expect.poll(told).toContain('Instruct was not fetched the hub does not answer; try again');
  await backend.models.stopPull('local/starter');
  await expect.poll(told).toContain('Instruct was not fetched Stopped. What came is kept');
  await fireEvent.click(screen.getByTestId('to-models'));
  expect(app.route).toEqual({ view: 'settings', part: 'models' });

  void app.pulls.fetch('local/starter', () => backend.models.pull('local/starter'));
  await expect.poll(told).toContain('is being fetched');
  backend.world.advance();
  await expect.poll(() => screen.queryByTestId('no-model')).toBe(null);
});

test('what is said before the first request is true of when plans need a word', async () => {
  const { app } = await appOn('sample');
  mounted(NewRequest as never, {}, app);
  const said = () => screen.getByTestId('new-request').textContent;
  const looking = () => screen.getAllByTestId('example')[2]?.textContent;
  expect(said()).toContain('Nothing with an effect happens before you approve it.');
  expect(looking()).toContain('runs without asking');
  await app.change({ policy: 'always-ask' });
  await expect.poll(said).toContain('Nothing of it happens before you approve it.');
  expect(looking()).toContain('waits for your word');
  await app.change({ policy: 'never-ask' });
  await expect.poll(said).toContain('carries it out at once');
  expect(said()).not.toContain('before you approve');
  expect(looking()).toContain('runs without asking');
});

test('a key in what is about to be sent is warned of, with the way to keep it better', async () => {
  const { app } = await appOn('sample');
  mounted(NewRequest as never, {}, app);
  const area = screen.getByTestId('composer');
  await fireEvent.input(area, { target: { value: 'List the buckets' } });
  expect(screen.queryByTestId('key-warning')).toBe(null);
  await fireEvent.input(area, { target: { value: 'List them with AKIAIOSFODNN7EXAMPLE' } });
  expect(screen.getByTestId('key-warning').textContent).toContain('models read it');
  await fireEvent.click(screen.getByTestId('to-vault'));
  expect(app.route).toEqual({ view: 'settings', part: 'vault' });
});
