import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import type { FileChange as Change, Line } from '../../backend/bindings';
import FileChange from './FileChange.svelte';

const line = (fate: Line['fate'], number: number, text: string, more: Partial<Line> = {}): Line => {
  return { fate, number, text, cut: false, openEnd: false, ...more };
};
const changed = (blocks: Line[][], leftOut = 0): Change => {
  const count = (fate: Line['fate']) => blocks.flat().filter((one) => one.fate === fate).length;
  const lines = { added: count('added'), removed: count('removed'), blocks, leftOut };
  return { type: 'changed', path: 'notes.md', lines };
};
const show = (change: Change) => render(FileChange, { change });
const lines = () =>
  screen.getAllByTestId('changed-line').map((one) => one.textContent.replace(/\s+/g, ' ').trim());

test('lines that go and come have a sign, a number and a count', () => {
  show(
    changed([
      [line('same', 6, '| --- |'), line('removed', 7, '| 55 |'), line('added', 7, '| 57 |')],
      [line('added', 40, 'the end', { openEnd: true })],
    ]),
  );
  expect(lines()).toEqual(['6 | --- |', '7 − | 55 |', '7 + | 57 |', '40 + the end no line break at the end']);
  expect(screen.getByTestId('file-change').querySelector('figcaption')?.textContent).toMatch(
    /notes\.md.*Lines that come: \+2.*Lines that go: −1/s,
  );
  expect(screen.getByText('Lines that stay are left out here.')).toBeTruthy();
});

test('a line is text and nothing else, and nothing hides in it', () => {
  show(
    changed([
      [
        line('added', 1, '<img src=x onerror="window.broken = 1"><b>bold</b>'),
        line('added', 2, 'if (admin) {\u202e // {checked'),
        line('added', 3, 'the same\r'),
        line('added', 4, 'x'.repeat(400), { cut: true }),
      ],
    ]),
  );
  expect(document.querySelectorAll('img, b').length).toBe(0);
  expect(lines()).toEqual([
    '1 + <img src=x onerror="window.broken = 1"><b>bold</b>',
    '2 + if (admin) {⟨U+202E⟩ // {checked',
    '3 + the same␍',
    `4 + ${'x'.repeat(400)} … and so on`,
  ]);
});

test('of many lines the first are shown until somebody asks for all, and what was left out is counted', async () => {
  const block = (from: number) => Array.from({ length: 20 }, (_, at) => line('added', from + at, 'x'));
  show(changed([block(1), block(100)], 1960));
  expect(lines().length).toBe(24);
  expect(screen.getByText('1960 more lines are not shown.')).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Show all 40 lines' }));
  expect(lines().length).toBe(40);
  await fireEvent.click(screen.getByRole('button', { name: 'Show fewer lines' }));
  expect(lines().length).toBe(24);
});

test('where nothing can be compared, that is said in plain words', () => {
  const said = (change: Change) => {
    document.body.replaceChildren();
    show(change);
    return screen.queryByTestId('file-change')?.textContent.trim();
  };
  expect(said({ type: 'none' })).toBe(undefined);
  expect(said({ type: 'new', path: 'a.md' })).toBe('A new file: nothing is there yet.');
  expect(said(changed([]))).toBe('The file stays as it is.');
  const whys = ['missing', 'outside', 'folder', 'binary', 'too_large', 'unreadable'] as const;
  const fits = ['not_there', 'ambiguous', 'unfit'] as const;
  const all = [...whys, ...fits].map((why) => said({ type: 'unshown', why }));
  expect(new Set(all).size).toBe(9);
  expect(all.every((words) => words && words.length > 30)).toBe(true);
});
