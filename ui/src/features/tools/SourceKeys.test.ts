import { screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { SourceKey } from '../../backend/bindings';
import SourceKeys from './SourceKeys.svelte';

test('the hosts are there at once, and where their keys are once the keyring has said it', async () => {
  const { app } = await appOn('empty');
  let unlock = (_: SourceKey[]): void => undefined;
  app.backend.tools.keys = vi.fn<() => Promise<SourceKey[]>>(() => new Promise((done) => (unlock = done)));
  const host = 'tickets.example.com';
  const source = { name: 'tickets', folder: '/tickets', tools: [], faults: [], hosts: [host], problem: null };
  mounted(SourceKeys as never, { source }, app);
  const line = () => screen.getByTestId('source-key').textContent.replace(/\s+/g, ' ').trim();
  expect(line()).toBe(`${host} asking the keyring Give a key`);
  expect(screen.queryByTestId('forget-key')).toBe(null);
  unlock([{ host, key: { place: 'keyring' } }]);
  await waitFor(() => expect(line()).toContain('key in the keyring of this system Replace key'));
  expect(screen.getByTestId('forget-key')).toBeTruthy();
});
