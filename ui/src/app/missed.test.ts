import { expect, test } from 'vitest';
import { appOn } from './mounted.test-data';

/** Some of what was told did not come. */
const BEHIND = { type: 'behind', after: 0 } as const;

test('where the word was lost that work has ended or begun, the sessions in which something goes on are read again', async () => {
  const { app, backend } = await appOn('running');
  const [running = ''] = backend.world.active();
  const other = app.rows.find((row) => row.id !== running)?.id ?? '';
  expect([...app.active]).toEqual([running]);
  backend.messages.active = async () => [other];
  app.hear([BEHIND]);
  await expect.poll(() => [...app.active]).toEqual([other]);
});

test('what was told of work while it is read is newer than what was read', async () => {
  const { app, backend } = await appOn('running');
  const [running = ''] = backend.world.active();
  let answer = (_: string[]) => {};
  const asked = new Promise<void>((begun) => {
    backend.messages.active = () => new Promise((read) => [(answer = read), begun()]);
  });
  app.hear([BEHIND]);
  await asked;
  app.hear([{ type: 'work', session: running, active: false }]);
  answer([running, 'another']);
  await expect.poll(() => [...app.active]).toEqual(['another']);
});

test('where the end of a transfer may have been lost, it is shown no longer, and which models there are is read again', async () => {
  const { app, backend } = await appOn('first');
  const told = (model: string, done: number) => app.hear([{ type: 'pull', model, done, total: 100 }]);
  // One that was begun here ends with the answer to that.
  void app.pulls.fetch('local/mine', () => new Promise(() => undefined));
  told('local/mine', 10);
  told('local/starter', 20);
  told('local/meaning', 30);
  const list = await backend.models.list();
  backend.models.list = async () => ({ ...list, models: [] });
  app.hear([BEHIND]);
  expect([...app.pulls.keys()]).toEqual(['local/mine']);
  await expect.poll(() => app.models?.models).toEqual([]);
  // One that still goes on tells of itself.
  told('local/meaning', 40);
  expect(app.pulls.get('local/meaning')?.done).toBe(40);
});
