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
  await fireEvent.click(screen.getByTestId('import-again'));
  await screen.findByTestId('import-fault');
  expect([made(), told.mock.calls]).toEqual([before, []]);
  shown.unmount();
  const text = JSON.stringify({ ...plan, title: 'Brought along' });
  mounted(Import as never, { text, close: () => undefined }, app);
  const again = screen.getByTestId('import-again');
  expect(document.activeElement, 'Enter takes it').toBe(again);
  await fireEvent.click(again);
  await waitFor(() => expect(app.session).not.toBe(null));
  expect(backend.world.session(app.session?.id ?? '').title).toBe('Brought along');
  expect(made()).toBe(before + 1);
});

test('a plan file goes into the folder that was chosen, and into none before that is said', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const before = backend.world.sessions.size;
  mounted(Import as never, { text: JSON.stringify(plan), close: () => undefined }, app);
  const into = () => screen.getByTestId('into-folder').textContent;
  expect(into()).toContain(app.folder);
  const other = app.workspaces.find((one) => one.usable && one.path !== app.folder)?.path ?? '';
  await fireEvent.click(screen.getByTestId('workspace'));
  await fireEvent.click(screen.getByTestId(`workspace-${other}`));
  expect([into().includes(other), backend.world.sessions.size]).toEqual([true, before]);
  await fireEvent.click(screen.getByTestId('import-again'));
  await waitFor(() => expect(app.session).not.toBe(null));
  expect(backend.world.session(app.session?.id ?? '').workspace).toBe(other);
});

test('a plan file that nobody has changed goes to the engine as it is, and what was changed with all of its digits', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const file = JSON.stringify({ ...plan, extractedContext: { id: 1 } }).replace(
    '"id":1',
    '"id":12345678901234567890',
  );
  const sent: string[] = [];
  const take = backend.plans.import;
  backend.plans.import = (folder, text) => {
    sent.push(text);
    return take(folder, text);
  };
  const shown = mounted(Import as never, { text: file, close: () => undefined }, app);
  const area = screen.getByTestId<HTMLTextAreaElement>('import-text');
  expect(area.value).toContain('\n    "id": 12345678901234567890\n');
  await fireEvent.click(screen.getByTestId('import-again'));
  await waitFor(() => expect(sent).toEqual([file]));
  shown.unmount();
  mounted(Import as never, { text: file, close: () => undefined }, app);
  const again = screen.getByTestId<HTMLTextAreaElement>('import-text');
  await fireEvent.input(again, { target: { value: again.value.replace(plan?.title ?? '', 'Mine') } });
  await fireEvent.click(screen.getByTestId('import-again'));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]).toContain('"title": "Mine"');
  expect(sent[1]).toContain('"id": 12345678901234567890');
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
