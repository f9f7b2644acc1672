import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { another, appOn, mounted } from '../../app/mounted.test-data';
import Inspector from './Inspector.svelte';

const RELIST = 'Find which licences mention patents, in two folders';

/** The inspector on the newest plan of a scene, at its steps. */
async function shown(scene: string) {
  const { app, backend } = await appOn(scene);
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const session = await app.attend(plan.sessionId);
  session.tab = 'steps';
  const card = session.card(plan.id);
  await card.load();
  mounted(Inspector as never, { session }, app);
  const steps = async () =>
    (await screen.findAllByTestId('inspect-step')).map((step) => [
      step.querySelector('.title')?.textContent.replace(/^\d+ /, ''),
      step.querySelector('small')?.textContent.split(' · ')[0],
    ]);
  const calls = () => screen.queryAllByTestId('ledger-call').length;
  return { app, backend, session, card, steps, calls };
}

test('a version that was never carried out has nothing of the run before it, saved or not', async () => {
  const { card, steps, calls } = await shown('done');
  expect(new Set((await steps()).map(([, state]) => state))).toEqual(new Set(['done']));
  expect(calls()).toBeGreaterThan(0);
  await card.edit({ op: 'set_description', step: 's2', description: RELIST });
  await waitFor(async () => expect((await steps())[1]).toEqual([RELIST, 'not started']));
  expect(new Set((await steps()).map(([, state]) => state))).toEqual(new Set(['not started']));
  expect([calls(), screen.queryByTestId('replay')]).toEqual([0, null]);
  await card.save();
  expect(card.view?.plan.version).toBe(2);
  expect((await steps())[1]).toEqual([RELIST, 'not started']);
  expect(calls()).toBe(0);
});

test('the slider of a run that goes on says why it cannot be moved, and stays where it is', async () => {
  await shown('running');
  const slider = await screen.findByTestId<HTMLInputElement>('replay-slider');
  const is = (...names: string[]) => names.map((name) => slider.getAttribute(name));
  const why = 'Can be replayed once the run is over.';
  expect(is('aria-disabled', 'aria-description', 'disabled')).toEqual(['true', why, null]);
  const place = slider.value;
  await fireEvent.input(slider, { target: { value: '1' } });
  expect([slider.value, screen.getByTestId('replay-place').textContent]).toEqual([
    place,
    `${place} / ${place}`,
  ]);
});

test('a run that goes on is shown on what it carries out, whatever the next version says', async () => {
  const { card, steps } = await shown('running');
  const before = await steps();
  expect(before[0]?.[1]).toBe('done');
  await card.edit({ op: 'set_description', step: 's2', description: RELIST });
  await card.save();
  await waitFor(() => expect(card.view?.plan.version).toBe(2));
  await waitFor(async () => expect(await steps()).toEqual(before));
});

test('beside an older plan the trace of the chosen turn is shown, until the plan is gone back to', async () => {
  const { backend, session, card } = await shown('done');
  session.inspect(card.id);
  const place = { session: session.id, turn: 'later' };
  const error = 'what the planner wrote could not be read';
  const planner = { kind: 'model_replied', purpose: 'plan', model: 'm', durationMs: 1 } as const;
  const usage = { input: 9, cached: 0, output: 9 };
  backend.world.commit(
    place,
    { kind: 'message_received', text: 'Now the other folder' },
    {
      ...planner,
      usage,
      text: { inline: 'Sure! Here is the plan:' },
      faults: [{ stage: 'parse', path: [], message: 'it holds no JSON object' }],
    },
    { kind: 'model_failed', purpose: 'plan', model: 'm', error: 'the model is away', retrying: false },
    { kind: 'turn_ended', status: 'failed', error },
  );
  session.inspectTurn('later');
  const pane = await screen.findByTestId('turn-planning');
  const says = pane.textContent.replace(/\s+/g, ' ');
  for (const part of [
    '1 model call',
    'Now the other folder',
    error,
    'it holds no JSON object',
    'the model is away',
  ])
    expect(says).toContain(part);
  expect(says).toContain('Sure! Here is the plan:');
  expect([screen.queryByTestId('replay'), screen.queryByTestId('planning')]).toEqual([null, null]);
  await fireEvent.click(screen.getByTestId('to-plan'));
  await screen.findByTestId('planning');
  expect([screen.queryByTestId('turn-planning'), session.inspected.plan]).toEqual([null, card.id]);
});

test('without any plan the trace is that of the newest turn that was planned, which leads back to nothing', async () => {
  const { app, backend } = await appOn('sample');
  const { id } = await backend.sessions.create('/home/me/work');
  const session = await app.attend(id);
  await session.send('Hello');
  backend.world.settle();
  session.tab = 'trace';
  mounted(Inspector as never, { session }, app);
  expect((await screen.findByTestId('turn-planning')).textContent).toContain('Hello');
  expect(screen.queryByTestId('to-plan')).toBe(null);
});

