import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Ranking from './Ranking.svelte';

const standings = () => screen.getAllByTestId('standing').map((one) => one.textContent);

test('a search is told as it was: who has each tool, what it may do, and that past runs could not be asked', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.lacks = [{ of: 'taught', why: null }];
  const row = { summary: 'Does it.', explained: false, called: false };
  const found = [
    { ...row, name: 'grep', owner: 'files', risk: 'read' as const, callable: true },
    { ...row, name: 'fetch_page', owner: null, risk: null, callable: false },
  ];
  const told = { query: 'search files', found, untaught: true, byMeaning: false, nothing: 'Nothing fits.' };
  mounted(Ranking, told, app);
  expect(screen.getByTestId('untaught').textContent).toContain('without what past runs teach');
  expect(standings()).toEqual(['of files · reads · could be called at once', 'had to be explained first']);
  expect(screen.getByTestId('compared').textContent).toBe('Compared by words alone, not by meaning.');
  await waitFor(() => expect(screen.getByText(/\+\d\.\d+ words/)).toBeTruthy());
  expect(screen.queryByTestId('lack'), 'what is missing now was not missing then').toBe(null);
});

test('a ranking of now says what it goes without now', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.lacks = [{ of: 'taught', why: null }];
  mounted(Ranking, { query: 'search files', nothing: 'Nothing fits.' }, app);
  expect((await screen.findByTestId('lack')).textContent).toContain('could not be asked');
  expect(standings()[0]).toBe('of files · reads');
  expect(screen.queryByTestId('untaught')).toBe(null);
  expect(screen.queryByTestId('compared'), 'what it lacks says it').toBe(null);
});
