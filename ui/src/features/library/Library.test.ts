import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { another, appOn, mounted } from '../../app/mounted.test-data';
import Import from './Import.svelte';
import Library from './Library.svelte';

beforeEach(() => localStorage.clear());

test('opening a plan leads to that plan in its chat, unfolded and beside it, also where another came later', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  await backend.plans.reject({ ...(await backend.plans.get(plan.id)).reference });
  another(backend, plan, 'Another');
  mounted(Library as never, {}, app);
  await fireEvent.click(await screen.findByText(plan.title));
  await waitFor(() => expect(app.session?.inspected.plan).toBe(plan.id));
  expect([app.session?.revealed, app.session?.card(plan.id).folded]).toEqual([0, false]);
});

test('for a file that is no JSON no session is made: where it ceases to be is told at once', async () => {
  const { app, backend } = await appOn('proposed');
  const made = vi.spyOn(backend.sessions, 'create');
  mounted(Import as never, { text: '{\n  "format": \n}', close: () => undefined }, app);
  expect((await screen.findByTestId('import-fault')).textContent).toMatch(
    /^\s*3\s+this is no JSON from here on/,
  );
  expect(made).not.toHaveBeenCalled();
});

test('a plan that does not hold leaves no session behind, and one that does is in one of its name', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const made = () => backend.world.sessions.size;
  const before = made();
  const told = vi.fn();
  backend.world.subscribe(told);
  const [step] = plan.steps;
  const broken = JSON.stringify({ ...plan, steps: [{ ...step, requiredTools: ['fly'] }] });
  const shown = mounted(Import as never, { text: broken, close: () => undefined }, app);
  await screen.findByTestId('import-fault');
  expect([made(), told.mock.calls]).toEqual([before, []]);
  shown.unmount();
  const text = JSON.stringify({ ...plan, title: 'Brought along' });
  mounted(Import as never, { text, close: () => undefined }, app);
  await waitFor(() => expect(app.session).not.toBe(null));
  expect(backend.world.session(app.session?.id ?? '').title).toBe('Brought along');
  expect(made()).toBe(before + 1);
});

test('a plan goes from the list with its session, and one that is proposed meanwhile comes', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  mounted(Library as never, {}, app);
  await screen.findByText(plan.title);
  await backend.plans.import('/home/ada', JSON.stringify({ ...plan, title: 'Proposed meanwhile' }));
  await screen.findByText('Proposed meanwhile');
  await app.archive(plan.sessionId, true);
  await backend.plans.import('/home/ada', JSON.stringify({ ...plan, title: 'The last' }));
  await screen.findByText('The last');
  expect(screen.queryByText(plan.title)).not.toBeNull();
  await app.delete(plan.sessionId);
  await waitFor(() => expect(screen.queryByText(plan.title)).toBeNull());
  expect(screen.queryByText('Proposed meanwhile')).not.toBeNull();
});

test('what was deleted is not offered by a list that was read before', async () => {
  const { app, backend } = await appOn('proposed');
  const plans = await backend.plans.list();
  backend.plans.list = async () => plans;
  mounted(Library as never, {}, app);
  const [plan] = plans;
  await screen.findByText(plan?.title ?? '');
  await app.delete(plan?.sessionId ?? '');
  await waitFor(() => expect(screen.queryByText(plan?.title ?? '')).toBeNull());
});
