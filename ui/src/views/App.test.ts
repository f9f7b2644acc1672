import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { another, appOn, mounted } from '../app/mounted.test-data';
import Window from './App.svelte';
import { panes } from './panes.svelte';

beforeEach(() => {
  localStorage.clear();
  [panes.drawer, panes.sidebar, panes.inspector] = [null, true, true];
});

/** The window on a session with a plan, which is shown. */
async function shown(scene = 'proposed') {
  const { app, backend } = await appOn(scene);
  mounted(Window as never, { app }, app);
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const session = await app.attend(plan.sessionId);
  await app.open(session.id);
  await screen.findByTestId('turns');
  return { app, backend, plan, session };
}
const press = (key: string, more: KeyboardEventInit = {}, on: Element = document.body) =>
  fireEvent.keyDown(on, { key, bubbles: true, ...more });

test('the key for the inspector does something only where there is one', async () => {
  const { app } = await shown();
  app.go({ view: 'inbox' });
  await screen.findByTestId('inbox');
  await press('i', { ctrlKey: true });
  expect([panes.drawer, panes.inspector]).toEqual([null, true]);
  await app.open(app.session?.id ?? '');
  await screen.findByTestId('turns');
  await press('i', { ctrlKey: true });
  // The window of these tests is narrow.
  expect(panes.drawer).toBe('inspector');
});

test('Escape empties what is looked for before it leaves the page', async () => {
  const { app } = await shown();
  app.go({ view: 'search', text: 'invoices' });
  const field = await screen.findByTestId<HTMLInputElement>('search-input');
  await press('Escape', {}, field);
  expect([field.value, app.route.view]).toEqual(['', 'search']);
  await press('Escape', {}, field);
  await waitFor(() => expect(app.route.view).toBe('session'));
});

test('an Escape that ends the composition of a word neither leaves the page nor empties a field', async () => {
  const { app } = await shown();
  app.go({ view: 'search', text: 'invoices' });
  const field = await screen.findByTestId<HTMLInputElement>('search-input');
  await press('Escape', { isComposing: true }, field);
  await press('Escape', { isComposing: true });
  expect([field.value, app.route.view]).toEqual(['invoices', 'search']);
});

test('the tools of the newest request are shown without holding on to the plan of then', async () => {
  const { app, backend, plan, session } = await shown('discovery');
  await session.lookAtOffer();
  await fireEvent.click(await screen.findByTestId('tool-meter'));
  expect([session.tab, panes.drawer]).toEqual(['tools', 'inspector']);
  const next = another(backend, plan, 'Another plan');
  expect(session.inspectedPlan).toBe(next.id);
  expect(app.error).toBe(null);
});
