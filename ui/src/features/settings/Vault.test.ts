import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { backendError } from '../../backend/errors';
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
  const remove = () => fireEvent.click(screen.getByRole('button', { name: 'Remove crm' }));
  await remove();
  expect(document.activeElement, 'what Enter does is no loss').toBe(screen.getByTestId('forget-no'));
  await fireEvent.click(screen.getByTestId('forget-no'));
  expect(backend.world.vault.map(({ name }) => name)).toEqual(['crm']);
  await remove();
  await fireEvent.click(screen.getByTestId('forget-yes'));
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

test('a name that is taken is refused at its field with what it is for, and replaced by a press of its own only', async () => {
  const { app, backend } = await appOn('sample');
  const given = { name: 'example', hosts: ['example.com'], tools: [], secret: 'the first secret' };
  await backend.vault.add(given, false);
  mounted(Vault, {}, app);
  await waitFor(() => expect(shown()).toHaveLength(1));
  await fireEvent.click(screen.getByTestId('add-credential'));
  await write('name', 'example');
  await write('hosts', 'example.org');
  await write('secret', 'the second secret');
  const kept = () => backend.world.vault.map(({ name, hosts }) => `${name} ${hosts.join()}`);
  const fault = () => document.getElementById(`${field('name').id}-fault`)?.textContent.trim();
  for (let time = 0; time < 2; time += 1) {
    field('secret').focus();
    await fireEvent.keyDown(field('secret'), { key: 'Enter' });
    await waitFor(() =>
      expect(fault()).toBe('example is kept already, for example.com. Give this one another name.'),
    );
    expect([kept(), field('secret').value]).toEqual([['example example.com'], 'the second secret']);
    await waitFor(() => expect(document.activeElement).toBe(field('name')));
  }
  await write('name', 'example-org');
  expect([fault(), screen.queryByTestId('replace-credential')]).toEqual([undefined, null]);
  await write('name', 'example');
  await fireEvent.click(screen.getByTestId('replace-credential'), { detail: 2 });
  expect(kept()).toEqual(['example example.com']);
  await fireEvent.click(screen.getByTestId('replace-credential'), { detail: 1 });
  await waitFor(() => expect(kept()).toEqual(['example example.org']));
  await waitFor(() => expect(screen.queryByTestId('credential-secret')).toBe(null));
});

test('what comes of a form that was left closes no other one, and is told where it was refused', async () => {
  for (const refused of [false, true]) {
    const { app, backend } = await appOn('sample');
    mounted(Vault, {}, app);
    const begin = async (name: string) => {
      await fireEvent.click(await screen.findByTestId('add-credential'));
      await write('name', name);
      await write('hosts', 'a.example');
      await write('secret', `the secret of ${name}`);
    };
    let answer = () => {};
    const { add } = backend.vault;
    backend.vault.add = async (given, replaces) => {
      if (given.name === 'first') await new Promise<void>((done) => (answer = done));
      if (refused) throw backendError({ code: 'no_keyring', message: 'the keyring is locked' });
      return add(given, replaces);
    };
    await begin('first');
    await fireEvent.click(screen.getByTestId('keep-credential'));
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await begin('second');
    answer();
    if (refused) await waitFor(() => expect(app.error?.message).toBe('the keyring is locked'));
    else await waitFor(() => expect(shown()).toHaveLength(1));
    await tick();
    expect([field('name').value, field('secret').value]).toEqual(['second', 'the secret of second']);
    expect(field('secret').getAttribute('aria-invalid')).not.toBe('true');
    document.body.replaceChildren();
  }
});

test('a refusal that comes once the view was left is told all the same', async () => {
  const { app, backend } = await appOn('sample');
  const { unmount } = mounted(Vault, {}, app);
  await fireEvent.click(await screen.findByTestId('add-credential'));
  for (const [name, value] of Object.entries({ name: 'crm', hosts: 'a.example', secret: 'long enough' }))
    await write(name, value);
  let refuse = (_: Error) => {};
  backend.vault.add = () => new Promise((_, no) => (refuse = no));
  await fireEvent.click(screen.getByTestId('keep-credential'));
  unmount();
  refuse(new Error('the keyring is locked'));
  await waitFor(() => expect(app.error?.message).toBe('the keyring is locked'));
});
