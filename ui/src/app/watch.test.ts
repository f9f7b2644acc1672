import { expect, test } from 'vitest';
import type { Backend } from '../backend/backend';
import { scriptedBackend } from '../backend/scripted';
import type { Clock } from './clock';
import { PATIENCE_MS, Watch } from './watch.svelte';

/** A watched engine, and a clock that the test moves. */
function watched() {
  let now = 1_700_000_000_000;
  let look: () => void = () => undefined;
  const clock: Clock = {
    now: () => now,
    every: (_, act) => {
      look = act;
      return () => undefined;
    },
    after: () => () => undefined,
  };
  const scripted = scriptedBackend(now);
  const watch = new Watch(clock);
  const pass = (ms: number) => {
    now += ms;
    look();
  };
  return { watch, world: scripted.world, backend: watch.over(scripted), pass };
}

const calls: Record<string, (backend: Backend) => Promise<unknown>> = {
  'a message that is sent': (backend) => backend.messages.send('none', 'words'),
  'a plan that is imported': (backend) => backend.plans.import('/home/ada', '{}'),
  'an approval': (backend) => backend.plans.run({ id: 'none', version: 1, digest: '' }),
};

for (const [name, call] of Object.entries(calls)) {
  test(`${name} and is not answered is told of after a while, until the answer comes`, async () => {
    const { watch, world, backend, pass } = watched();
    world.silent = true;
    const answered = call(backend).catch(() => undefined);
    pass(PATIENCE_MS - 1);
    expect(watch.silentFor).toBe(0);
    pass(1);
    expect(watch.silentFor).toBe(PATIENCE_MS);
    pass(1000);
    expect(watch.silentFor).toBe(PATIENCE_MS + 1000);
    world.speak();
    await answered;
    expect(watch.silentFor).toBe(0);
  });
}

test('what waits for a person is no silence', () => {
  const { watch, world, backend, pass } = watched();
  world.silent = true;
  void backend.desktop.pickFolder();
  pass(PATIENCE_MS * 10);
  expect(watch.silentFor).toBe(0);
});

test('a keyring that waits to be unlocked is no silence, and the window does not go before it is', async () => {
  const { watch, world, backend, pass } = watched();
  world.silent = true;
  const endpoint = { id: 'mine', baseUrl: 'https://models.example/v1' };
  const kept = backend.models.setKey('openai', 'sk-1');
  const others = [
    backend.models.providers(),
    backend.models.addProvider({ ...endpoint, protocol: 'openai', contextTokens: 8192, plain: false }, false),
    backend.models.forgetKey('openai'),
    backend.models.removeProvider('mine'),
    backend.models.choose('planner', 'openai/large'),
    backend.tools.keys('office').catch(() => undefined),
    backend.vault
      .add({ name: 'crm', hosts: ['api.example'], tools: [], secret: 'secret' }, false)
      .catch(() => undefined),
    backend.vault.remove('crm').catch(() => undefined),
  ];
  pass(PATIENCE_MS * 10);
  expect(watch.silentFor).toBe(0);
  let isQuiet = false;
  const quiet = watch.untilQuiet().then(() => (isQuiet = true));
  await new Promise((done) => setTimeout(done));
  expect(isQuiet).toBe(false);
  world.speak();
  await Promise.all([kept, ...others, quiet]);
  expect(isQuiet).toBe(true);
});
