import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import FindTools from './FindTools.svelte';
import Roles from './Roles.svelte';
import { Nearby } from './nearby.svelte';

test('what finds tools by meaning is fetched, stopped, gone on with, and used once it is there', async () => {
  const { app, backend } = await appOn('first');
  mounted(FindTools as never, {}, app);
  const row = () => screen.getByTestId('search-model').textContent;
  expect(row()).toContain('finds tools by meaning');
  expect(row()).toContain('not fetched');
  await fireEvent.click(screen.getByTestId('pull'));
  expect((await screen.findByTestId('pull-progress')).textContent).toContain('39.2 MB of 91.1 MB');
  await fireEvent.click(screen.getByTestId('stop-pull'));
  await screen.findByText(/What came is kept/);
  await fireEvent.click(screen.getByTestId('pull'));
  await screen.findByTestId('pull-progress');
  backend.world.advance();
  await waitFor(() => expect(row()).toContain('In use'));
  expect(screen.queryByTestId('pull')).toBeNull();
  expect(app.canPlan, 'it plans nothing').toBe(false);
});

test('it can be chosen for nothing and is not asked anything', async () => {
  const { app } = await appOn('sample');
  mounted(FindTools as never, {}, app);
  expect(screen.getByTestId('search-model').textContent).toContain('In use');
  expect(screen.queryByTestId('use-model')).toBeNull();
  expect(screen.queryByTestId('test-model')).toBeNull();
  mounted(Roles, { nearby: new Nearby(app) }, app);
  expect(document.querySelector('option[value="local/meaning"]')).toBeNull();
});
