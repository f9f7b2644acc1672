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
  await app.tools.take(app.backend.tools.list());
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

const opened = async () => {
  const one = await shown();
  await fireEvent.click(screen.getByTestId('add-own-pack'));
  screen.getByTestId('add-pack-form');
  return one;
};
const save = () => screen.getByTestId('pack-save');
const packs = () =>
  screen.getAllByTestId('pack').map((one) => one.querySelector('.name')?.textContent?.trim());

test('a folder of one’s own is picked, looked at, shown with its files and added, and removed when that is said', async () => {
  const { backend } = await opened();
  await fireEvent.click(screen.getByTestId('pack-pick'));
  await screen.findByTestId('pack-fine');
  expect(screen.getByTestId<HTMLInputElement>('pack-folder').value).toBe('/home/ada/licences');
  expect(screen.getByTestId<HTMLInputElement>('pack-name').value).toBe('licences');
  const files = [...screen.getByTestId('pack-files').querySelectorAll('li')].map((one) => one.textContent);
  expect(files).toEqual(['agents/reader.toml', 'agents/writer.toml', 'contracts/in.json']);
  screen.getByText('Agents: reader, writer');
  expect(backend.world.ownPacks).toEqual([]);
  expect(save().textContent).toContain('Add');
  await fireEvent.click(save());
  await waitFor(() => expect(packs()).toEqual(['crawl not added', 'licences your own']));
  expect(screen.queryByTestId('add-pack-form')).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('add-own-pack')));

  await fireEvent.click(screen.getByTestId('remove-pack'));
  expect(screen.getByTestId('remove-pack-asked').textContent).toContain('Remove your pack licences?');
  expect(packs()).toHaveLength(2);
  await fireEvent.click(screen.getByTestId('remove-pack-yes'));
  await waitFor(() => expect(packs()).toEqual(['crawl not added']));
});

test('all that is wrong with a folder is told at its file, and it cannot be added', async () => {
  const { backend } = await opened();
  await fireEvent.input(screen.getByTestId('pack-folder'), { target: { value: '/home/ada/broken' } });
  await fireEvent.submit(screen.getByTestId('add-pack-form'));
  await screen.findByText('2 things have to be mended');
  const faults = screen.getAllByTestId('pack-fault').map((one) => one.querySelector('code')?.textContent);
  expect(faults).toEqual(['agents/writer.toml', 'contracts/in.json']);
  screen.getByText(/unknown field `models`/);
  expect(save().textContent).toContain('Look at it');
  await fireEvent.submit(screen.getByTestId('add-pack-form'));
  await screen.findByText('2 things have to be mended');
  expect(backend.world.ownPacks).toEqual([]);
  // What was said of one folder is not said of another.
  await fireEvent.input(screen.getByTestId('pack-folder'), { target: { value: '/home/ada/other' } });
  expect(screen.queryByTestId('pack-faults')).toBeNull();
});

test('whose place a pack takes is told before it is added, and it can be added', async () => {
  const { backend } = await opened();
  await fireEvent.input(screen.getByTestId('pack-folder'), { target: { value: '/home/ada/instead' } });
  await fireEvent.submit(screen.getByTestId('add-pack-form'));
  await screen.findByText('Good to know before you add it');
  expect(screen.getByTestId('pack-note').textContent).toContain('no longer from Assent');
  expect(screen.getByTestId('pack-note').querySelector('code')?.textContent).toBe('specialists.json');
  expect(save().textContent).toContain('Add');
  await fireEvent.submit(screen.getByTestId('add-pack-form'));
  await waitFor(() => expect(backend.world.ownPacks.map((one) => one.name)).toEqual(['instead']));
});

test('what is found of a folder is not said of another that was written meanwhile', async () => {
  const { backend } = await opened();
  const write = (value: string) => fireEvent.input(screen.getByTestId('pack-folder'), { target: { value } });
  await write('/home/ada/letters');
  backend.world.silent = true;
  await fireEvent.submit(screen.getByTestId('add-pack-form'));
  await write('/home/ada/broken');
  backend.world.speak();
  await waitFor(() => expect(save().getAttribute('aria-busy')).toBeNull());
  expect(screen.queryByTestId('pack-fine')).toBeNull();
  expect(save().textContent).toContain('Look at it');
});

test('what could be no pack at all is said in the form', async () => {
  await opened();
  await fireEvent.input(screen.getByTestId('pack-folder'), { target: { value: 'nowhere' } });
  await fireEvent.submit(screen.getByTestId('add-pack-form'));
  expect((await screen.findByTestId('pack-refused')).textContent).toContain('cannot be read');
  await fireEvent.input(screen.getByTestId('pack-folder'), { target: { value: '/home/ada/mine' } });
  expect(screen.queryByTestId('pack-refused')).toBeNull();
  await fireEvent.input(screen.getByTestId('pack-name'), { target: { value: 'No Name' } });
  await fireEvent.submit(screen.getByTestId('add-pack-form'));
  await waitFor(() =>
    expect(screen.getByTestId('pack-refused').textContent).toContain('"No Name" is no name of a pack'),
  );
  expect(screen.queryByTestId('pack-fine')).toBeNull();
});
