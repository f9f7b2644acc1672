import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Change } from '../../app/card.svelte';
import type { PlanEdit, Step } from '../../backend/bindings';
import { takeWritten } from '../../shared/leaving';
import StepEditor from './StepEditor.svelte';

async function opened(change: Partial<Step> = {}) {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const found = plan?.steps[1];
  const step = found && { ...found, ...change };
  if (!plan || !step) throw new Error('the scene has no plan of two steps');
  const made = vi.fn<(...edits: PlanEdit[]) => void>();
  // As a card that has its turn at once.
  const edit = (...changes: Change[]) =>
    made(...changes.map((one) => (typeof one === 'function' ? one({ ...plan, steps: [step] }) : one)));
  const close = vi.fn<() => void>();
  const { all: tools, specialists } = app.tools;
  mounted(StepEditor as never, { plan, step, number: 2, faults: [], tools, specialists, edit, close }, app);
  return { edit: made, close };
}
const field = (name: string) => screen.getByRole<HTMLTextAreaElement>('textbox', { name });

test('a field that is left makes one change; one that is left as it was makes none', async () => {
  const { edit } = await opened();
  expect(document.activeElement).toBe(field('What to do'));
  await fireEvent.change(field('What to do'), { target: { value: 'Rank them  ' } });
  await fireEvent.change(field('Expected outcome'), { target: { value: 'a Markdown table, highest first' } });
  await fireEvent.change(field('Expected outcome'), { target: { value: '' } });
  expect(edit.mock.calls).toEqual([
    [{ op: 'set_description', step: 's2', description: 'Rank them' }],
    [{ op: 'set_expected_outcome', step: 's2', expectedOutcome: null }],
  ]);
});

test('a tool is found by part of what it does and taken by key; those of the specialist come first', async () => {
  const { edit } = await opened();
  const picker = screen.getByRole('combobox', { name: 'Required tools' });
  await fireEvent.focus(picker);
  const names = () =>
    screen.getAllByTestId('tool-option').map((one) => one.querySelector('code')?.textContent);
  expect(names().slice(0, 5)).toEqual(['create_file', 'edit_file', 'glob', 'grep', 'read']);
  await fireEvent.input(picker, { target: { value: 'shell comm' } });
  expect(names()).toEqual(['bash']);
  await fireEvent.keyDown(picker, { key: 'Enter', isComposing: true });
  expect(edit).not.toHaveBeenCalled();
  await fireEvent.keyDown(picker, { key: 'Enter' });
  expect(edit.mock.calls).toEqual([[{ op: 'set_required_tools', step: 's2', requiredTools: ['bash'] }]]);
});

test('Enter takes a tool only once one is sought or gone to, and with Ctrl it is the card’s', async () => {
  const { edit } = await opened();
  const picker = screen.getByRole('combobox', { name: 'Required tools' });
  await fireEvent.focus(picker);
  const chosen = () =>
    screen.getAllByTestId('tool-option').findIndex((one) => one.getAttribute('aria-selected') === 'true');
  expect(chosen()).toBe(-1);
  await fireEvent.keyDown(picker, { key: 'Enter' });
  for (const key of ['ctrlKey', 'metaKey', 'altKey']) {
    await fireEvent.input(picker, { target: { value: 'shell comm' } });
    expect(chosen()).toBe(0);
    expect(await fireEvent.keyDown(picker, { key: 'Enter', [key]: true })).toBe(true);
  }
  expect(edit).not.toHaveBeenCalled();

  await fireEvent.input(picker, { target: { value: '' } });
  await fireEvent.keyDown(picker, { key: 'ArrowUp' });
  expect(chosen()).toBe(screen.getAllByTestId('tool-option').length - 1);
  await fireEvent.keyDown(picker, { key: 'ArrowDown' });
  expect(chosen()).toBe(0);
  await fireEvent.keyDown(picker, { key: 'Enter' });
  expect(edit.mock.calls).toEqual([
    [{ op: 'set_required_tools', step: 's2', requiredTools: ['create_file'] }],
  ]);
});

test('Backspace takes a tool away from an empty field, and not by being held', async () => {
  const { edit } = await opened({ requiredTools: ['bash', 'glob'] });
  const picker = screen.getByRole('combobox', { name: 'Required tools' });
  await fireEvent.keyDown(picker, { key: 'Backspace', repeat: true });
  expect(edit).not.toHaveBeenCalled();
  await fireEvent.keyDown(picker, { key: 'Backspace' });
  expect(edit.mock.calls).toEqual([[{ op: 'set_required_tools', step: 's2', requiredTools: ['bash'] }]]);
});

