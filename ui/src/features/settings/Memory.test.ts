import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import type { MemoryView } from '../../backend/bindings';
import { appOn, mounted } from '../../app/mounted.test-data';
import Memory from './Memory.svelte';

const shown = () =>
  screen.queryAllByTestId('remembered').map((row) => row.textContent?.replace(/\s+/g, ' ').trim());

const of = (kind: MemoryView['kind']): MemoryView => ({
  id: 1,
  about: 'project:notes',
  words: 'As a list',
  kind,
  source: 'user',
  times: 1,
  at: 0,
  session: null,
  links: [],
});

test('what is remembered says which tool did what and how often, and is forgotten one by one or as a whole', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Memory, {}, app);
  await screen.findAllByTestId('remembered');
  const [first, second, third] = shown();
  expect(first).toMatch(/^Write the table to patents\.md create_file .*2023/);
  expect(second).toContain('3 times, last');
  expect(third).toContain('A call by hand read');
  await fireEvent.click(
    screen.getByRole('button', { name: 'Forget “Write the table to patents.md” with create_file' }),
  );
  await waitFor(() => expect(shown()).toEqual([second, third]));

  await fireEvent.click(screen.getByTestId('forget-all'));
  await fireEvent.click(screen.getByTestId('forget-no'));
  expect(backend.world.memories).toHaveLength(3);
  await fireEvent.click(screen.getByTestId('forget-all'));
  await fireEvent.click(screen.getByTestId('forget-yes'));
  expect((await screen.findByTestId('memory-none')).textContent).toContain('Nothing');
  expect(screen.queryByTestId('forget-all')).toBe(null);
});

test('before anything is read, that is said, and not that nothing is remembered', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.silent = true;
  mounted(Memory, {}, app);
  expect(screen.getByText('Loading…')).toBeTruthy();
  expect(screen.queryByTestId('memory-none')).toBe(null);
  backend.world.speak();
  await screen.findAllByTestId('remembered');
  expect(screen.queryByText('Loading…')).toBe(null);
});

test('of much that is remembered the newest is shown, more when asked; names hide nothing', async () => {
  const { app, backend } = await appOn('sample');
  const words = `Find \u202egnp.exe ${'and so on '.repeat(40)}`;
  backend.world.memories = Array.from({ length: 41 }, (_, at) => ({
    ...of('action'),
    id: 41 - at,
    about: 'grep',
    words,
    at,
  }));
  mounted(Memory, {}, app);
  await waitFor(() => expect(shown()).toHaveLength(20));
  expect(shown()[0]).not.toContain('\u202e');
  expect(shown()[0]?.length).toBeLessThan(300);
  await fireEvent.click(screen.getByTestId('more-remembered'));
  await waitFor(() => expect(shown()).toHaveLength(40));
  await fireEvent.click(screen.getByTestId('more-remembered'));
  await waitFor(() => expect(shown()).toHaveLength(41));
  expect(screen.queryByTestId('more-remembered')).toBe(null);
});

test('after a refusal what is really remembered is shown', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Memory, {}, app);
  await screen.findAllByTestId('remembered');
  const [, ...left] = shown();
  backend.memory.forget = () => {
    backend.world.memories = backend.world.memories.slice(1);
    return Promise.reject(new Error('it is gone already'));
  };
  const [forget] = screen.getAllByRole('button', { name: /^Forget “/ });
  if (forget) await fireEvent.click(forget);
  await waitFor(() => expect(shown()).toEqual(left));
});

test('memories are looked through by words and by kind, with on whose word, what they belong to and why there is none', async () => {
  const { app, backend, clock } = await appOn('proposed');
  backend.world.memories = [
    ...backend.world.memories,
    { ...of('decision'), id: 99, links: [{ relation: 'contradicts', context: 'errors' }] },
  ];
  mounted(Memory, {}, app);
  await waitFor(() => expect(shown()).toHaveLength(4));
  expect(shown()[0]).toContain('done · by a call that worked');
  expect(shown()[0]).toContain('in “Patents in the licences”');
  expect(shown()[3]).toContain('decided · by you');
  expect(shown()[3]).toContain('speaks against errors');

  const choose = (value: string) =>
    fireEvent.change(screen.getByTestId('memory-kind'), { target: { value } });
  await choose('fact');
  await waitFor(() => expect(shown()).toHaveLength(1));
  expect(shown()[0]).toContain('Search the text of files');
  expect(screen.getByTestId('memory').textContent).toContain('comes back at the next start');
  await choose('feedback');
  expect((await screen.findByTestId('memory-none')).textContent).toContain('Nothing of that kind');
  await choose('');
  const seek = async (value: string) => {
    await fireEvent.input(screen.getByTestId('memory-search'), { target: { value } });
    clock.pass(150);
  };
  await seek('patents');
  await waitFor(() => expect(shown()).toHaveLength(2));
  await seek('zeppelin');
  expect((await screen.findByTestId('memory-none')).textContent).toContain('None of 4 memories');
  await seek('');
  const [session] = await screen.findAllByTestId('memory-session');
  if (session) await fireEvent.click(session);
  await waitFor(() => expect(app.route.view).toBe('session'));
});

test('a memory that cannot be asked is told, and nothing is said to be not there', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.forgetful = true;
  mounted(Memory, {}, app);
  expect((await screen.findByTestId('memory-degraded')).textContent).toContain('cannot be asked');
  expect(screen.queryByTestId('memory-none')).toBe(null);
});

test('the second press of a double click forgets nothing more: another row stands there by then', async () => {
  const { app, backend } = await appOn('sample');
  mounted(Memory, {}, app);
  const [first] = await screen.findAllByTestId('forget');
  const before = shown().length;
  await fireEvent.click(first as HTMLElement, { detail: 1 });
  await waitFor(() => expect(shown()).toHaveLength(before - 1));
  const forget = vi.spyOn(backend.memory, 'forget');
  await fireEvent.click(screen.getAllByTestId('forget')[0] as HTMLElement, { detail: 2 });
  expect(forget).not.toHaveBeenCalled();
});

test('what could not be read says why, and not that it is read', async () => {
  const { app, backend } = await appOn('sample');
  backend.world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  mounted(Memory, {}, app);
  await waitFor(() => expect(app.error?.message).toBe('the file is locked'));
  expect(screen.queryByText('Loading…')).toBe(null);
});
