import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
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

test('a key that is being written stays while another one is forgotten or kept', async () => {
  const { app } = await appOn('empty');
  const hosts = ['a.example.com', 'b.example.com'];
  const kept = (place: 'keyring' | 'none') => hosts.map((host): SourceKey => ({ host, key: { place } }));
  app.backend.tools.keys = async () => kept('keyring');
  let done = (_: SourceKey[]): void => undefined;
  const slow = () => new Promise<SourceKey[]>((give) => (done = give));
  app.backend.tools.forgetKey = slow;
  app.backend.tools.setKey = slow;
  const source = { name: 'tickets', folder: '/tickets', tools: [], faults: [], hosts, problem: null };
  mounted(SourceKeys as never, { source }, app);
  await waitFor(() => expect(screen.getAllByTestId('forget-key')).toHaveLength(2));
  const line = (at: number) => within(screen.getAllByTestId('source-key')[at] as HTMLElement);
  const write = async (at: number) => {
    await fireEvent.click(line(at).getByTestId('give-key'));
    await fireEvent.input(line(at).getByTestId('source-key-input'), { target: { value: 'secret' } });
  };
  const writing = () => {
    const field = line(1).getByTestId<HTMLInputElement>('source-key-input');
    return [field.value, document.activeElement === field];
  };

  await fireEvent.click(line(0).getByTestId('forget-key'));
  await fireEvent.click(screen.getByTestId('forget-yes'));
  await write(1);
  done(kept('none'));
  await waitFor(() => expect(line(0).getByTestId('give-key').textContent).toContain('Give a key'));
  expect(writing()).toEqual(['secret', true]);

  await write(0);
  await fireEvent.click(line(0).getByTestId('keep-source-key'));
  await write(1);
  done(kept('keyring'));
  await waitFor(() => expect(line(0).getByTestId('give-key').textContent).toContain('Replace key'));
  expect(writing()).toEqual(['secret', true]);
});

test('a key is forgotten once that is confirmed', async () => {
  const { app } = await appOn('empty');
  const host = 'a.example.com';
  app.backend.tools.keys = async () => [{ host, key: { place: 'keyring' } }];
  const forgotten = vi.fn(async () => [{ host, key: { place: 'none' } }] as SourceKey[]);
  app.backend.tools.forgetKey = forgotten;
  const source = { name: 'tickets', folder: '/tickets', tools: [], faults: [], hosts: [host], problem: null };
  mounted(SourceKeys as never, { source }, app);
  await fireEvent.click(await screen.findByTestId('forget-key'));
  expect(screen.getByTestId('forget-secret').textContent).toContain('Forget the key for a.example.com?');
  await fireEvent.click(screen.getByTestId('forget-no'));
  expect([forgotten.mock.calls, screen.queryByTestId('forget-secret')]).toEqual([[], null]);
  await fireEvent.click(screen.getByTestId('forget-key'));
  await fireEvent.click(screen.getByTestId('forget-yes'));
  await waitFor(() => expect(screen.queryByTestId('forget-key')).toBe(null));
  expect(forgotten.mock.calls).toEqual([['tickets', host]]);
});
