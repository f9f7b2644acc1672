import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { KeyView } from '../../backend/bindings';
import { backendError } from '../../backend/errors';
import { spoken } from '../../shared/announce.svelte';
import Endpoints from './Endpoints.svelte';

async function shown(used: boolean, keyring?: KeyView) {
  const { app, backend } = await appOn('sample');
  if (keyring) backend.world.keyring = keyring;
  await backend.models.addProvider(
    { id: 'mine', baseUrl: 'https://models.example/v1', protocol: 'openai' } as never,
    false,
  );
  if (used) await backend.models.choose('planner', 'mine/large');
  await app.readModels();
  mounted(Endpoints as never, {}, app);
  const there = async () => (await backend.models.providers()).some((one) => one.provider.id === 'mine');
  return { app, there };
}

test('an endpoint of which a model is chosen goes once that is confirmed, and which roles it has is said', async () => {
  const { app, there } = await shown(true);
  expect(app.canPlan).toBe(true);
  await fireEvent.click(await screen.findByTestId('remove-endpoint'));
  expect(screen.getByTestId('remove-used').textContent).toContain('A model of it is chosen for: Plans.');
  await fireEvent.click(screen.getByTestId('remove-no'));
  expect([await there(), screen.queryByTestId('remove-used')]).toEqual([true, null]);
  await fireEvent.click(screen.getByTestId('remove-endpoint'));
  await fireEvent.click(screen.getByTestId('remove-yes'));
  await waitFor(async () => expect(await there()).toBe(false));
  // What it planned with can be asked nothing any more, until another one is chosen.
  await waitFor(() => expect(app.canPlan).toBe(false));
});

test('while the keyring waits for the person, the list says that it is read', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.silent = true;
  mounted(Endpoints as never, {}, app);
  expect(screen.getByText('Loading…')).toBeTruthy();
  expect(screen.queryAllByTestId('provider')).toEqual([]);
  backend.world.speak();
  await screen.findAllByTestId('provider');
  expect(screen.queryByText('Loading…')).toBe(null);
});

test('an endpoint that nothing uses goes at once', async () => {
  const { there } = await shown(false);
  await fireEvent.click(await screen.findByTestId('remove-endpoint'));
  expect(screen.queryByTestId('remove-used')).toBe(null);
  await waitFor(async () => expect(await there()).toBe(false));
});

test('where the keyring does not say whether it has a key, that is told, and an endpoint goes once that is confirmed', async () => {
  await shown(false, { place: 'unknown', reason: 'it is locked' });
  await fireEvent.click(await screen.findByRole('button', { name: 'Remove mine' }));
  expect(screen.getAllByText(/perhaps there is a key: it is locked/).length).toBeGreaterThan(0);
  expect(screen.getByTestId('remove-used').textContent).toContain('Its key goes with it');
});

test('of an endpoint that goes while no keyring runs it is told that a key may stay', async () => {
  await shown(false, { place: 'process', reason: 'there is none, or it does not run' });
  await fireEvent.click(await screen.findByRole('button', { name: 'Remove mine' }));
  await waitFor(() =>
    expect(screen.getByTestId('key-may-stay').textContent).toMatch(
      /mine is removed, but a key of it may be kept \(there is none, or it does not run\)/,
    ),
  );
});

