import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { takeWritten } from '../leaving';
import { blank, fieldsOf } from './schema';
import SchemaForm from './SchemaForm.svelte';

const fields = fieldsOf({
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'Which file.' },
    limit: { type: 'integer' },
    all: { type: 'boolean', description: 'All of them.' },
    kind: { enum: ['file', 'folder'] },
    names: { type: 'array', items: { type: 'string' } },
    parts: { type: 'array', items: { enum: ['head', 'body'] } },
    day: { type: 'string', format: 'date' },
  },
});

test('each argument has a field with its name, what it is, and what is wrong with it', async () => {
  const wrote: [string, string | boolean][] = [];
  const write = (name: string, value: string | boolean) => void wrote.push([name, value]);
  render(SchemaForm, { fields, written: blank(fields), faults: { limit: 'whole' as const }, write });

  const path = screen.getByLabelText('path');
  expect(path.getAttribute('aria-invalid')).toBe('false');
  expect(path).toHaveProperty('tagName', 'TEXTAREA');
  expect(screen.getByText('Which file.')).toBeTruthy();
  expect(screen.getByLabelText('limit').getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('This has to be a whole number.')).toBeTruthy();
  expect(screen.getByText('one a line · optional')).toBeTruthy();

  await fireEvent.input(path, { target: { value: 'a.txt' } });
  await fireEvent.click(screen.getByTestId('field-all'));
  await fireEvent.change(screen.getByLabelText('kind'), { target: { value: 'folder' } });
  const parts = screen.getByRole('group', { name: 'parts' });
  for (const box of within(parts).getAllByRole('checkbox').toReversed()) await fireEvent.click(box);
  expect(screen.getByLabelText('day')).toHaveProperty('type', 'date');
  expect(wrote).toEqual([
    ['path', 'a.txt'],
    ['all', true],
    ['kind', 'folder'],
    // Each as if it alone was chosen: the form shows what it is given.
    ['parts', 'body'],
    ['parts', 'head'],
  ]);
});

test('a value that a schema names twice breaks no form, and a fault of boxes stands at the first of them', () => {
  const twice = fieldsOf({
    properties: {
      mode: { enum: ['fast', 'fast'] },
      parts: { type: 'array', items: { enum: ['head', 'body', 'head'] } },
    },
  });
  const faults = { parts: 'few' as const };
  render(SchemaForm, { fields: twice, written: blank(twice), faults, write: () => undefined });
  const options = within(screen.getByLabelText('mode')).getAllByRole('option');
  expect(options.map((one) => one.textContent)).toEqual(['None', 'fast']);
  const boxes = within(screen.getByRole('group', { name: 'parts' })).getAllByRole('checkbox');
  expect(boxes.map((one) => one.getAttribute('aria-invalid'))).toEqual(['true', 'true']);
});

test('what was ticked last stays ticked when the page may be about to go', async () => {
  const wrote: string[] = [];
  const view = render(SchemaForm, {
    fields,
    written: blank(fields),
    faults: {},
    write: (_name: string, value: string | boolean) => {
      wrote.push(String(value));
      void view.rerender({ written: { ...blank(fields), parts: String(value) } });
    },
  });
  const [head] = within(screen.getByRole('group', { name: 'parts' })).getAllByRole('checkbox');
  if (!head) throw new Error('there is a box');
  head.focus();
  await fireEvent.click(head);
  takeWritten();
  // Told of twice, it is still what it is.
  await fireEvent(head, new Event('change', { bubbles: true }));
  expect(wrote).toEqual(['head', 'head']);
  expect(head).toHaveProperty('checked', true);
});

test('a tool without arguments says so', () => {
  render(SchemaForm, { fields: [], written: {}, faults: {}, write: () => undefined });
  expect(screen.getByText('It is called without arguments.')).toBeTruthy();
});
