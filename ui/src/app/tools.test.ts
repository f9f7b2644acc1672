import { expect, test, vi } from 'vitest';
import { appOn } from './mounted.test-data';

const FOLDER = '/home/ada/Tickets/';

/** A window in which a plan is open whose first step has to call a tool of a folder that was not added yet. */
async function opened() {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const session = await app.attend(plan.sessionId);
  const card = session.card(plan.id);
  await card.load();
  const faults = () => card.check?.faults.map((fault) => fault.message);
  const names = () => app.tools.all.map((tool) => tool.name);
  const require = (name: string) =>
    card.edit({ op: 'set_required_tools', step: 's1', requiredTools: [name] });
  return { app, backend, plan, card, faults, names, require };
}

test('a fault that is mended where tools are kept holds up its plan no longer, and one that is made there does', async () => {
  const { app, card, faults, require } = await opened();
  await require('tickets.list');
  expect(faults()).toEqual(['there is no tool tickets.list']);
  await app.tools.take(app.backend.tools.addSource('tickets', FOLDER));
  await expect.poll(faults).toEqual([]);
  expect(card.dirty).toBe(true);
  await app.tools.take(app.backend.tools.removeSource('tickets'));
  await expect.poll(faults).toEqual(['there is no tool tickets.list']);
});

test('a plan that cannot be approved any more is marked at the steps that do not hold', async () => {
  const { app, backend, card, faults, require } = await opened();
  await backend.tools.addSource('tickets', FOLDER);
  await require('tickets.list');
  expect(await card.save()).toBe(true);
  expect([faults(), card.dirty]).toEqual([[], false]);
  const approve = backend.plans.approve;
  backend.plans.approve = async (plan, note) => {
    const { check } = await backend.plans.get(plan.id);
    if (check.faults.length > 0) backend.world.fail('plan_faults', 'the plan cannot run', check.faults);
    return approve(plan, note);
  };
  // Another program has done that, of which nothing was told here.
  await backend.tools.removeSource('tickets');
  expect(await card.approve()).toBe(false);
  await expect.poll(faults).toEqual(['there is no tool tickets.list']);
  expect(card.error?.code).toBe('plan_faults');
  expect(app.error).toBe(null);
});

test('tools that the engine has found by itself are known once there is a plan or a run is over', async () => {
  const { backend, plan, card, faults, names, require } = await opened();
  await require('tickets.list');
  await backend.tools.addSource('tickets', FOLDER);
  expect([names().includes('tickets.list'), faults()]).toEqual([false, ['there is no tool tickets.list']]);
  await backend.plans.edit(plan.id, 1, [{ op: 'set_title', title: 'Another' }]);
  await expect.poll(names).toContain('tickets.list');
  await expect.poll(faults).toEqual([]);
  await backend.tools.removeSource('tickets');
  await card.discard();
  expect(await card.approve()).toBe(true);
  backend.world.settle();
  for (const row of await backend.requests.open())
    await backend.requests.answer(row.request.id, { type: 'approve' });
  expect(names()).toContain('tickets.list');
  backend.world.settle();
  await expect.poll(names).not.toContain('tickets.list');
});

test('tools that are read again and are the same are told to nobody as others', async () => {
  const { app, backend, card } = await opened();
  await app.tools.read();
  const { all, catalogue } = app.tools;
  const { view } = card;
  await app.tools.read();
  expect([app.tools.all === all, app.tools.catalogue === catalogue, card.view === view]).toEqual([
    true,
    true,
    true,
  ]);
  const load = vi.spyOn(card, 'load');
  // As when Tools is opened.
  await app.tools.take(backend.tools.list());
  expect([app.tools.all === all, load.mock.calls]).toEqual([true, []]);
  await app.tools.take(backend.tools.addSource('tickets', FOLDER));
  expect(load).toHaveBeenCalledOnce();
});

test('an older answer about tools never takes the place of a newer one, whichever was asked for first', async () => {
  const { app, backend, names } = await opened();
  const { list, addSource } = backend.tools;
  /** What the engine has answered, and what comes of it when the test says so. */
  const late = <T>(answer: Promise<T>) => {
    let come = () => {};
    const held = new Promise<void>((done) => (come = done));
    return { come: () => come(), answer: answer.then((one) => held.then(() => one)) };
  };
  const old = late(list());
  backend.tools.list = () => {
    backend.tools.list = list;
    return old.answer;
  };
  const read = app.tools.read();
  await app.tools.take(addSource('tickets', FOLDER));
  expect(names()).toContain('tickets.list');
  old.come();
  await read;
  expect(names()).toContain('tickets.list');

  const looked = late(list());
  const taken = app.tools.take(looked.answer);
  await backend.tools.removeSource('tickets');
  await app.tools.read();
  looked.come();
  await taken;
  expect(names()).not.toContain('tickets.list');

  // What was read while it was added is from before.
  const added = late(addSource('tickets', FOLDER));
  const adding = app.tools.take(added.answer);
  await backend.tools.setStudio(false);
  await app.tools.read();
  added.come();
  await adding;
  expect(names()).toContain('tickets.list');
});
