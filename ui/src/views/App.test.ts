import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { App } from '../app/app.svelte';
import { another, appOn, HandClock, mounted } from '../app/mounted.test-data';
import { BackendError } from '../backend/errors';
import { openScene } from '../backend/scripted/scenes';
import { reply } from '../backend/scripted/stories';
import { announce, spoken } from '../shared/announce.svelte';
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

test('held, Ctrl+Enter approves nothing: what it has sent before may be an objection', async () => {
  const { backend, plan } = await shown();
  const status = async () => (await backend.plans.history(plan.id)).at(-1)?.status;
  await screen.findByTestId('approve');
  const composer = screen.getByTestId('composer');
  await fireEvent.input(composer, { target: { value: 'Wait: leave out the drafts' } });
  await press('Enter', { ctrlKey: true }, composer);
  await waitFor(() => expect(screen.getAllByTestId('message')).toHaveLength(2));
  for (const on of [composer, document.body, screen.getByTestId('plan-card')])
    await press('Enter', { ctrlKey: true, repeat: true }, on);
  expect(await status()).toBe('proposed');
  await press('Enter', { ctrlKey: true });
  await waitFor(async () => expect(await status()).toBe('approved'));
});

test('held, Enter presses nothing more, and a field of several lines goes on having lines', async () => {
  await shown();
  const held = (on: Element, more = {}) => press('Enter', { repeat: true, cancelable: true, ...more }, on);
  // What is prevented is no press.
  expect(await held(await screen.findByTestId('approve'))).toBe(false);
  expect(await held(screen.getByTestId('session-filter'))).toBe(false);
  expect(await held(screen.getByTestId('plan-title'), { ctrlKey: true })).toBe(false);
  expect(await held(screen.getByTestId('composer'), { shiftKey: true })).toBe(true);
  expect(await press('Enter', { cancelable: true }, screen.getByTestId('approve'))).toBe(true);
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

const trouble = (session: string) =>
  ({ type: 'trouble', session, failure: { code: 'internal', message: 'the disk is full' } }) as const;

test('work that cannot go on in a session is told wherever a person is, and stands in the session once that is shown', async () => {
  const { app, backend, session } = await shown('question');
  app.go({ view: 'inbox' });
  const other = app.rows.find((row) => row.title === 'Weekly invoice check')?.id ?? '';
  // One that was open before, and one that was not.
  for (const [id, title] of [
    [session.id, app.rows.find((row) => row.id === session.id)?.title ?? ''],
    [other, 'Weekly invoice check'],
  ] as const) {
    app.go({ view: 'inbox' });
    backend.world.tell(trouble(id));
    const told = await screen.findByTestId('trouble');
    expect(told.textContent).toContain(`Work in “${title}” could not go on`);
    expect(told.textContent).toContain('the disk is full');
    // What is done elsewhere takes nothing of it away.
    await app.try(() => Promise.resolve());
    await fireEvent.click(screen.getByTestId('trouble-open'));
    expect((await screen.findByTestId('session-error')).textContent).toContain('the disk is full');
    await waitFor(() => expect(screen.queryByTestId('trouble')).toBe(null));
  }
  // In sight it is told where it happened.
  if (app.session) app.session.error = null;
  backend.world.tell(trouble(other));
  await screen.findByTestId('session-error');
  expect(screen.queryByTestId('trouble')).toBe(null);
});

test('what went wrong elsewhere goes when it was seen, and with its session', async () => {
  const { app, backend } = await shown('question');
  const [one, two] = app.rows.filter((row) => row.id !== app.session?.id).map((row) => row.id);
  for (const id of [one, one, two]) backend.world.tell(trouble(id ?? ''));
  await waitFor(() => expect(screen.getAllByTestId('trouble')).toHaveLength(2));
  await fireEvent.click(screen.getAllByTestId('trouble-dismiss')[0] as HTMLElement);
  expect(app.troubles.all.map(({ session }) => session)).toEqual([two]);
  await app.delete(two ?? '');
  await waitFor(() => expect(screen.queryByTestId('trouble')).toBe(null));
});

test('a message that fails in planning is told wherever a person is, once, and in its session at the message alone', async () => {
  const { app, backend, session } = await shown('question');
  const { id } = await app.create('/home/ada');
  await app.rename(id, 'Mine');
  backend.world.offline = true;
  await backend.messages.send(id, 'Which licences mention patents?');
  backend.world.settle();
  const told = await screen.findByTestId('trouble');
  expect(told.textContent).toContain('Work in “Mine” could not go on');
  expect(told.textContent).toContain('No model can be reached');
  // What is told of the same failure after that takes its place.
  backend.world.tell(trouble(id));
  await waitFor(() => expect(screen.getByTestId('trouble').textContent).toContain('the disk is full'));
  await fireEvent.click(screen.getByTestId('trouble-dismiss'));

  await backend.messages.send(id, 'Which licences mention patents?');
  backend.world.settle();
  await fireEvent.click(await screen.findByTestId('trouble-open'));
  expect(await screen.findAllByTestId('turn-failed')).not.toEqual([]);
  await waitFor(() => expect(screen.queryByTestId('trouble')).toBe(null));
  expect(screen.queryByTestId('session-error')).toBe(null);
  // In sight, it stands at the message.
  await backend.messages.send(id, 'Which licences mention patents?');
  backend.world.settle();
  await waitFor(() => expect(screen.getAllByTestId('message').length).toBe(3));
  expect(app.troubles.all).toEqual([]);
  // How a run failed, its session tells from afar.
  backend.world.commit(
    { session: session.id, turn: 'ran', run: 'run' },
    { kind: 'run_ended', status: 'failed' },
  );
  backend.world.commit(
    { session: session.id, turn: 'ran' },
    { kind: 'turn_ended', status: 'failed', error: 'x' },
  );
  expect(app.troubles.all).toEqual([]);
});

test('what could not be read and was dismissed stays dismissed however often it is read in vain', async () => {
  const { app, backend, clock } = await appOn('sample');
  mounted(Window as never, { app }, app);
  const open = vi.spyOn(backend.requests, 'open');
  open.mockRejectedValue(new BackendError({ code: 'database_locked', message: 'another program holds it' }));
  await app.readInbox();
  const told = await screen.findByTestId('app-error');
  await fireEvent.click(within(told).getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByTestId('app-error')).toBe(null);
  for (const ms of [2000, 4000, 8000]) {
    clock.pass(ms);
    await new Promise((done) => setTimeout(done));
    expect(screen.queryByTestId('app-error')).toBe(null);
  }
  expect(open).toHaveBeenCalledTimes(4);
});

test('a key that makes everything larger takes no error away and says the size, which a start does not', async () => {
  announce('nothing');
  const backend = openScene('sample', 0);
  await backend.settings.change({ zoom: 150 });
  const app = new App(backend, new HandClock());
  await app.start();
  mounted(Window as never, { app }, app);
  await waitFor(() => expect(backend.world.zoom).toBe(150));
  expect(spoken().polite).toBe('nothing');
  await app.try(() => Promise.reject(new Error('the disk is full')));
  await screen.findByTestId('app-error');
  await press('+', { ctrlKey: true });
  await waitFor(async () => expect((await backend.settings.change({})).zoom).toBe(175));
  expect(backend.world.zoom).toBe(175);
  expect(spoken().polite).toContain('175 %');
  expect(screen.getByTestId('app-error').textContent).toContain('the disk is full');
});

test('an engine that does not answer is said at once, also where a dialog is open, and once', async () => {
  const { app, backend, clock } = await appOn('sample');
  mounted(Window as never, { app }, app);
  await press('/', { ctrlKey: true });
  const said = await screen.findByTestId('dialog-said-now');
  backend.world.silent = true;
  void app.readInbox();
  clock.pass(7000);
  app.watch.look();
  await waitFor(() => expect(said.textContent).toContain('has not answered for a while'));
  const told = said.textContent;
  clock.pass(1000);
  app.watch.look();
  await waitFor(() => expect(screen.getByTestId('silent-for').textContent).toContain('8'));
  expect(said.textContent).toBe(told);
  // It is said already.
  expect(screen.getByTestId('silent').closest('[role="status"], [role="alert"]')).toBe(null);
});

/** A run of which a step failed after three calls that did, and a message that nobody could plan; all of it is over. */
async function failed() {
  const { app, backend } = await appOn('running');
  const { world } = backend;
  world.scripts.clear();
  const [run] = [...world.runs.values()];
  if (!run?.turn) throw new Error('the scene has no run');
  const turn = { session: run.session, turn: run.turn };
  const step = { ...turn, run: run.id, step: 's2' };
  for (const call of ['c1', 'c2', 'c3'])
    world.commit(
      step,
      reply('step', { calls: [{ id: call, tool: 'grep', arguments: { inline: {} } }] }),
      { kind: 'call_started', call, tool: 'grep', risk: 'read' },
      {
        kind: 'call_ended',
        call,
        status: 'error',
        output: { inline: '' },
        error: 'there is no such file',
        missed: 'notes.md',
        satisfied: false,
        durationMs: 3,
      },
    );
  const reason = 'no call worked';
  world.commit(step, { kind: 'step_ended', status: 'failed', validation: 'failed', reason });
  world.commit({ ...turn, run: run.id }, { kind: 'run_ended', status: 'failed' });
  world.commit(
    turn,
    { kind: 'warned', message: 'the rest is lost' },
    { kind: 'turn_ended', status: 'failed', error: reason },
  );
  world.commit(
    { session: run.session, turn: 'next' },
    { kind: 'message_received', text: 'Do something else' },
    { kind: 'model_failed', purpose: 'plan', model: 'small', error: 'it does not answer', retrying: true },
    reply('plan'),
    { kind: 'turn_ended', status: 'failed', error: 'it holds no JSON object' },
  );
  return { app, run };
}

test('what failed before is no alert as it is shown: in the conversation, in how it came about, in a step, in the replay', async () => {
  const { app, run } = await failed();
  mounted(Window as never, { app }, app);
  // One that stands there empty tells what becomes of the session.
  const live = () =>
    [...document.querySelectorAll('[role="alert"], [role="status"]')].filter((one) => one.textContent.trim());
  await app.open(run.session);
  expect(await screen.findAllByTestId('turn-failed')).toHaveLength(2);
  expect(live()).toEqual([]);

  await fireEvent.click(screen.getAllByTestId('turn-trace').at(-1) as HTMLElement);
  expect((await screen.findByTestId('turn-planning')).textContent).toContain('it holds no JSON object');
  expect(live()).toEqual([]);

  await fireEvent.click(screen.getByTestId('to-plan'));
  await fireEvent.click(await screen.findByTestId('inspector-tab-steps'));
  await fireEvent.click((await screen.findAllByTestId('inspect-step'))[1] as HTMLElement);
  const step = await screen.findByTestId('step-detail');
  expect(within(step).getAllByText('there is no such file')).toHaveLength(3);
  expect(live()).toEqual([]);

  await fireEvent.click(screen.getByTestId('inspector-tab-graph'));
  const slider = await screen.findByTestId<HTMLInputElement>('replay-slider');
  await fireEvent.input(slider, { target: { value: String(Number(slider.max) - 2) } });
  expect(live()).toEqual([]);
});
