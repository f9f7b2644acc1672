import { cleanup, fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { dismiss } from '../../app/attempt';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Hit } from '../../backend/bindings';
import { backendError } from '../../backend/errors';
import { spoken } from '../../shared/announce.svelte';
import Search from './Search.svelte';

test('what is found in a call or a message stands there as it was written, of an answer its words', async () => {
  const { app, backend, clock } = await appOn('sample');
  const [session] = await backend.sessions.list({ archived: false, limit: 1, offset: 0 });
  if (!session) throw new Error('the scene has no session');
  const hit = (kind: Hit['kind'], seq: number, snippet: string): Hit => ({
    ...{ session: session.id, title: session.title, at: 0 },
    ...{ kind, seq, snippet },
  });
  backend.sessions.search = async () => [
    hit('call', 1, 'src/__⟦init⟧__.py `date` **/*.md'),
    hit('message', 2, 'What does __⟦init⟧__ do?'),
    hit('answer', 3, 'It is **⟦init⟧** of `__init__.py`.'),
  ];
  mounted(Search as never, { query: 'init' }, app);
  clock.pass(200);
  const found = (await screen.findAllByTestId('hit')).map((one) =>
    one.querySelector('.snippet')?.textContent.trim(),
  );
  expect(found).toEqual([
    'src/__init__.py `date` **/*.md',
    'What does __init__ do?',
    'It is init of __init__.py.',
  ]);
  const marked = [...document.querySelectorAll('mark')].map((one) => one.textContent);
  expect(marked).toEqual(['init', 'init', 'init']);
});

test('how much was found is said, also that it is nothing; a session that is opened knows what it was found by', async () => {
  const { app, clock } = await appOn('sample');
  mounted(Search as never, { query: 'nowhere to be found' }, app);
  clock.pass(200);
  await waitFor(() => expect(spoken().polite).toMatch(/Nothing has all of these words\.$/));
  await fireEvent.input(screen.getByTestId('search-input'), { target: { value: 'invoices' } });
  clock.pass(200);
  await waitFor(() => expect(spoken().polite).toMatch(/\d+ places?$/));
  await fireEvent.click((await screen.findAllByTestId('hit'))[0] as HTMLElement);
  await waitFor(() => expect(app.route).toMatchObject({ view: 'session', sought: { text: 'invoices' } }));
});

test('while other words are looked for, that is said; what is in sight leads to the words it was found by, and goes where the search fails', async () => {
  const { app, backend, clock } = await appOn('sample');
  mounted(Search as never, { query: 'invoices' }, app);
  expect(screen.getByTestId('search').textContent).toContain('Searching…');
  clock.pass(200);
  const [hit] = await screen.findAllByTestId('hit');
  expect(screen.getByTestId('search').textContent).not.toContain('Searching…');
  await fireEvent.input(screen.getByTestId('search-input'), { target: { value: 'invoices of June' } });
  expect(screen.getByTestId('search').textContent).toContain('Searching…');
  await fireEvent.click(hit as HTMLElement);
  await waitFor(() => expect(app.route).toMatchObject({ view: 'session', sought: { text: 'invoices' } }));
  backend.world.failures.push({ code: 'internal', message: 'the disk is away' });
  clock.pass(200);
  await waitFor(() => expect(app.error?.message).toBe('the disk is away'));
  expect([screen.queryByTestId('hit'), screen.getByTestId('search').textContent]).toEqual([
    null,
    expect.not.stringContaining('Searching…'),
  ]);
});

test('what went wrong before stays in sight while somebody searches', async () => {
  const { app, clock } = await appOn('sample');
  app.error = backendError(new Error('it could not be renamed'));
  mounted(Search as never, { query: 'invoices' }, app);
  clock.pass(200);
  await screen.findAllByTestId('hit');
  expect(app.error.message).toBe('it could not be renamed');
});

test('what was found goes with its session', async () => {
  const { app, backend, clock } = await appOn('sample');
  mounted(Search as never, { query: 'invoices' }, app);
  clock.pass(200);
  await screen.findAllByTestId('hit');
  for (const { id } of await backend.sessions.list({ archived: true, limit: 0, offset: 0 }))
    await app.delete(id);
  await waitFor(() => expect(screen.queryByTestId('hit')).toBeNull());
});