test('which versions are compared is chosen for one plan only, and what cannot be compared is not shown as the last was', async () => {
  const { backend, session, card } = await shown('proposed');
  const first = card.id;
  const [document] = await backend.plans.list();
  if (!document) throw new Error('the scene has no plan');
  const other = another(backend, document, 'Another');
  for (const plan of [first, other.id])
    for (const version of [1, 2])
      await backend.plans.edit(plan, version, [{ op: 'set_title', title: `Title ${version + 1}` }]);
  session.inspect(first);
  session.tab = 'changes';
  const from = async () => (await screen.findByTestId<HTMLSelectElement>('compare-from')).value;
  expect(await from()).toBe('2');
  await fireEvent.change(screen.getByTestId('compare-from'), { target: { value: '1' } });
  const changes = () => screen.getByTestId('changes').textContent;
  await waitFor(() => expect(changes()).toContain('Title 3'));
  session.inspect(other.id);
  await waitFor(async () => expect(await from()).toBe('2'));
  await waitFor(() => expect(changes()).toContain('Title 3'));

  backend.world.failures.push({ code: 'internal', message: 'the disk is away' });
  await fireEvent.change(screen.getByTestId('compare-from'), { target: { value: '3' } });
  expect((await screen.findByTestId('changes-error')).textContent).toContain('the disk is away');
  expect(screen.getByTestId('changes').querySelector('ins')).toBe(null);
});

/** The inspector on a session in which one more plan is proposed when the test says so. */
async function followed(scene: string) {
  const { backend, session, ...rest } = await shown(scene);
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const renewed = () => another(backend, plan, 'Another plan').id;
  const which = () => screen.queryByTestId('inspected-plan')?.querySelector('span')?.textContent ?? null;
  const press = async (testid: string) => fireEvent.click(await screen.findByTestId(testid));
  const choose = (tab: string) => press(`inspector-tab-${tab}`);
  return { ...rest, backend, session, plan, renewed, which, press, choose };
}

test('whichever tab is chosen, the plan that comes next is followed, and which one is shown is said', async () => {
  const { session, which, renewed, choose } = await followed('done');
  await choose('graph');
  await choose('steps');
  expect(which(), 'there is one only').toBe(null);
  const id = renewed();
  await waitFor(() => expect(which()).toBe('Another plan'));
  expect([session.inspectedPlan, screen.queryByTestId('to-newest-plan')]).toEqual([id, null]);
});

test('a plan is held while a step of it is open, and the newest is shown again after that', async () => {
  const { session, plan, which, renewed, press } = await followed('done');
  await fireEvent.click((await screen.findAllByTestId('inspect-step'))[1] as HTMLElement);
  renewed();
  await waitFor(() => expect(which()).toBe(plan.title));
  screen.getByTestId('to-newest-plan');
  await press('step-back');
  await waitFor(() => expect(which()).toBe('Another plan'));
  expect(session.inspected.plan).toBe(null);
});

test('a plan is held while a version of it is shown whole', async () => {
  const { plan, which, renewed, press, choose } = await followed('done');
  await choose('changes');
  await press('whole-1');
  renewed();
  await waitFor(() => expect(which()).toBe(plan.title));
  await press('versions-back');
  await waitFor(() => expect(which()).toBe('Another plan'));
});

test('a plan is held while a run of it is shown that was chosen', async () => {
  const { card, session, plan, which, renewed } = await followed('done');
  await card.edit({ op: 'set_description', step: 's2', description: RELIST });
  await card.save();
  const picker = await screen.findByTestId<HTMLSelectElement>('run-picker');
  await fireEvent.change(picker, { target: { value: session.run?.id } });
  renewed();
  await waitFor(() => expect(which()).toBe(plan.title));
  await fireEvent.change(picker, { target: { value: 'plan' } });
  await waitFor(() => expect(which()).toBe('Another plan'));
});

test('the plan that was chosen stays, whatever is opened and left of it, until the newest is asked for', async () => {
  const { session, plan, which, renewed, press, choose } = await followed('done');
  session.inspect(plan.id);
  renewed();
  await waitFor(() => expect(which()).toBe(plan.title));
  await choose('graph');
  await choose('steps');
  await fireEvent.click((await screen.findAllByTestId('inspect-step'))[0] as HTMLElement);
  await press('step-back');
  session.inspectTurn(session.state.turns[0]?.id ?? '');
  await press('to-plan');
  expect([session.inspected.plan, which()]).toEqual([plan.id, plan.title]);
  await press('to-newest-plan');
  await waitFor(() => expect(which()).toBe('Another plan'));
  expect(screen.queryByTestId('to-newest-plan')).toBe(null);
});

test('who goes back from how a turn was planned follows the newest plan as before', async () => {
  const { session, plan, which, renewed, press } = await followed('done');
  session.inspectTurn(session.state.turns.find((turn) => turn.plans.includes(plan.id))?.id ?? '');
  await press('to-plan');
  renewed();
  await waitFor(() => expect(which()).toBe('Another plan'));
});
