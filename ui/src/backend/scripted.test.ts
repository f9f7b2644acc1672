import { expect, test, vi } from 'vitest';
import { scriptedBackend } from './scripted';
import { openScene } from './scripted/scenes';

const NOW = 1_700_000_000_000;

/** The scene's newest plan. */
async function newest(scene: string) {
  const backend = openScene(scene, NOW);
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error(`the scene ${scene} has no plan`);
  return { backend, plan };
}

test('approving a version replaces those before it, decided or not, and leaves later ones', async () => {
  const { backend, plan } = await newest('proposed');
  const change = (description: string) =>
    backend.plans.edit(plan.id, 1, [{ op: 'set_description', step: 's1', description }]);
  const second = await change('Find it');
  await change('Find all of it');
  await backend.plans.approve(second);
  const history = await backend.plans.history(plan.id);
  expect(history.map((row) => row.status)).toEqual(['superseded', 'approved', 'proposed']);
});

test('approving another version ends the run of the one before, and what it asked', async () => {
  const { backend, plan } = await newest('confirm');
  expect(await backend.requests.open()).toHaveLength(1);
  const second = await backend.plans.edit(plan.id, 1, [
    { op: 'set_description', step: 's1', description: 'Find it' },
  ]);
  await backend.plans.approveForLater(second);
  expect(await backend.requests.open()).toEqual([]);
  expect((await backend.runs.list(plan.sessionId)).map((run) => run.status)).toEqual(['cancelled']);
});

test('a permission reaches as far as it was given, and no further than was offered', async () => {
  const { backend } = await newest('permit');
  const [first] = await backend.requests.open();
  if (!first) throw new Error('the scene asks nothing');
  await backend.requests.answer(first.request.id, { type: 'approve', reach: 'run' });
  expect((await backend.requests.allowed()).map(({ tool, reach }) => [tool, reach])).toEqual([
    ['bash', 'run'],
  ]);
  backend.world.settle();
  const [second, ...others] = await backend.requests.open();
  expect([second?.request.tool, others]).toEqual(['delete_file', []]);
  await expect(
    backend.requests.answer(second?.request.id ?? '', { type: 'approve', reach: 'run' }),
  ).rejects.toMatchObject({ code: 'answer_unfit' });
});

test('a plan is carried out again from a step on, and what was done before is taken over', async () => {
  const { backend, plan } = await newest('done');
  const { reference } = await backend.plans.get(plan.id);
  await backend.plans.run(reference, 's4');
  backend.world.settle();
  const runs = await backend.runs.list(plan.sessionId);
  const [first, second] = runs;
  expect(runs.map((run) => run.status)).toEqual(['completed', 'completed']);
  const events = (await backend.sessions.events(plan.sessionId, 0)).filter((one) => one.run === second?.id);
  const carried = events.flatMap((one) =>
    one.kind === 'step_ended' && one.carriedFrom === first?.id ? [one.step] : [],
  );
  expect(carried).toEqual(['s1', 's2', 's3']);
  expect(events.filter((one) => one.kind === 'call_started').map((one) => one.step)).toEqual(['s4']);
});

test('an answer to a question is the message of a turn of its own, in which the run goes on to its end', async () => {
  const answers: ((open: Awaited<ReturnType<typeof newest>>, request: string) => Promise<void>)[] = [
    ({ backend }, request) => backend.requests.answer(request, { type: 'value', value: ['one', 'two'] }),
    ({ backend, plan }, request) => backend.messages.send(plan.sessionId, 'one, two', undefined, request),
  ];
  for (const answer of answers) {
    const open = await newest('question');
    const { backend, plan } = open;
    const asked = (await backend.requests.open()).find((row) => row.request.kind === 'question');
    const before = backend.world.events.get(asked?.session ?? '')?.at(-1)?.seq ?? 0;
    await answer({ ...open, plan: { ...plan, sessionId: asked?.session ?? '' } }, asked?.request.id ?? '');
    backend.world.settle();
    const events = await backend.sessions.events(asked?.session ?? '', before);
    const [said] = events;
    expect(said).toMatchObject({ kind: 'message_received', text: 'one, two', answers: asked?.request.id });
    expect(said?.turn).not.toBe(asked?.turn);
    expect([...new Set(events.map((event) => event.turn))]).toEqual([said?.turn]);
    expect(events.filter((event) => event.kind === 'turn_ended').map((event) => event.status)).toEqual([
      'answered',
    ]);
  }
});

test('who opens it anew hears what happens in the place of who opened it before; who listens beside them goes on', async () => {
  const backend = scriptedBackend(NOW);
  const [first, second, beside] = [vi.fn(), vi.fn(), vi.fn()];
  backend.world.subscribe(beside);
  await backend.open(first);
  await backend.open(second);
  await backend.sessions.create('/home/ada');
  expect([first, second, beside].map((one) => one.mock.calls.length)).toEqual([0, 1, 1]);
});

test('what cannot be called or set is refused as by the engine, and changes nothing', async () => {
  const { backend, plan } = await newest('proposed');
  const before = backend.world.events.get(plan.sessionId)?.length;
  const refused = async (act: Promise<unknown>) => act.then(String, (error: { code: string }) => error.code);
  expect(await refused(backend.tools.call(plan.sessionId, 'toString', {}))).toBe('no_tool');
  expect(await refused(backend.tools.call('nowhere', 'grep', { pattern: 'x' }))).toBe('not_found');
  expect(backend.world.events.get(plan.sessionId)?.length).toBe(before);
  const settings = await backend.settings.change({});
  expect(await refused(backend.settings.change({ toolBudget: 99 }))).toBe('invalid');
  expect(await refused(backend.settings.change({ workspace: '/root/away' }))).toBe('folder_unusable');
  expect(await backend.settings.change({})).toEqual(settings);
  expect((await backend.settings.change({ zoom: 900 })).zoom).toBe(300);
});
