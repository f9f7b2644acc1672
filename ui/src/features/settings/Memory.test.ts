import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Memory from './Memory.svelte';

const shown = () =>
  screen.queryAllByTestId('remembered').map((row) => row.textContent?.replace(/\s+/g, ' ').trim());

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
  expect(backend.world.memories).toHaveLength(2);
  await fireEvent.click(screen.getByTestId('forget-all'));
  await fireEvent.click(screen.getByTestId('forget-yes'));
  expect((await screen.findByTestId('memory-none')).textContent).toContain('Nothing');
  expect(screen.queryByTestId('forget-all')).toBe(null);
});

test('of much that is remembered the newest is shown, more when asked; names hide nothing', async () => {
  const { app, backend } = await appOn('sample');
  const words = `Find \u202egnp.exe ${'and so on '.repeat(40)}`;
  backend.world.memories = Array.from({ length: 41 }, (_, at) => ({
    id: 41 - at,
    about: 'grep',
    words,
    times: 1,
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
