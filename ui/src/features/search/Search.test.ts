import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Hit } from '../../backend/bindings';
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
  await waitFor(() => expect(app.route).toMatchObject({ view: 'session', sought: 'invoices' }));
});
