import { render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import type { PlanDiff } from '../../backend/bindings';
import { appOn } from '../../app/mounted.test-data';
import { text } from '../../shared/text';
import Adds from './Adds.svelte';

async function told(change: Partial<PlanDiff>) {
  const { backend } = await appOn('proposed');
  const [found] = await backend.plans.list();
  if (!found) throw new Error('the scene has no plan');
  const { plan } = await backend.plans.get(found.id);
  const none: PlanDiff = {
    header: [],
    added: [],
    removed: [],
    changed: [],
    moved: [],
    grantsAdded: [],
    grantsRemoved: [],
  };
  const { unmount } = render(Adds, { plan, adds: { ...none, ...change } });
  const words = screen.getByTestId('adds').textContent.replace(/\s+/g, ' ').trim();
  unmount();
  return words;
}
const header = (before: boolean | null, after: boolean | null) => [{ field: 'readOnly', before, after }];
const grantsAdded = [{ id: 's2', grants: { tools: ['bash'], paths: [], hosts: [] } }];

test('a plan that does not only look any more allows something further', async () => {
  // Where it does not only look, the document says nothing of that.
  for (const after of [null, false])
    expect(await told({ header: header(true, after) })).toBe(`${text.plan.adds} ${text.plan.changing}`);
  expect(await told({ header: header(true, null), grantsAdded })).toBe(
    `${text.plan.adds} ${text.plan.changing}; step 2 bash`,
  );
});

test('what only looks from now on, and what is changed beside that, allows nothing further', async () => {
  expect(await told({ header: header(null, true) })).toBe(text.plan.addsNothing);
  expect(await told({ header: [{ field: 'title', before: 'A', after: 'B' }] })).toBe(text.plan.addsNothing);
  expect(await told({ grantsAdded })).toBe(`${text.plan.adds} step 2 bash`);
});
