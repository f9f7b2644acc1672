import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { spoken } from '../../shared/announce.svelte';
import { Nearby } from './nearby.svelte';
import Roles from './Roles.svelte';

const pick = (id: string, value: string) => fireEvent.change(screen.getByTestId(id), { target: { value } });

test('each role has a model of its own, another one by name, or that for everything', async () => {
  const { app } = await appOn('sample');
  const nearby = new Nearby(app);
  await nearby.look();
  mounted(Roles, { nearby }, app);
  await pick('role-planner', 'ollama/qwen2.5:7b');
  await waitFor(() => expect(app.models?.chosen.planner).toBe('ollama/qwen2.5:7b'));

  await pick('role-step', ' ');
  const name = await screen.findByTestId('role-name');
  await fireEvent.input(name, { target: { value: 'nonsense' } });
  await fireEvent.click(screen.getByTestId('role-set'));
  await screen.findByText(/"nonsense" names no model/);
  const field = screen.getByTestId<HTMLInputElement>('role-name');
  expect([field.value, field.getAttribute('aria-invalid'), app.error]).toEqual(['nonsense', 'true', null]);
  expect(app.models?.chosen.step).toBeNull();
  await fireEvent.input(field, { target: { value: 'mine/large' } });
  await fireEvent.click(screen.getByTestId('role-set'));
  await waitFor(() => expect(app.models?.chosen.step).toBe('mine/large'));
  await waitFor(() => expect(screen.queryByTestId('role-name')).toBeNull());
  expect(document.activeElement).toBe(screen.getByTestId('role-step'));

  await pick('role-planner', '');
  await waitFor(() => expect(app.models?.chosen.planner).toBeNull());
});

test('Escape leaves the name of a model and nothing around it', async () => {
  const { app } = await appOn('sample');
  const heard = vi.fn<() => void>();
  document.body.addEventListener('keydown', heard);
  mounted(Roles, { nearby: new Nearby(app) }, app);
  await pick('role-step', ' ');
  const field = await screen.findByTestId('role-name');
  await fireEvent.input(field, { target: { value: 'mine/la' } });
  await fireEvent.keyDown(field, { key: 'Escape' });
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('role-step')));
  expect([screen.queryByTestId('role-name'), heard.mock.calls]).toEqual([null, []]);
  expect(screen.getByTestId<HTMLSelectElement>('role-step').value).toBe('');
  document.body.removeEventListener('keydown', heard);
});

test('a model that is refused for a role is not marked, and one that is taken is', async () => {
  const { app, backend } = await appOn('sample');
  const nearby = new Nearby(app);
  await nearby.look();
  mounted(Roles, { nearby }, app);
  const select = screen.getByTestId<HTMLSelectElement>('role-planner');
  const before = select.value;
  backend.world.failures.push({ code: 'internal', message: 'the disk is full' });
  await pick('role-planner', 'ollama/qwen2.5:7b');
  await waitFor(() => expect(app.error?.message).toBe('the disk is full'));
  expect(select.value).toBe(before);
  await pick('role-planner', 'ollama/qwen2.5:7b');
  await waitFor(() => expect(select.value).toBe('ollama/qwen2.5:7b'));
});

test('while the keyring waits, what is being chosen is marked and said, and what is chosen after it holds', async () => {
  const { app, backend, clock } = await appOn('sample');
  const nearby = new Nearby(app);
  await nearby.look();
  mounted(Roles, { nearby }, app);
  const select = screen.getByTestId<HTMLSelectElement>('role-default');
  const { choose } = backend.models;
  let unlock = () => {};
  const locked = new Promise<void>((done) => (unlock = done));
  backend.models.choose = async (role, id) => {
    if (id === 'ollama/qwen2.5:7b') await locked;
    await choose(role, id);
  };
  const says = () =>
    document.getElementById(select.getAttribute('aria-describedby') ?? '')?.textContent ?? null;
  await pick('role-default', 'ollama/qwen2.5:7b');
  expect([select.value, select.getAttribute('aria-busy'), says()]).toEqual([
    'ollama/qwen2.5:7b',
    'true',
    null,
  ]);
  clock.pass(600);
  await waitFor(() => expect(says()).toContain('may ask you to unlock it'));
  expect(spoken().polite).toContain('may ask you to unlock it');
  await pick('role-default', 'local/starter');
  expect(select.value).toBe('local/starter');
  unlock();
  await waitFor(() => expect(select.getAttribute('aria-busy')).toBe('false'));
  expect([select.value, app.models?.chosen.default, says()]).toEqual([
    'local/starter',
    'local/starter',
    null,
  ]);
});

test('a name that was set is marked while it waits, though its form was left', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Roles, { nearby: new Nearby(app) }, app);
  backend.models.choose = () => new Promise(() => undefined);
  await pick('role-step', ' ');
  const field = await screen.findByTestId('role-name');
  await fireEvent.input(field, { target: { value: 'mine/large' } });
  await fireEvent.click(screen.getByTestId('role-set'));
  await fireEvent.keyDown(field, { key: 'Escape' });
  await waitFor(() => expect(screen.getByTestId<HTMLSelectElement>('role-step').value).toBe('mine/large'));
});

test('why a name is refused is said: at its field, or for all to see once that was left', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Roles, { nearby: new Nearby(app) }, app);
  await pick('role-step', ' ');
  const field = await screen.findByTestId('role-name');
  await fireEvent.input(field, { target: { value: 'nonsense' } });
  const set = screen.getByTestId('role-set');
  set.focus();
  await fireEvent.click(set);
  await waitFor(() => expect(document.activeElement).toBe(field));
  await fireEvent.click(set);
  await waitFor(() => expect(spoken().assertive).toContain('"nonsense" names no model'));
  await waitFor(() => expect(set.getAttribute('aria-busy')).toBe(null));

  let refuse = (_: Error) => {};
  backend.models.choose = () => new Promise((_, no) => (refuse = no));
  await fireEvent.click(set);
  await fireEvent.keyDown(field, { key: 'Escape' });
  await pick('role-step', ' ');
  refuse(new Error('the disk is full'));
  await waitFor(() => expect(app.error?.message).toBe('the disk is full'));
  expect(screen.getByTestId('role-name').getAttribute('aria-invalid')).not.toBe('true');
});
