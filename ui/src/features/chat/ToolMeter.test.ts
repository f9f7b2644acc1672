import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import ToolMeter from './ToolMeter.svelte';

const meter = async () => (await screen.findByTestId('tool-meter')).textContent?.replace(/\s+/g, ' ').trim();

async function of(scene: string, title: string) {
  const { app, backend } = await appOn(scene);
  const row = app.rows.find((one) => one.title === title);
  await app.open(row?.id ?? '');
  const { session } = app;
  if (!session) throw new Error('it is not open');
  mounted(ToolMeter, { session, show: () => undefined }, app);
  return { app, backend, session };
}

test('before a run the meter tells what the planner was told of, and afterwards of which step it tells', async () => {
  const { session } = await of('discovery', 'The list on the web');
  expect(await meter()).toMatch(
    /^Tools: \d+\/3\.8k tokens in the newest request, of step 2\. 1 tool left out\. Show which/,
  );
  const { state } = session;
  session.state = { ...state, runs: new Map() };
  await waitFor(async () =>
    expect(await meter()).toMatch(
      /^Tools: \d+\/3\.8k tokens in the newest request, of the planner\. Show which/,
    ),
  );
});
