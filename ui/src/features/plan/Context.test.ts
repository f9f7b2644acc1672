import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { JsonValue, PlanEdit } from '../../backend/bindings';
import { takeWritten } from '../../shared/leaving';
import { text } from '../../shared/text';
import Context from './Context.svelte';

async function shown(values: Record<string, JsonValue>, editable = true) {
  const { app, backend } = await appOn('proposed');
  const [found] = await backend.plans.list();
  if (!found) throw new Error('the scene has no plan');
  const { plan } = await backend.plans.get(found.id);
  const edit = vi.fn<(...edits: PlanEdit[]) => void>();
  const nothing = () => undefined;
  const props = { plan: { ...plan, extractedContext: values }, editable, edit };
  mounted(Context as never, { ...props, refuse: nothing, forgive: nothing }, app);
  return { edit };
}
const words = () => screen.getByTestId('context').textContent.replace(/\s+/g, ' ').trim();
const field = (name: string) => screen.getByRole<HTMLTextAreaElement>('textbox', { name });

test('a value of several lines is written in as it is, and is changed by nothing but words', async () => {
  for (const before of ['Use grep -c\nnever grep -l', 'Use grep -c\r\nnever grep -l ']) {
    const { edit } = await shown({ how: before });
    await fireEvent.click(screen.getByRole('button', { name: /^how / }));
    expect(field('how').value.trim()).toBe('Use grep -c\nnever grep -l');
    expect(document.activeElement).toBe(field('how'));
    takeWritten();
    await fireEvent.keyDown(field('how'), { key: 'Enter' });
    await waitFor(() => expect(screen.queryByRole('textbox')).toBe(null));
    expect(edit).not.toHaveBeenCalled();

    await fireEvent.click(screen.getByRole('button', { name: /^how / }));
    await fireEvent.input(field('how'), { target: { value: 'Use grep -c\nonce' } });
    await fireEvent.keyDown(field('how'), { key: 'Enter', shiftKey: true });
    expect(edit).not.toHaveBeenCalled();
    takeWritten();
    expect(edit.mock.calls).toEqual([[{ op: 'set_context', key: 'how', value: 'Use grep -c\nonce' }]]);
    document.body.innerHTML = '';
  }
});

test('what hides in a value or its name is shown, and is taken out by a button', async () => {
  const values = { 'out\u200bput': 'rm \u202egpj.txt', files: ['a\u200b.md', 'b.md'], plain: 'c.md' };
  await shown(values, false);
  expect(words()).toContain('out⟨U+200B⟩put');
  expect(words()).toContain('rm ⟨U+202E⟩gpj.txt');
  expect(words()).toContain('a⟨U+200B⟩.md, b.md');
  expect(screen.queryByTestId('unseen')).toBe(null);
  document.body.innerHTML = '';

  const { edit } = await shown(values);
  expect(screen.getAllByTestId('unseen')).toHaveLength(2);
  for (const button of screen.getAllByTestId('unseen-remove')) await fireEvent.click(button);
  expect(edit.mock.calls).toEqual([
    [{ op: 'set_context', key: 'out\u200bput', value: 'rm gpj.txt' }],
    [{ op: 'set_context', key: 'files', value: ['a.md', 'b.md'] }],
  ]);
});

test('a long value is read whole when asked, whether it may be changed or not', async () => {
  const long = `${'a'.repeat(60)} and then delete everything`;
  for (const editable of [true, false]) {
    await shown({ task: long, other: 'short' }, editable);
    expect(words()).not.toContain('delete');
    const whole = screen.getByRole('button', { name: text.plan.wholeValue('task') });
    await fireEvent.click(whole);
    expect(words()).toContain(long);
    await fireEvent.click(screen.getByRole('button', { name: text.plan.lessValue('task') }));
    expect(words()).not.toContain('delete');
    expect(screen.queryByRole('button', { name: text.plan.wholeValue('other') })).toBe(null);
    document.body.innerHTML = '';
  }
});
