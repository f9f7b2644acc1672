import { fireEvent, screen } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { appOn, mounted } from '../app/mounted.test-data';
import Window from './App.svelte';
import { panes } from './panes.svelte';

beforeEach(() => {
  localStorage.clear();
  [panes.drawer, panes.sidebar, panes.inspector] = [null, true, true];
});

/** What of these elements says that it goes in the direction of its own words. */
const own = (elements: readonly Element[]) =>
  elements.map(
    (one) =>
      [one, ...one.querySelectorAll('*')].find((part) => part.matches('[dir="auto"], bdi'))?.textContent,
  );

test('what people and models have named goes in the direction of its own words', async () => {
  const { app, backend } = await appOn('question');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  await app.rename(plan.sessionId, 'רישיונות');
  mounted(Window as never, { app }, app);
  await app.open(plan.sessionId);
  expect(own([await screen.findByText('רישיונות', { selector: '[data-testid="session"] *' })])).toEqual([
    'רישיונות',
  ]);
  const asked = app.inbox.find((row) => row.session === plan.sessionId)?.request.prompt;
  const request = await screen.findByTestId('request');
  expect(own([...request.querySelectorAll('h2')])).toEqual([asked]);
  const described = plan.steps.map((step) => step.description);
  expect(own(await screen.findAllByTestId('step'))).toEqual(described);
});

test('a line that is written in goes in the direction of what is written', async () => {
  const { app } = await appOn('proposed');
  mounted(Window as never, { app }, app);
  app.go({ view: 'search', text: '' });
  expect((await screen.findByTestId('search-input')).getAttribute('dir')).toBe('auto');
  await app.open(app.rows.find((row) => app.plansIn.has(row.id))?.id ?? '');
  await fireEvent.click(await screen.findByTestId('add-step'));
  expect((await screen.findByTestId('add-input')).getAttribute('dir')).toBe('auto');
});
