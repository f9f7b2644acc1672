import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { text } from '../../shared/text';
import Changes from './Changes.svelte';

const words = (testid: string) =>
  screen.queryByTestId(testid)?.textContent.replace(/\s+/g, ' ').trim() ?? null;

test('that a plan does not only look any more is told as something it allows further, and the other way round', async () => {
  const { app, backend } = await appOn('looking');
  const id = (await backend.plans.list())[0]?.id ?? '';
  const change = (version: number, readOnly: boolean) =>
    backend.plans.edit(id, version, [{ op: 'set_read_only', readOnly }]);
  const { plan } = await backend.plans.get(id);
  expect(plan.readOnly).toBe(true);
  const show = async () => {
    const session = await app.attend(plan.sessionId);
    await session.load();
    const state = session.state.plans.get(id);
    return mounted(Changes as never, { plan: state, title: 'A plan', show: () => undefined }, app);
  };
  await change(plan.version, false);
  const { unmount } = await show();
  await waitFor(() => expect(words('allows-more')).toContain(text.plan.changing));
  expect(words('allows-less')).toBe(null);
  expect(words('changes')).toMatch(/Only looks Yes No/);
  expect(words('changes')).not.toContain('readOnly');
  unmount();

  await change(plan.version + 1, true);
  await show();
  await waitFor(() => expect(words('allows-less')).toContain(text.plan.changing));
  expect(words('allows-more')).toBe(null);
});
