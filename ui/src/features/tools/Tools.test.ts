import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { nameFor } from './cost';
import Tools from './Tools.svelte';

async function page() {
  const { app, backend } = await appOn('sample');
  mounted(Tools as never, {}, app);
  await screen.findByTestId('sources');
  return { app, backend };
}
const names = () => screen.getAllByTestId('tool').map((one) => one.querySelector('code')?.textContent);
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
  expect(app.tools.map((tool) => tool.name)).toContain('tickets.create');
  const faults = screen.getByTestId('source-faults').textContent;
  expect(faults).toContain('2 descriptions cannot be used');
  expect(faults).toContain('broken.json');

  await fireEvent.click(screen.getByTestId('remove-source'));
  await waitFor(() => expect(screen.queryByTestId('source')).toBe(null));
  expect(names()).toEqual(before);
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
  expect(screen.getByTestId('tool-count').textContent).toMatch(/1 of 15 tools\s+· \d+ tokens/);
  await choose('filter-risk', 'destructive');
  expect(screen.queryAllByTestId('tool')).toEqual([]);
});

test('a name is made of any folder, as the engine takes it', () => {
  const made = ['/a/Tickets', '/a/My Tools (2)/', 'C:\\x\\Tool_Set', '/a/mcp', '/a/99', '/'].map(nameFor);
  expect(made).toEqual(['tickets', 'my-tools-2', 'tool_set', 'mcp-tools', '', '']);
});
