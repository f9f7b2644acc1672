import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { Writing } from '../../app/writing.svelte';
import { keyName } from '../../shared/keys';
import WordsBox from './WordsBox.svelte';

beforeEach(() => localStorage.clear());

test('words are sent once however often Enter is pressed, and what is written meanwhile stays', async () => {
  const writing = new Writing('plan.a');
  writing.open('comment:s1');
  let taken = (): void => undefined;
  const write = vi.fn<(words: string) => Promise<void>>(
    (words) =>
      new Promise((done) => {
        taken = () => {
          writing.sent('comment:s1', words);
          done();
        };
      }),
  );
  const box = 'comment:s1' as const;
  const props = { writing, box, label: 'Comment', placeholder: '', testid: 'words', closed: () => undefined };
  render(WordsBox, { ...props, write });
  const field = screen.getByTestId<HTMLInputElement>('words');
  const form = field.closest('form');
  if (!form) throw new Error('the field stands in a form');
  await fireEvent.input(field, { target: { value: 'Only the newest' } });
  await fireEvent.submit(form);
  await fireEvent.submit(form);
  expect(write.mock.calls).toEqual([['Only the newest']]);

  await fireEvent.input(field, { target: { value: 'Only the newest, by date' } });
  await fireEvent.submit(form);
  taken();
  await waitFor(() => expect(screen.getByRole('button', { name: 'Comment' }).ariaBusy).not.toBe('true'));
  expect([write.mock.calls.length, writing.of(box)]).toEqual([1, 'Only the newest, by date']);
  await fireEvent.submit(form);
  taken();
  await waitFor(() => expect(writing.isOpen(box)).toBe(false));
  expect(write.mock.calls.at(-1)).toEqual(['Only the newest, by date']);
});

test('held, Enter sends nothing more', async () => {
  const writing = new Writing('plan.a');
  writing.open('rework:s1');
  writing.write('rework:s1', 'Only the newest');
  const write = vi.fn<(words: string) => Promise<void>>(() => Promise.resolve());
  const box = 'rework:s1' as const;
  const props = { writing, box, label: 'Plan anew', placeholder: '', testid: 'words', write };
  render(WordsBox, { ...props, closed: () => undefined });
  const field = screen.getByTestId('words');
  // Without what a browser does then, the form is not sent either.
  expect(await fireEvent.keyDown(field, { key: 'Enter', repeat: true })).toBe(false);
  expect(await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true, repeat: true })).toBe(false);
  expect(write).not.toHaveBeenCalled();
  expect(await fireEvent.keyDown(field, { key: 'Enter' })).toBe(true);
});

test('Escape and Ctrl+Enter are the field’s own; every other key is heard by the window as well', async () => {
  const writing = new Writing('plan.a');
  writing.open('comment:s1');
  writing.write('comment:s1', 'Only the newest');
  const write = vi.fn<(words: string) => Promise<void>>(() => Promise.resolve());
  const closed = vi.fn<() => void>();
  const box = 'comment:s1' as const;
  render(WordsBox, { writing, box, label: 'Comment', placeholder: '', testid: 'words', write, closed });
  const field = screen.getByTestId('words');
  const heard: string[] = [];
  const hear = (event: KeyboardEvent) => heard.push(keyName(event));
  window.addEventListener('keydown', hear);
  await fireEvent.keyDown(field, { key: ',', ctrlKey: true });
  await fireEvent.keyDown(field, { key: 'n', ctrlKey: true });
  await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
  await fireEvent.keyDown(field, { key: 'Escape' });
  window.removeEventListener('keydown', hear);
  expect(heard).toEqual(['Ctrl+,', 'Ctrl+N']);
  expect([write.mock.calls, closed.mock.calls.length]).toEqual([[['Only the newest']], 1]);
});
