import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Tools from './Tools.svelte';

async function shown() {
  const { app, backend } = await appOn('sample');
  mounted(Tools, {}, app);
  await waitFor(() => screen.getByTestId('pack'));
  return { app, backend };
}
const pack = () => screen.getByTestId('pack').textContent.replace(/\s+/g, ' ').trim();
const agents = () =>
  screen.getAllByTestId('heap-entry').map((one) => one.querySelector('strong')?.textContent);

test('a pack is added with its agents, and removed with them', async () => {
  await shown();
  expect(pack()).toBe('crawl not added makes the crawl plan of a web site, and tests it Add');
  expect(agents()).not.toContain('crawl');
  await fireEvent.click(screen.getByTestId('add-pack'));
  await waitFor(() =>
    expect(pack()).toBe('crawl added makes the crawl plan of a web site, and tests it Remove'),
  );
  expect(agents()).toContain('crawl');
  await fireEvent.click(screen.getByTestId('remove-pack'));
  await waitFor(() => expect(pack()).toContain('not added'));
  expect(agents()).not.toContain('crawl');
});

test('of a pack that was changed it is asked whether that may go too', async () => {
  const { app, backend } = await shown();
  backend.world.pack = 'changed';
  await app.takeTools(app.backend.tools.list());
  await waitFor(() => expect(pack()).toContain('added, and changed'));
  await fireEvent.click(screen.getByTestId('remove-pack'));
  screen.getByTestId('remove-pack-asked');
  await fireEvent.click(screen.getByTestId('remove-pack-no'));
  expect(screen.queryByTestId('remove-pack-asked')).toBeNull();
  expect(pack()).toContain('added, and changed');
  await fireEvent.click(screen.getByTestId('remove-pack'));
  await fireEvent.click(screen.getByTestId('remove-pack-yes'));
  await waitFor(() => expect(pack()).toContain('not added'));
});

test('what cannot be added is said, and the pack stays as it was', async () => {
  const { backend } = await shown();
  backend.world.failures.push({
    code: 'folder_unusable',
    message: 'agent.toml could not be written',
    faults: [],
  });
  await fireEvent.click(screen.getByTestId('add-pack'));
  await screen.findByText(/could not be written/);
  expect(pack()).toContain('not added');
});
