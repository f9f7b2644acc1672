import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { nameFor } from './cost';
import Tools from './Tools.svelte';

async function page() {
  const { app, backend, clock } = await appOn('sample');
  mounted(Tools as never, {}, app);
  await screen.findByTestId('sources');
  /** Writes what is looked for, and waits as long as a person who has written it. */
  const seek = async (words: string) => {
    await write('tool-search', words);
    clock.pass(150);
  };
  return { app, backend, clock, seek };
}
const names = () => screen.getAllByTestId('tool').map((one) => one.querySelector('code')?.textContent);
function toolOf(name: string): HTMLDetailsElement {
  const all = screen.getAllByTestId<HTMLDetailsElement>('tool');
  const found = all.find((one) => one.querySelector('code')?.textContent === name);
  if (!found) throw new Error(`${name} is not listed`);
  return found;
}
const write = (id: string, value: string) => fireEvent.input(screen.getByTestId(id), { target: { value } });

test('a folder is added with a name of its own, its tools are there at once and go with it', async () => {
  const { app } = await page();
  const before = names();
  expect(screen.getByTestId('sources').textContent).toContain('Built in');
  await fireEvent.click(screen.getByTestId('add-source'));
  await write('source-folder', '/home/ada/Tickets/');
  expect((screen.getByTestId('source-name') as HTMLInputElement).value).toBe('tickets');
  await fireEvent.submit(screen.getByTestId('add-source-form'));
  expect((await screen.findByTestId('source')).textContent).toContain('/home/ada/Tickets/');
  expect(screen.queryByTestId('add-source-form')).toBe(null);
  expect(names()).toEqual([...before, 'tickets.create', 'tickets.list']);
  expect(app.tools.all.map((tool) => tool.name)).toContain('tickets.create');
  const faults = screen.getByTestId('source-faults').textContent;
  expect(faults).toContain('2 descriptions cannot be used');
  expect(faults).toContain('broken.json');

  await fireEvent.change(screen.getByTestId('filter-source'), { target: { value: 'catalogue/tickets' } });
  expect(names()).toEqual(['tickets.create', 'tickets.list']);
  await fireEvent.click(screen.getByTestId('remove-source'));
  await fireEvent.click(screen.getByTestId('forget-yes'));
  await waitFor(() => expect(screen.queryByTestId('source')).toBe(null));
  expect(names()).toEqual(before);
  // Nothing is chosen of what is gone.
  const filter = screen.getByTestId<HTMLSelectElement>('filter-source');
  await tick();
  expect(filter.selectedOptions[0]?.textContent).toBe('All sources');
});

/** The page with folders that were added, told by which hosts their tools send a key to. */
async function withSources(hosts: Record<string, string[]>, problem: string | null = null) {
  const given = await page();
  const { app, backend } = given;
  backend.world.sources = Object.entries(hosts).map(([name, hosts]) => ({
    name,
    folder: `/home/ada/${name}`,
    tools: [],
    faults: [],
    hosts,
    problem,
  }));
  await app.tools.take(backend.tools.list());
  await waitFor(() => expect(screen.getAllByTestId('source')).toHaveLength(Object.keys(hosts).length));
  return { ...given, left: () => backend.world.sources.map((one) => one.name) };
}
const trash = (name: string) => screen.getByRole('button', { name: `Remove ${name}` });

test('before a folder goes whose tools have keys it is asked, and nothing is gone while that stands', async () => {
  const { left } = await withSources({ tickets: ['tickets.example.com'] });
  await fireEvent.click(trash('tickets'));
  const asked = screen.getByTestId('forget-secret').textContent;
  expect(asked).toContain('Remove tickets and its keys?');
  expect(asked).toContain('The keys that its tools were given are forgotten, too');
  expect(document.activeElement).toBe(screen.getByTestId('forget-no'));
  await fireEvent.click(screen.getByTestId('forget-no'));
  expect([screen.queryByTestId('forget-secret'), left()]).toEqual([null, ['tickets']]);
  await fireEvent.click(trash('tickets'));
  await fireEvent.click(screen.getByTestId('forget-yes'));
  await waitFor(() => expect(left()).toEqual([]));
});

