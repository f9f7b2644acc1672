import { screen, waitFor } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, test, vi } from 'vitest';
import type { JsonValue } from '../../backend/bindings';
import { appOn, mounted } from '../../app/mounted.test-data';
import { outlineOf } from '../../model/outline';
import Inspector from './Inspector.svelte';
import Toolset from './Toolset.svelte';

async function opened(scene = appOn('discovery')) {
  const { app } = await scene;
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

/** The run of the scene in a window, where what its search for tools gave is too long to stand in its event. */
async function longSearch() {
  const { app, backend, ...rest } = await appOn('discovery');
  const events = [...backend.world.events.values()].flat();
  const gave = (value: JsonValue) => typeof value === 'object' && value !== null && 'results' in value;
  const ended = events.find(
    (event) => event.kind === 'call_ended' && 'inline' in event.output && gave(event.output.inline),
  );
  if (ended?.kind !== 'call_ended' || !('inline' in ended.output)) throw new Error('nothing was searched');
  const found = ended.output.inline;
  ended.output = { blob: 'sha', bytes: 4000, preview: '{"results":[{"na' };
  let give = (_: JsonValue): void => undefined;
  const read = vi.fn<() => Promise<JsonValue>>(() => new Promise((done) => (give = done)));
  backend.contents.read = read;
  const { session } = await opened(Promise.resolve({ app, backend, ...rest }));
  session.tab = 'tools';
  mounted(Inspector as never, { session }, app);
  const { run } = session;
  if (!run) throw new Error('there is no run');
  const happen = async () => {
    const place = { session: session.id, turn: run.turn ?? '', run: run.id };
    backend.world.commit(place, { kind: 'warned', message: 'it takes long' });
    await tick();
  };
  const searches = () => screen.getByTestId('searches').textContent;
  return { app, backend, read, give: () => give(found), happen, searches };
}

test('what a search gave is said to be loading until it is read, and never that nothing fits', async () => {
  const { read, give, happen, searches } = await longSearch();
  await screen.findByTestId('searches');
  expect(searches()).toContain('Loading…');
  expect(searches()).not.toContain('Nothing fits');
  await happen();
  expect(searches()).toContain('Loading…');
  give();
  await waitFor(() => expect(searches()).toContain('fetch_page'));
  expect(searches()).not.toMatch(/Loading…|Nothing fits/);
  await happen();
  expect(searches()).toContain('fetch_page');
  expect(read).toHaveBeenCalledOnce();
});

test('while the tools are shown, what else happens in the run does not have anything looked for again', async () => {
  const { app, give, happen } = await longSearch();
  give();
  await screen.findAllByTestId('found-tool');
  const looked = vi.spyOn(app.backend.tools, 'find');
  await happen();
  await happen();
  expect(looked).not.toHaveBeenCalled();
});
