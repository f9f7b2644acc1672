import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Import from './Import.svelte';
import Library from './Library.svelte';

beforeEach(() => localStorage.clear());

test('opening a plan leads to that plan in its chat, unfolded and beside it, also where another came later', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  await backend.plans.reject({ ...(await backend.plans.get(plan.id)).reference });
  await backend.plans.import(plan.sessionId, JSON.stringify({ ...plan, title: 'Another' }));
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

test('a plan goes from the list with its session, and one that is proposed meanwhile comes', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  mounted(Library as never, {}, app);
  await screen.findByText(plan.title);
  const { id } = await backend.sessions.create('/home/ada');
  await backend.plans.import(id, JSON.stringify({ ...plan, title: 'Proposed meanwhile' }));
  await screen.findByText('Proposed meanwhile');
  await app.archive(plan.sessionId, true);
  await backend.plans.import(id, JSON.stringify({ ...plan, title: 'The last' }));
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