test('it is asked, too, where the folder cannot be read and nobody knows what its tools were given', async () => {
  const { left } = await withSources({ tickets: [] }, 'there is no such folder');
  await fireEvent.click(trash('tickets'));
  expect([screen.queryAllByTestId('forget-secret').length, left()]).toEqual([1, ['tickets']]);
});

test('a double click removes one folder, and not the one that comes in its place', async () => {
  const { left } = await withSources({ first: [], second: [], third: ['a.example.com'] });
  await fireEvent.click(trash('first'), { detail: 1 });
  await waitFor(() => expect(left()).toEqual(['second', 'third']));
  await fireEvent.click(trash('second'), { detail: 2 });
  await fireEvent.click(trash('third'), { detail: 2 });
  expect([left(), screen.queryByTestId('forget-secret')]).toEqual([['second', 'third'], null]);
});

test('a call that is being written stays, with what came of it, whatever is looked for and filtered meanwhile', async () => {
  const { backend, seek } = await page();
  const details = toolOf('grep');
  details.open = true;
  await fireEvent(details, new Event('toggle'));
  await fireEvent.click(await screen.findByTestId('try'));
  await write('field-pattern', 'patent');
  const pattern = () => screen.getByTestId<HTMLTextAreaElement>('field-pattern').value;

  await seek('zeppelin');
  await waitFor(() => expect(screen.getByTestId('no-tools')).toBeTruthy());
  expect([names(), pattern()]).toEqual([['grep'], 'patent']);
  await fireEvent.submit(screen.getByTestId('try-form'));
  await screen.findByTestId('try-outcome');
  backend.world.settle();
  await waitFor(() => expect(screen.getByTestId('try-outcome').textContent).toContain('worked'));
  await seek('');
  await fireEvent.change(screen.getByTestId('filter-risk'), { target: { value: 'network' } });
  await waitFor(() => expect(names()).toEqual(['fetch_page', 'mcp.github.create_issue', 'grep']));
  expect([pattern(), screen.getByTestId('try-outcome').textContent.includes('worked')]).toEqual([
    'patent',
    true,
  ]);

  await fireEvent.click(within(toolOf('grep')).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(names()).toEqual(['fetch_page', 'mcp.github.create_issue']));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('tool-search')));
});

test('what the engine refuses is told at the form, which stays', async () => {
  await page();
  await fireEvent.click(screen.getByTestId('add-source'));
  await write('source-folder', 'nowhere');
  await write('source-name', 'Not This');
  await fireEvent.submit(screen.getByTestId('add-source-form'));
  expect((await screen.findByTestId('source-refused')).textContent).toContain('is no name for a source');
  await write('source-name', 'this');
  await fireEvent.submit(screen.getByTestId('add-source-form'));
  await waitFor(() => expect(screen.getByTestId('source-refused').textContent).toContain('cannot be read'));
  expect((screen.getByTestId('source-folder') as HTMLInputElement).value).toBe('nowhere');
});

test('tools are narrowed down by where they come from, by risk and by words, with what they cost', async () => {
  await page();
  const choose = (id: string, value: string) =>
    fireEvent.change(screen.getByTestId(id), { target: { value } });
  await choose('filter-risk', 'network');
  expect(names()).toEqual(['fetch_page', 'mcp.github.create_issue']);
  await choose('filter-source', 'mcp');
  expect(names()).toEqual(['mcp.github.create_issue']);
  expect(screen.getByTestId('tool-count').textContent).toMatch(/1 of 13 tools\s+· \d+ tokens/);
  await choose('filter-source', 'mcp/github');
  expect(names()).toEqual(['mcp.github.create_issue']);
  await choose('filter-risk', 'destructive');
  expect(screen.queryAllByTestId('tool')).toEqual([]);
});

