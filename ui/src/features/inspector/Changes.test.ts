import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { text } from '../../shared/text';
import Changes from './Changes.svelte';

const words = (testid: string) =>
  screen.queryByTestId(testid)?.textContent.replace(/\s+/g, ' ').trim() ?? null;

test('what a step may do further, and whatever else changed, is told with all that hides in it', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const [step] = plan?.steps ?? [];
  if (!plan || !step) throw new Error('the scene has no plan');
  const grants = { tools: [], paths: ['a\u202etxt.b'], hosts: ['ex\u200bample.com'] };
  const { diff } = backend.plans;
  backend.plans.diff = async (...both) => ({
    ...(await diff(...both)),
    grantsAdded: [{ id: step.id, grants }],
  });
  await backend.plans.edit(plan.id, plan.version, [
    { op: 'set_title', title: 'Count\u202e all' },
    { op: 'set_description', step: step.id, description: 'Look\u200b twice' },
  ]);
  const session = await app.attend(plan.sessionId);
  await session.load();
  mounted(
    Changes as never,
    { plan: session.state.plans.get(plan.id), title: 'A plan', show: () => undefined },
    app,
  );
  await waitFor(() => expect(words('allows-more')).toContain('a⟨U+202E⟩txt.b, ex⟨U+200B⟩ample.com'));
  expect(words('changes')).toContain('Count⟨U+202E⟩ all');
  expect(words('changes')?.match(/Look⟨U\+200B⟩ twice/g)).toHaveLength(2);
  expect(words('changes')).not.toMatch(/[\u202e\u200b]/);
});

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
