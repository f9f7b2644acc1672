import { fireEvent, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { text } from '../../shared/text';
import SavePlan from './SavePlan.svelte';

test('a plan is kept under a name and with tags, and takes the place of another only when that is said', async () => {
  const { app } = await appOn('kept');
  const before = await app.backend.library.list();
  const [plan] = await app.backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const close = vi.fn();
  mounted(SavePlan, { plan, dirty: true, close }, app);
  expect(screen.getByTestId('save-dialog').textContent).toContain(text.plan.kept.saveDirty(plan.version));
  const name = screen.getByTestId<HTMLInputElement>('saved-name');
  expect(name.value).toBe(plan.title);
  await fireEvent.input(name, { target: { value: 'patents PER licence' } });
  await fireEvent.input(screen.getByTestId('saved-tags'), { target: { value: ' #Law, notes,, law' } });
  const save = () => screen.getByTestId('save-yes');
  save().focus();
  await fireEvent.click(save());
  await vi.waitFor(() => expect(save().textContent).toContain(text.plan.kept.replace));
  expect(name.getAttribute('aria-invalid')).toBe('true');
  await vi.waitFor(() => expect(document.activeElement).toBe(name));
  expect(close).not.toHaveBeenCalled();
  // With another name it is another plan again.
  await fireEvent.input(name, { target: { value: 'Mine' } });
  expect(save().textContent).toContain(text.plan.kept.keep);
  await fireEvent.click(save());
  await vi.waitFor(() => expect(close).toHaveBeenCalledOnce());
  const after = await app.backend.library.list();
  expect(after.length).toBe(before.length + 1);
  expect(after.find((row) => row.name === 'Mine')?.tags).toEqual(['law', 'notes']);
});

test('who leaves it while it is being saved is told in the window where that was refused', async () => {
  const { app, backend } = await appOn('kept');
  const [plan] = await backend.plans.list();
  let refuse = () => {};
  backend.library.save = () => new Promise((_, fail) => (refuse = () => fail(new Error('the disk is full'))));
  const { unmount } = mounted(SavePlan as never, { plan, dirty: false, close: () => undefined }, app);
  await fireEvent.click(screen.getByTestId('save-yes'));
  unmount();
  refuse();
  await vi.waitFor(() => expect(app.error?.message).toBe('the disk is full'));
});
