import { expect, test } from 'vitest';
import { appOn } from './mounted.test-data';

/** A window whose engine takes or refuses a choice when the test says so. */
async function choosing() {
  const { app, backend } = await appOn('sample');
  const { choose } = backend.models;
  const asked: [id: string | null, go: () => void, refuse: (why: Error) => void][] = [];
  backend.models.choose = async (role, id) => {
    await new Promise<void>((go, refuse) => asked.push([id, go, refuse]));
    await choose(role, id);
  };
  return { app, asked, ids: () => asked.map(([id]) => id) };
}

test('of choices for a role the newest holds, also where an older one takes longer', async () => {
  const { app, asked, ids } = await choosing();
  const made = [app.choices.choose('default', 'openai/x')];
  await expect.poll(ids).toEqual(['openai/x']);
  for (const id of ['openai/y', 'local/starter']) made.push(app.choices.choose('default', id));
  expect(app.choices.of('default')).toBe('local/starter');
  asked[0]?.[1]();
  // What was chosen in between nobody wants any more.
  await expect.poll(ids).toEqual(['openai/x', 'local/starter']);
  expect(app.choices.of('default')).toBe('local/starter');
  asked[1]?.[1]();
  await Promise.all(made);
  expect([app.choices.of('default'), app.models?.chosen.default]).toEqual([undefined, 'local/starter']);
});

test('one that is refused is told where it is still wanted, and what is chosen for another role waits for neither', async () => {
  const { app, asked, ids } = await choosing();
  const planner = app.choices.choose('planner', 'openai/x');
  const step = app.choices.choose('step', 'local/starter');
  await expect.poll(ids).toEqual(['openai/x', 'local/starter']);
  asked[1]?.[1]();
  await step;
  expect([app.models?.chosen.step, app.choices.of('planner')]).toEqual(['local/starter', 'openai/x']);

  const none = app.choices.choose('planner', null);
  expect(app.choices.of('planner')).toBe(null);
  asked[0]?.[2](new Error('the keyring stays locked'));
  await planner;
  await expect.poll(ids).toHaveLength(3);
  asked[2]?.[2](new Error('the disk is full'));
  await expect(none).rejects.toThrow('the disk is full');
  expect(app.choices.of('planner')).toBe(undefined);
});