test('what fields show of lines and of what stands around words is no change; lines that are written are', async () => {
  const instructions = 'Use grep -c\r\nnever grep -l  ';
  const { edit } = await opened({ instructions, expectedOutcome: 'a table\nof two columns ' });
  const further = screen.getByTestId<HTMLTextAreaElement>('edit-instructions');
  expect(further.value).toBe('Use grep -c\nnever grep -l  ');
  for (const id of ['edit-description', 'edit-outcome', 'edit-instructions']) {
    screen.getByTestId(id).focus();
    takeWritten();
    // As one that was written in and has its words again is left.
    await fireEvent.change(screen.getByTestId(id));
  }
  expect(edit).not.toHaveBeenCalled();
  await fireEvent.input(further, { target: { value: 'Use grep -c\nnever grep' } });
  await fireEvent.keyDown(further, { key: 'Enter', shiftKey: true });
  expect(edit).not.toHaveBeenCalled();
  await fireEvent.keyDown(further, { key: 'Enter' });
  expect(edit.mock.calls).toEqual([
    [{ op: 'set_instructions', step: 's2', instructions: 'Use grep -c\nnever grep' }],
  ]);
});

test('what a person wrote and took back is given by no field that goes', async () => {
  const { edit } = await opened({ instructions: 'Use grep -c\r\nnever grep -l' });
  const further = screen.getByTestId<HTMLTextAreaElement>('edit-instructions');
  const { value } = further;
  await fireEvent.input(further, { target: { value: `${value}!` } });
  await fireEvent.input(further, { target: { value } });
  cleanup();
  expect(edit).not.toHaveBeenCalled();
});

test('what a step waits for is ticked, its type and its specialist are chosen', async () => {
  const { edit } = await opened();
  await fireEvent.click(screen.getByRole('checkbox', { name: /Find every mention/ }));
  await fireEvent.change(screen.getByRole('combobox', { name: 'Who does it' }), {
    target: { value: 'specialist:web' },
  });
  await fireEvent.change(screen.getByRole('combobox', { name: 'Type' }), { target: { value: 'tool' } });
  expect(edit.mock.calls).toEqual([
    [{ op: 'set_dependencies', step: 's2', dependencies: [] }],
    [{ op: 'set_executor', step: 's2', executor: { kind: 'specialist', id: 'web' } }],
    [{ op: 'set_step_type', step: 's2', stepType: 'tool' }],
  ]);
});

test('Escape closes, but not while an input method composes a word', async () => {
  const { close } = await opened();
  await fireEvent.keyDown(field('What to do'), { key: 'Escape', isComposing: true });
  expect(close).not.toHaveBeenCalled();
  await fireEvent.keyDown(field('What to do'), { key: 'Escape' });
  expect(close).toHaveBeenCalledOnce();
});

test('signs that nobody sees are shown below their field, and a button takes them out', async () => {
  const description = 'Delete \u202egol.\u202c nothing\u200b';
  const { edit } = await opened({ description, expectedOutcome: 'a table' });
  const notes = screen.getAllByTestId('unseen');
  expect(notes.map((one) => one.textContent.replace(/\s+/g, ' '))).toEqual([
    expect.stringContaining('“What to do” Delete ⟨U+202E⟩gol.⟨U+202C⟩ nothing⟨U+200B⟩'),
  ]);
  await fireEvent.click(screen.getByTestId('unseen-remove'));
  expect(edit.mock.calls).toEqual([
    [{ op: 'set_description', step: 's2', description: 'Delete gol. nothing' }],
  ]);
});

test('Escape leaves a field as it was; what was taken before stays taken', async () => {
  const { edit, close } = await opened();
  await fireEvent.input(field('What to do'), { target: { value: 'Something else' } });
  await fireEvent.keyDown(field('What to do'), { key: 'Escape' });
  cleanup();
  expect([edit.mock.calls, close.mock.calls.length]).toEqual([[], 1]);
});

test('who does a step and what becomes of a missing call are marked once they were taken', async () => {
  const { edit } = await opened();
  for (const [name, value] of [
    ['edit-specialist', 'specialist:web'],
    ['edit-type', 'tool'],
    ['edit-mode', 'advisory'],
  ] as const) {
    const select = screen.getByTestId<HTMLSelectElement>(name);
    const before = select.value;
    expect(before).not.toBe(value);
    await fireEvent.change(select, { target: { value } });
    // Nothing was changed yet, and nothing is if it is refused.
    expect([name, select.value]).toEqual([name, before]);
  }
  expect(edit).toHaveBeenCalledTimes(3);
  expect(edit.mock.lastCall).toEqual([
    { op: 'set_validation_mode', step: 's2', toolValidationMode: 'advisory' },
  ]);
});
