import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { text } from '../../shared/text';
import Sidebar from './Sidebar.svelte';

beforeEach(() => localStorage.clear());

async function shown(scene = 'sample') {
  const { app, backend, clock } = await appOn(scene);
  app.go({ view: 'inbox' });
  mounted(Sidebar as never, { filter: '', showKeys: () => undefined }, app);
  const field = screen.getByTestId<HTMLInputElement>('session-filter');
  const write = (value: string) => fireEvent.input(field, { target: { value } });
  return { app, backend, clock, field, write };
}

test('an Enter or Escape that an input method takes neither searches nor empties the filter', async () => {
  const { app, field, write } = await shown();
  await write('計画');
  await fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
  await fireEvent.keyDown(field, { key: 'Escape', keyCode: 229 });
  expect([app.route, field.value]).toEqual([{ view: 'inbox' }, '計画']);
  await fireEvent.keyDown(field, { key: 'Enter' });
  expect(app.route).toEqual({ view: 'search', text: '計画' });
});

test('of many sessions those in sight stand in the first frame, others right after it, and more when asked for', async () => {
  const { app, backend } = await appOn('sample');
  for (let number = 0; number < 250; number += 1) await backend.sessions.create('/home/ada/notes');
  const frames: (() => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  mounted(Sidebar as never, { filter: '', showKeys: () => undefined }, app);
  const count = () => screen.getAllByTestId('session').length;
  expect([count(), screen.queryByText(text.common.more)]).toEqual([30, null]);
  for (const frame of frames) frame();
  await waitFor(() => expect(count()).toBe(200));
  await fireEvent.click(screen.getByText(text.common.more));
  expect(count()).toBe(app.rows.filter((row) => !row.archived).length);
  vi.unstubAllGlobals();
});

test('Escape empties the filter and leads elsewhere only from an empty one', async () => {
  const { field, write } = await shown();
  const led = vi.fn<(event: KeyboardEvent) => void>();
  window.addEventListener('keydown', led);
  await write('tax');
  await fireEvent.keyDown(field, { key: 'Escape' });
  expect([field.value, led.mock.calls.length]).toEqual(['', 0]);
  await fireEvent.keyDown(field, { key: 'Escape' });
  expect(led.mock.calls.length).toBe(1);
  window.removeEventListener('keydown', led);
});

test('what is looked for and is archived is told of, and shown with a press that leads to it', async () => {
  const { app, backend, write } = await shown();
  const [row] = app.rows;
  await backend.sessions.rename(row?.id ?? '', 'Quarterly licences');
  await backend.sessions.archive(row?.id ?? '', true);
  await write('quarterly');
  expect(screen.queryAllByTestId('session')).toEqual([]);
  const others = () => screen.queryByTestId('others-match');
  expect(others()?.textContent).toContain('Also archived: 1');
  await fireEvent.click(others() as HTMLElement);
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Quarterly licences'));
  expect(others()).toBe(null);
  await write('e');
  expect(others()?.textContent).toMatch(/Also not archived: \d/);
  await write('');
  expect(others()).toBe(null);
});

test('rows stay where they are while the name of one is being written, whatever goes on, and move once it is written', async () => {
  const { app, backend } = await shown();
  const { world } = backend;
  const ids = () => screen.getAllByTestId('session').map((one) => one.dataset['session'] ?? '');
  const lines = () =>
    [...document.querySelectorAll<HTMLElement>('[data-line]')].map((one) => one.dataset['line']);
  // Of another day than the one that is worked in.
  const [top, own] = [ids()[0] ?? '', ids().at(-1) ?? ''];
  const before = lines();
  await fireEvent.keyDown(screen.getAllByTestId('session').at(-1) as HTMLElement, { key: 'F2' });
  const input = screen.getByTestId<HTMLInputElement>('rename-input');
  await fireEvent.input(input, { target: { value: 'Mine' } });
  for (const session of [own, top, own]) {
    world.now += 2000;
    world.commit({ session, run: 'r' }, { kind: 'run_started' });
    await tick();
    expect([lines(), screen.getByTestId('rename-input'), input.value, document.activeElement]).toEqual([
      before,
      input,
      'Mine',
      input,
    ]);
  }
  await fireEvent.keyDown(input, { key: 'Enter' });
  await waitFor(() => expect(lines().slice(0, 2)).toEqual([own, top]));
  expect(app.rows.find((row) => row.id === own)?.title).toBe('Mine');
  await waitFor(() => expect((document.activeElement as HTMLElement).dataset['session']).toBe(own));
});

test('what leaves the name that is being written by a press still stands under the pointer when it is let go', async () => {
  const { backend } = await shown();
  const { world } = backend;
  const lines = () =>
    [...document.querySelectorAll<HTMLElement>('[data-line]')].map((one) => one.dataset['line']);
  const before = lines();
  const own = before.at(-1) ?? '';
  await fireEvent.keyDown(screen.getAllByTestId('session').at(-1) as HTMLElement, { key: 'F2' });
  world.now += 2000;
  world.commit({ session: own, run: 'r' }, { kind: 'run_started' });
  const [other] = screen.getAllByTestId('session');
  await fireEvent.pointerDown(other as HTMLElement);
  await fireEvent.blur(screen.getByTestId('rename-input'));
  await tick();
  expect([screen.queryByTestId('rename-input'), lines()]).toEqual([null, before]);
  await fireEvent.click(other as HTMLElement);
  await waitFor(() => expect(lines()[0]).toBe(own));
});

test('a session waits for a person as long as something is open in it, however often that was heard', async () => {
  const { app, backend } = await shown('confirm');
  const { world } = backend;
  const [asked] = app.inbox;
  const session = asked?.session ?? '';
  const line = () => document.querySelector<HTMLElement>(`[data-session='${session}']`);
  const sign = () => within(line() ?? document.body).queryByLabelText('waits for you') !== null;
  expect([app.rows.find((row) => row.id === session)?.openRequests, sign()]).toEqual([1, true]);
  // What was read at the start may be told after it as well.
  const opened = world.events.get(session)?.findLast((event) => event.kind === 'request_opened');
  if (!opened || !asked) throw new Error('the scene asks nothing');
  app.hear([{ type: 'committed', event: opened }]);
  await backend.requests.answer(asked.request.id, { type: 'approve' });
  await waitFor(() => expect(sign()).toBe(false));

  const again = { ...asked.request, id: 'again' };
  world.commit({ session, run: opened.run ?? '' }, { kind: 'request_opened', request: again });
  await waitFor(() => expect(sign()).toBe(true));
  // What another run of it does changes nothing about that.
  world.commit({ session, run: 'another' }, { kind: 'run_ended', status: 'cancelled' });
  await app.readInbox();
  await tick();
  expect(sign()).toBe(true);
});

const signOf = (session: string) =>
  within(document.querySelector<HTMLElement>(`[data-session='${session}']`) ?? document.body);

test('a run that nobody carries on any more is told as interrupted, once that was looked at as the window is come to', async () => {
  const { app, backend, clock } = await shown('elsewhere');
  const session = app.rows.find((row) => row.runStatus === 'running')?.id ?? '';
  const told = () => [
    signOf(session).queryByLabelText('running') !== null,
    signOf(session).queryByText('interrupted') !== null,
  ];
  expect(told()).toEqual([true, false]);
  // The program that carried it on was killed.
  backend.world.elsewhere = false;
  window.dispatchEvent(new Event('focus'));
  await waitFor(() => {
    clock.pass(1000);
    expect(told()).toEqual([false, true]);
  });
});

test('a session that is being deleted says so and cannot be opened or written into, until it is gone or cannot be deleted', async () => {
  const { app, backend } = await shown('running');
  const [plan] = await backend.plans.list();
  const id = plan?.sessionId ?? '';
  await app.open(id);
  const remove = backend.sessions.delete;
  let go = (): void => undefined;
  backend.sessions.delete = async (session) => {
    await new Promise<void>((done) => (go = done));
    await remove(session);
  };
  const press = async () => {
    const row = document.querySelector<HTMLElement>(`[data-session='${id}']`) as HTMLElement;
    await fireEvent.keyDown(row, { key: 'Delete' });
    await fireEvent.click(await screen.findByTestId('delete-yes'));
    await waitFor(() => expect(row.getAttribute('aria-disabled')).toBe('true'));
    return row;
  };
  const row = await press();
  expect(signOf(id).getByText('being deleted')).toBeTruthy();
  expect([app.session, app.route]).toEqual([null, { view: 'new' }]);
  await fireEvent.click(row);
  await fireEvent.contextMenu(row);
  await fireEvent.keyDown(row, { key: 'F2' });
  await fireEvent.keyDown(row, { key: 'Delete' });
  await app.open(id);
  expect([app.session, screen.queryByRole('menu'), screen.queryByTestId('rename-input')]).toEqual([
    null,
    null,
    null,
  ]);
  expect(screen.queryByTestId('delete-session')).toBe(null);
  backend.world.failures.push({ code: 'internal', message: 'the disk is away' });
  go();
  await waitFor(() => expect(row.getAttribute('aria-disabled')).toBe(null));
  expect(app.error?.message).toBe('the disk is away');
  await fireEvent.click(row);
  await waitFor(() => expect(app.session?.id).toBe(id));
  await press();
  go();
  await waitFor(() => expect(document.querySelector(`[data-session='${id}']`)).toBe(null));
  await waitFor(() => expect(app.deleting.size).toBe(0));
});