test('what is forgotten and removed is named where several endpoints are, and said once it is done', async () => {
  const { app, backend } = await appOn('sample');
  for (const id of ['mine', 'theirs']) {
    await backend.models.addProvider(
      { id, baseUrl: 'https://models.example/v1', protocol: 'openai' } as never,
      false,
    );
    await backend.models.setKey(id, 'a-key-of-it');
  }
  mounted(Endpoints as never, {}, app);
  const forget = async () =>
    fireEvent.click(await screen.findByRole('button', { name: 'Forget the key of theirs' }));
  await forget();
  expect(screen.getByRole('heading', { name: 'Forget the key of theirs?' })).toBeTruthy();
  await fireEvent.click(screen.getByTestId('forget-no'));
  expect(screen.getAllByTestId('forget-key')).toHaveLength(2);
  await forget();
  await fireEvent.click(screen.getByTestId('forget-yes'));
  await waitFor(() => expect(spoken().polite).toMatch(/The key of theirs is forgotten$/));
  await waitFor(() => expect(screen.getAllByTestId('forget-key')).toHaveLength(1));
  await fireEvent.click(screen.getByRole('button', { name: 'Remove mine' }));
  const asked = screen.getByTestId('remove-used').textContent;
  expect(asked).toContain('Its key goes with it');
  expect(asked).not.toContain('is chosen for');
  await fireEvent.click(screen.getByTestId('remove-yes'));
  await waitFor(() => expect(spoken().polite).toMatch(/mine is removed$/));
  backend.world.failures.push({ code: 'conflict', message: 'it is in use' });
  await fireEvent.click(screen.getByRole('button', { name: 'Remove theirs' }));
  await waitFor(() => expect(app.error?.message).toBe('it is in use'));
  expect(spoken().polite).not.toContain('theirs is removed');
  expect(screen.getByRole('button', { name: 'Remove theirs' })).toBeTruthy();
});

test('what comes of a form that was left closes no other one, and is told where it was refused', async () => {
  for (const refused of [false, true]) {
    const { app, backend } = await appOn('sample');
    mounted(Endpoints as never, {}, app);
    const write = (id: string, value: string) =>
      fireEvent.input(screen.getByTestId(id), { target: { value } });
    const field = (id: string) => screen.getByTestId<HTMLInputElement>(id);
    await fireEvent.click(await screen.findByTestId('add-endpoint'));
    await write('endpoint-name', 'mine');
    await write('endpoint-address', 'https://models.example/v1');
    await write('key-input', 'sk-of-mine');
    let answer = () => {};
    const { setKey } = backend.models;
    backend.models.setKey = async (id, key) => {
      await new Promise<void>((done) => (answer = done));
      if (refused) throw backendError({ code: 'no_keyring', message: 'the keyring is locked' });
      return setKey(id, key);
    };
    const asked = vi.spyOn(backend.models, 'setKey');
    const read = vi.spyOn(backend.models, 'providers');
    await fireEvent.submit(screen.getByTestId('endpoint-form'));
    await waitFor(() => expect(asked).toHaveBeenCalled());
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await fireEvent.click(screen.getByTestId('add-endpoint'));
    await write('endpoint-name', 'theirs');
    await write('key-input', 'sk-of-theirs');
    answer();
    if (refused) await waitFor(() => expect(app.error?.message).toBe('the keyring is locked'));
    else await screen.findByRole('button', { name: 'Change mine' });
    await Promise.all(read.mock.results.map(({ value }) => value as Promise<unknown>));
    await tick();
    expect([field('endpoint-name').value, field('key-input').value]).toEqual(['theirs', 'sk-of-theirs']);
    expect(field('key-input').getAttribute('aria-invalid')).not.toBe('true');
    document.body.replaceChildren();
  }
});

test('the second press of a double click removes no other endpoint', async () => {
  const { there } = await shown(false);
  const remove = await screen.findByTestId('remove-endpoint');
  await fireEvent.click(remove, { detail: 2 });
  expect(await there()).toBe(true);
  await fireEvent.click(remove, { detail: 1 });
  await waitFor(async () => expect(await there()).toBe(false));
});

test('an endpoint that is added again makes the model usable that was chosen of it', async () => {
  const { app, backend } = await appOn('sample');
  await backend.models.choose('planner', 'mine/large');
  await app.readModels();
  expect(app.canPlan).toBe(false);
  mounted(Endpoints as never, {}, app);
  await fireEvent.click(await screen.findByTestId('add-endpoint'));
  const write = (field: string, value: string) =>
    fireEvent.input(screen.getByTestId(field), { target: { value } });
  await write('endpoint-name', 'mine');
  await write('endpoint-address', 'https://models.example/v1');
  await fireEvent.submit(screen.getByTestId('endpoint-form'));
  await waitFor(() => expect(app.canPlan).toBe(true));
});

test('a list that could not be read says why and not that it is read', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  mounted(Endpoints as never, {}, app);
  await waitFor(() => expect(app.error?.message).toBe('the file is locked'));
  expect(screen.queryByText('Loading…')).toBe(null);
});
