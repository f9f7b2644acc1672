import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { Card } from '../../app/card.svelte';
import { appOn, mounted } from '../../app/mounted.test-data';
import Decide from './Decide.svelte';
import Steps from './Steps.svelte';

/* A key that is held does once what it does: what has the focus after that is another step, or another note. */

beforeEach(() => localStorage.clear());

async function opened() {
  const { app, backend, clock } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const card = new Card(plan.id, app.backend, clock);
  await card.load();
  return { app, backend, card };
}

test('Delete removes one step', async () => {
  const { app, card } = await opened();
  const none = { run: null, faults: new Map(), comments: [], inspect: () => undefined };
  mounted(Steps as never, { card, editable: true, ...none }, app);
  const steps = () => card.document?.steps.map((step) => step.id);
  const press = async (repeat: boolean) => {
    const last = screen.getAllByTestId('step').at(-1) as HTMLElement;
    const goesOn = await fireEvent.keyDown(last, { key: 'Delete', repeat });
    // What was asked for before has had its turn then.
    await card.edit();
    return goesOn;
  };
  await press(false);
  await waitFor(() => expect(screen.getAllByTestId('step')).toHaveLength(3));
  // Nor does it do something else in the page.
  expect(await press(true)).toBe(false);
  expect(steps()).toEqual(['s1', 's2', 's3']);
  await press(false);
  expect(steps()).toEqual(['s1', 's2']);
});

test('Enter sends one note', async () => {
  const { app, backend, card } = await opened();
  mounted(Decide as never, { card, waits: true, ends: false }, app);
  const status = async () => (await backend.plans.history(card.id)).at(-1)?.status;
  card.writing.open('note:reject');
  const note = await screen.findByTestId('note');
  expect(await fireEvent.keyDown(note, { key: 'Enter', repeat: true })).toBe(false);
  expect([card.deciding, await status()]).toEqual([null, 'proposed']);
  await fireEvent.keyDown(note, { key: 'Enter' });
  await waitFor(async () => expect(await status()).toBe('rejected'));
});
