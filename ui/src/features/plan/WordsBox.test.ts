import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { Writing } from '../../app/writing.svelte';
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