const rows = () =>
  screen.queryAllByTestId('tool').map((one) => {
    const owner = one.querySelector('[data-testid=owner]')?.textContent?.trim();
    return [one.querySelector('code')?.textContent, owner, one.querySelector('.risk')?.textContent];
  });

test('what is to be done finds tools, the best first, with owner and risk, and with what only models call', async () => {
  const { seek } = await page();
  await seek('search the text of files');
  await waitFor(() => expect(rows()[0]).toEqual(['grep', 'of the specialist files', 'reads']));
  await seek('show how a tool is called');
  await waitFor(() => expect(rows()[0]).toEqual(['tool_explain', 'for models', 'reads']));
  const [found] = screen.getAllByTestId('tool');
  if (!(found instanceof HTMLDetailsElement)) throw new Error('nothing opens');
  found.open = true;
  await fireEvent(found, new Event('toggle'));
  expect(await screen.findByText(/Models look for tools with it/)).toBeTruthy();
  expect(screen.queryByTestId('try')).toBe(null);
});

test('a word that is not yet whole finds what has its letters', async () => {
  const { seek } = await page();
  await seek('creat');
  await waitFor(() => expect(names()).toEqual(['create_file', 'mcp.github.create_issue']));
});

test('a search is narrowed down by the engine, and says why nothing is left', async () => {
  const { backend, clock, seek } = await page();
  const choose = async (id: string, value: string) => {
    await fireEvent.change(screen.getByTestId(id), { target: { value } });
    clock.pass(150);
  };
  await seek('open an issue about files');
  await waitFor(() => expect(names()[0]).toBe('mcp.github.create_issue'));
  await choose('filter-source', 'core');
  await waitFor(() => expect(names()).not.toContain('mcp.github.create_issue'));
  await choose('filter-risk', 'network');
  await waitFor(() =>
    expect(screen.getByTestId('no-tools').textContent).toContain('the filter leaves them out'),
  );
  await choose('filter-risk', '');
  await seek('zeppelin');
  await waitFor(() =>
    expect(screen.getByTestId('no-tools').textContent).toContain('says anything like that'),
  );
  backend.tools.find = () => Promise.reject(new Error('the index is broken'));
  await seek('grep');
  await screen.findByText('the index is broken');
  expect(names(), 'at least looked through').toEqual(['grep']);
  await seek('');
  await waitFor(() => expect(screen.queryByText('the index is broken')).toBe(null));
});

test('what a search had to do without is told, and where that is mended', async () => {
  const { app, backend, seek } = await page();
  const told = () =>
    screen.queryAllByTestId('lack').map((one) => one.textContent?.replace(/\s+/g, ' ').trim());
  backend.world.lacks = [
    { of: 'taught', why: null },
    { of: 'meaning', why: 'its file is being loaded' },
  ];
  expect(told()).toEqual([]);
  await seek('search files');
  await waitFor(() => expect(told()).toHaveLength(2));
  expect(told()[0]).toContain('What past runs teach could not be asked');
  expect(told()[1]).toBe('Ranked by words alone, not by meaning: its file is being loaded.');
  expect(screen.queryByTestId('lack-fetch')).toBe(null);

  const { models } = app;
  if (!models?.search) throw new Error('there is no such model');
  app.models = { ...models, search: { ...models.search, state: 'missing' } };
  await fireEvent.click(await screen.findByTestId('lack-fetch'));
  expect(app.route).toEqual({ view: 'settings', part: 'models' });
});

test('a name is made of any folder, as the engine takes it', () => {
  const made = ['/a/Tickets', '/a/My Tools (2)/', 'C:\\x\\Tool_Set', '/a/mcp', '/a/99', '/'].map(nameFor);
  expect(made).toEqual(['tickets', 'my-tools-2', 'tool_set', 'mcp-tools', '', '']);
});
