import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { tick } from 'svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Composer from './Composer.svelte';

beforeEach(() => localStorage.clear());

async function shown(props: { steer?: (words: string) => void } = {}) {
  const { app } = await appOn('question');
  const send = vi.fn<(words: string) => void>();
  const all = { value: '', placeholder: 'Write', send, workspace: '/home/ada/common-licenses', ...props };
  mounted(Composer as never, all, app);
  const area = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
  const write = async (text: string) => {
    await fireEvent.input(area, { target: { value: text, selectionStart: text.length } });
    await waitFor(() => tick());
  };
  return { area, send, write };
}
const options = () => screen.queryAllByRole('option').map((one) => one.textContent.trim().split(/\s+/)[0]);

test('Enter and Ctrl+Enter send what is written, Shift+Enter does not, and nothing sends nothing', async () => {
  const { area, send, write } = await shown();
  await fireEvent.keyDown(area, { key: 'Enter' });
  await write(' Count the files ');
  await fireEvent.keyDown(area, { key: 'Enter', shiftKey: true });
  expect(send.mock.calls).toEqual([]);
  await fireEvent.keyDown(area, { key: 'Enter' });
  await fireEvent.keyDown(area, { key: 'Enter', ctrlKey: true });
  expect(send.mock.calls).toEqual([['Count the files'], ['Count the files']]);
});

test('held, Enter sends once, and Ctrl+Enter is let through to no plan once it has emptied the field', async () => {
  const { area, send, write } = await shown();
  const heard: boolean[] = [];
  const hear = (event: KeyboardEvent) => heard.push(event.repeat);
  window.addEventListener('keydown', hear);
  for (const keys of [{}, { ctrlKey: true }]) {
    await write('Leave out the drafts');
    await fireEvent.keyDown(area, { key: 'Enter', ...keys });
    await fireEvent.keyDown(area, { key: 'Enter', ...keys, repeat: true });
    await write('');
    await fireEvent.keyDown(area, { key: 'Enter', ...keys, repeat: true });
  }
  expect([send.mock.calls.length, heard]).toEqual([2, []]);
  await fireEvent.keyDown(area, { key: 'Enter', ctrlKey: true });
  window.removeEventListener('keydown', hear);
  expect([send.mock.calls.length, heard]).toEqual([2, [false]]);
});

test('an Enter that takes a word from an input method sends nothing', async () => {
  const { area, send, write } = await shown();
  await write('かんじ');
  await fireEvent.keyDown(area, { key: 'Enter', isComposing: true });
  await fireEvent.keyDown(area, { key: 'Enter', keyCode: 229 });
  expect(send).not.toHaveBeenCalled();
});

test('Ctrl+Shift+Enter stops what goes on and sends, where something goes on', async () => {
  const steer = vi.fn<(words: string) => void>();
  const { area, send, write } = await shown({ steer });
  await write('Rather this');
  await fireEvent.keyDown(area, { key: 'Enter', ctrlKey: true, shiftKey: true });
  expect([steer.mock.calls, send.mock.calls]).toEqual([[['Rather this']], []]);
});

test('a name is chosen by arrows and taken by Enter, as words that need no sign', async () => {
  const { area, send, write } = await shown();
  await write('read @GPL');
  await waitFor(() => expect(options()).toEqual(['GPL-2', 'GPL-3', 'LGPL-2.1']));
  expect(area.getAttribute('aria-activedescendant')).toBe(screen.getAllByRole('option')[0]?.id);
  await fireEvent.keyDown(area, { key: 'ArrowDown' });
  await fireEvent.keyDown(area, { key: 'Enter' });
  await waitFor(() => expect(area.value).toBe('read GPL-3 '));
  expect([options(), send.mock.calls]).toEqual([[], []]);
});

test('tools, specialists, plans and sessions are named too; a path with a space is quoted', async () => {
  const { area, write } = await shown();
  await write('@last');
  await waitFor(() => expect(options()).toEqual(['notes/last']));
  await fireEvent.keyDown(area, { key: 'Tab' });
  await waitFor(() => expect(area.value).toBe('"notes/last year.md" '));
  const kinds: string[] = [];
  for (const query of ['@glob', '@web', '@count', '@invoice']) {
    await write(query);
    await waitFor(() => expect(options().length).toBeGreaterThan(0));
    kinds.push(screen.getAllByRole('option')[0]?.lastElementChild?.textContent ?? '');
    await write('');
  }
  expect(kinds).toEqual(['tool', 'specialist', 'plan', 'session']);
});

test('Escape leaves the sign as it is, and Enter sends then', async () => {
  const { area, send, write } = await shown();
  await write('@GPL');
  await waitFor(() => expect(options().length).toBe(3));
  await fireEvent.keyDown(area, { key: 'Escape' });
  await write('@GPL-');
  expect(options()).toEqual([]);
  await fireEvent.keyDown(area, { key: 'Enter' });
  expect(send.mock.calls).toEqual([['@GPL-']]);
});

test('a key that moves the caret away closes the list of names, and Enter sends what is written', async () => {
  const { area, send, write } = await shown();
  for (const key of ['ArrowLeft', 'ArrowRight', 'Home', 'End']) {
    await write('');
    await write('@last');
    await waitFor(() => expect(options()).not.toEqual([]));
    await fireEvent.keyDown(area, { key });
    await waitFor(() => expect(options()).toEqual([]));
    await fireEvent.keyDown(area, { key: 'Enter' });
  }
  expect(send.mock.calls).toEqual(Array.from({ length: 4 }, () => ['@last']));
});