test('who goes elsewhere while what was found is being opened is not pulled back to it', async () => {
  const { app, backend, clock } = await appOn('sample');
  mounted(Search as never, { query: 'invoices' }, app);
  clock.pass(200);
  const [hit] = await screen.findAllByTestId('hit');
  let give = (): void => undefined;
  const asked = new Promise<void>((done) => (give = done));
  const read = backend.sessions.events;
  backend.sessions.events = async (...of) => {
    await asked;
    return read(...of);
  };
  await fireEvent.click(hit as HTMLElement);
  await waitFor(() => expect(app.route.view).toBe('session'));
  const { session } = app;
  app.go({ view: 'inbox' });
  give();
  await waitFor(() => expect(session?.loading).toBe(false));
  await new Promise((done) => setTimeout(done));
  expect([app.route, session?.revealed, session?.found]).toEqual([{ view: 'inbox' }, null, null]);
});

test('a search that could not be made is made again when asked, and what went wrong is told until then', async () => {
  const { app, backend, clock } = await appOn('sample');
  mounted(Search as never, { query: 'invoices' }, app);
  backend.world.failures.push({ code: 'internal', message: 'the disk is away' });
  clock.pass(200);
  const retry = await screen.findByTestId('search-retry');
  await app.readStandings();
  expect(app.error?.message).toBe('the disk is away');
  await fireEvent.click(retry);
  await screen.findAllByTestId('hit');
  expect([app.error, screen.queryByTestId('search-retry')]).toEqual([null, null]);
});

test('a search that failed is told as long as the page is there, and what was dismissed of it once more when it is asked for', async () => {
  const { app, backend, clock } = await appOn('sample');
  const fails = () => backend.world.failures.push({ code: 'internal', message: 'the disk is away' });
  const { unmount } = mounted(Search as never, { query: 'invoices' }, app);
  fails();
  clock.pass(200);
  await waitFor(() => expect(app.error?.message).toBe('the disk is away'));
  dismiss(app);
  expect(app.error).toBe(null);
  fails();
  await fireEvent.click(await screen.findByTestId('search-retry'));
  await waitFor(() => expect(app.error?.message).toBe('the disk is away'));
  unmount();
  expect(app.error).toBe(null);
});

test('an old failure of a page that was left does not come back with another one', async () => {
  const { app, backend, clock } = await appOn('sample');
  const { unmount } = mounted(Search as never, { query: 'invoices' }, app);
  backend.world.failures.push({ code: 'internal', message: 'the disk is away' });
  clock.pass(200);
  await waitFor(() => expect(app.error?.message).toBe('the disk is away'));
  await app.try(() => Promise.resolve());
  unmount();
  backend.world.failures.push({ code: 'internal', message: 'another program holds it' });
  await app.readInbox();
  expect(app.error?.message).toBe('another program holds it');
  await app.readInbox();
  expect(app.error).toBe(null);
});

test('a search within a session finds nothing of the others, is kept with what it leads to, and can be widened', async () => {
  const { app, clock } = await appOn('sample');
  mounted(Search as never, { query: 'the' }, app);
  clock.pass(200);
  const everywhere = await screen.findAllByTestId('hit');
  const titles = new Set(everywhere.map((one) => one.querySelector('.title')?.textContent));
  expect(titles.size).toBeGreaterThan(1);
  cleanup();
  const [one] = app.rows.filter(({ title }) => titles.has(title));
  if (!one) throw new Error('nothing was found in a session');
  mounted(Search as never, { query: 'the', within: one.id }, app);
  expect(screen.getByTestId('search-within').textContent).toContain(one.title);
  clock.pass(200);
  const here = await screen.findAllByTestId('hit');
  expect(here.length).toBeLessThan(everywhere.length);
  await fireEvent.click(here[0] as HTMLElement);
  const sought = { text: 'the', within: one.id };
  await waitFor(() => expect(app.route).toEqual({ view: 'session', id: one.id, sought }));
  await fireEvent.click(screen.getByTestId('search-everywhere'));
  expect(app.route).toEqual({ view: 'search', text: 'the' });
});
