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
});
