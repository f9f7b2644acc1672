import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Vault from './Vault.svelte';

const field = (name: string) => screen.getByTestId<HTMLInputElement>(`credential-${name}`);
const write = (name: string, value: string) => fireEvent.input(field(name), { target: { value } });
const shown = () =>
  screen.queryAllByTestId('credential').map((row) => row.textContent.replace(/\s+/g, ' ').trim());

test('a credential is kept for its hosts and tools, listed without its secret, and removed', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Vault, {}, app);
  await screen.findByTestId('no-credentials');
  await fireEvent.click(screen.getByTestId('add-credential'));
  const keep = () => screen.getByTestId('keep-credential');
  expect(keep().getAttribute('aria-description')).toContain('Write a name');
  await write('name', 'crm');
  await write('hosts', 'API.example.org; https://b.example/v1');
  await write('secret', 's3cret-of-the-crm');
  await write('tools', 'office.send office.read');
  await fireEvent.keyDown(field('secret'), { key: 'Enter' });
  await waitFor(() =>
    expect(shown()).toEqual(['crm API.example.org, b.example · only office.send, office.read Remove']),
  );
  expect(document.body.textContent).not.toContain('s3cret');
  await waitFor(() => expect(screen.queryByTestId('credential-secret')).toBe(null));
  await fireEvent.click(screen.getByRole('button', { name: 'Remove crm' }));
  await screen.findByTestId('no-credentials');
  expect(backend.world.vault).toEqual([]);
});

test('what is wrong stands at its field, what is written stays, and without a keyring that is told', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Vault, {}, app);
  await fireEvent.click(await screen.findByTestId('add-credential'));
  for (const [name, value] of Object.entries({ name: 'My key', hosts: 'a.example', secret: 'long enough' }))
    await write(name, value);
  await fireEvent.click(screen.getByTestId('keep-credential'));
  await waitFor(() => expect(field('name').getAttribute('aria-invalid')).toBe('true'));
  expect([field('name').value, field('secret').value]).toEqual(['My key', 'long enough']);
  await write('name', 'key');
  backend.world.keyring = { place: 'process', reason: 'there is no keyring' };
  await fireEvent.click(screen.getByTestId('keep-credential'));
  await waitFor(() => expect(shown()).toHaveLength(1));
  expect(backend.world.vault.map(({ name }) => name)).toEqual(['key']);
});

test('Escape closes the form and gives the focus back', async () => {
  const { app } = await appOn('sample');
  mounted(Vault, {}, app);
  const opener = await screen.findByTestId('add-credential');
  await fireEvent.click(opener);
  await fireEvent.keyDown(field('name'), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByTestId('credential-name')).toBe(null));
  expect(document.activeElement).toBe(opener);
});
