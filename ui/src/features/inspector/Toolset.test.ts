import { screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { outlineOf } from '../../model/outline';
import Toolset from './Toolset.svelte';

async function opened() {
  const { app } = await appOn('discovery');
  await app.open(app.rows.find((one) => one.title === 'The list on the web')?.id ?? '');
  const { session } = app;
  if (!session) throw new Error('it is not open');
  return { app, session };
}
const about = () => screen.getByTestId('shown-about').textContent?.replace(/\s+/g, ' ').trim();

test('what the planner was told of is shown where no run has asked, and how it was looked for', async () => {
  const { app, session } = await opened();
  const { state } = session;
  session.state = { ...state, runs: new Map(), plans: new Map() };
  await session.lookAtOffer();
  mounted(Toolset as never, { plan: null, outline: null, run: null, session }, app);
  expect(about()).toBe(
    'In the newest request, of the planner. It is told of tools and calls none. ' +
      'What fits the message was looked for. Compared by words alone, not by meaning.',
  );
  expect(screen.getByTestId('shown-tools').textContent).toContain('told to the planner');
});

test('what a step was shown is told of its own run alone', async () => {
  const { app, session } = await opened();
  const { run } = session;
  const plan = run && (await app.backend.plans.get(run.plan.id)).plan;
  if (!run || !plan) throw new Error('there is no run');
  await session.lookAtOffer();
  const outline = outlineOf(plan, run);
  const { unmount } = mounted(Toolset as never, { plan, outline, run, session }, app);
  expect(about()).toBe('In the newest request, of step 2.');
  unmount();
  mounted(Toolset as never, { plan, outline, run: { ...run, id: 'another' }, session }, app);
  expect(screen.queryByTestId('shown-about')).toBe(null);
});
