import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Contracts from './Contracts.svelte';

async function shown(props = {}) {
  const { app } = await appOn('sample');
  const { rerender } = mounted(Contracts as never, props, app);
  await waitFor(() => expect(screen.getAllByTestId('contract').length).toBeGreaterThan(2));
  return { rerender: (next: object) => rerender(next as never) };
}
const none = { replies: null, tokens: null, seconds: null };
const names = () => screen.getAllByTestId('contract').map((one) => one.querySelector('code')?.textContent);
const open = (row: HTMLElement) => fireEvent.click(row.querySelector('summary') as HTMLElement);
const fields = async () =>
  (await screen.findAllByTestId('contract-field')).map((one) => one.textContent.replace(/\s+/g, ' ').trim());

test('each contract is found by words and read field by field, nested ones inside those above them', async () => {
  await shown();
  await fireEvent.input(screen.getByTestId('contract-search'), { target: { value: 'crawl plan' } });
  expect(names()).toEqual(['plan_generator_agent']);
  expect(screen.getByTestId('contract-count').textContent).toMatch(/^1 of [0-9]+ contracts$/);
  await open(screen.getByTestId('contract'));
  expect((await fields()).slice(0, 4)).toEqual([
    'target_url text, format uri required The site. for example "https://example.com"',
    'task_name text default "Generate Crawl Plan"',
    'collected_information list of objects, at least 1 required CRITICAL: Array of outputs from sub-agents.',
    'agent_name one of "discovery_agent", "selector_agent" required',
  ]);
  const depths = screen.getAllByTestId('contract-field').map((one) => one.style.getPropertyValue('--depth'));
  expect(depths).toEqual(['0', '0', '0', '1', '1', '2', '3', '0']);
  const all = screen.getByTestId('contract').textContent;
  expect(all).toContain('asks the model step');
  expect(all).toContain('There are more fields than are shown here.');
  expect(all).toContain('# Collected Information for https://example.com');
  screen.getByTestId('copy-contract');
});

test('nothing found is said, and one that is asked for is opened at once', async () => {
  const { rerender } = await shown();
  await fireEvent.input(screen.getByTestId('contract-search'), { target: { value: 'zzz' } });
  screen.getByText('No agent and no tool has these words in its name or description.');
  await rerender({ wanted: { name: 'grep' } });
  expect((await fields())[0]).toContain('pattern');
  expect(names()[0]).toBe('grep');
  // The tool that calls an agent leads to it, and one that only begins as such to itself.
  await rerender({ wanted: { name: 'run_plan_generator_agent' } });
  expect((await fields())[0]).toContain('target_url');
  await rerender({ wanted: { name: 'run_workflow' } });
  expect(screen.getByTestId<HTMLInputElement>('contract-search').value).toBe('run_workflow');
});

test('an agent and a tool of one name are two, and what is read is read again once the packs have changed', async () => {
  const { app } = await appOn('sample');
  const { tools } = app.backend;
  const entry = { name: 'twin', isAgent: false, pack: null, description: 'one of two' };
  let example = 'before';
  const asked: boolean[] = [];
  tools.contracts = async () => [{ ...entry, isAgent: true, pack: 'mine' }, entry];
  tools.contract = async (_, isAgent) => {
    asked.push(isAgent);
    return { entry, model: null, limits: none, input: null, output: null, example, prompt: null };
  };
  mounted(Contracts as never, {}, app);
  await waitFor(() => expect(screen.getAllByTestId('contract')).toHaveLength(2));
  await open(screen.getAllByTestId('contract')[1] as HTMLElement);
  await screen.findByText('before');
  expect(screen.getAllByTestId('contract').map((one) => (one as HTMLDetailsElement).open)).toEqual([
    false,
    true,
  ]);
  expect(asked).toEqual([false]);
  example = 'after';
  app.tools.catalogue = { ...app.tools.catalogue } as never;
  await screen.findByText('after');
  expect(screen.queryByText('before')).toBeNull();
});

test('who is sent to a contract before the list is there comes to it once it is, and only once', async () => {
  const { app } = await appOn('sample');
  const { tools } = app.backend;
  const read = tools.contracts;
  let give = (): void => undefined;
  const asked = new Promise<void>((done) => (give = done));
  tools.contracts = async () => {
    await asked;
    return read();
  };
  // A tool that calls an agent means the agent, which is known only once the list is there.
  mounted(Contracts as never, { wanted: { name: 'run_plan_generator_agent' } }, app);
  expect(screen.queryByTestId('contract')).toBe(null);
  give();
  await waitFor(() =>
    expect((document.activeElement as HTMLElement).dataset['name']).toBe('plan_generator_agent'),
  );
  expect((await fields())[0]).toContain('target_url');
  const search = screen.getByTestId<HTMLInputElement>('contract-search');
  search.focus();
  await fireEvent.input(search, { target: { value: 'gr' } });
  const counted = () => screen.getByTestId('contract-count').textContent;
  const before = counted();
  tools.contracts = async () => (await read()).slice(1);
  app.tools.catalogue = { ...app.tools.catalogue } as never;
  await waitFor(() => expect(counted()).not.toBe(before));
  expect([search.value, document.activeElement]).toEqual(['gr', search]);
});
