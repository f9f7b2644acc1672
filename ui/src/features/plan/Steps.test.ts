import { fireEvent, screen } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { PlanEdit } from '../../backend/bindings';
import { OpenSession } from '../../app/session.svelte';
import Steps from './Steps.svelte';

beforeEach(() => {
  localStorage.clear();
  // What tests run in has no pointers of its own.
  Element.prototype.setPointerCapture = () => undefined;
});

const pointer = (name: string, on: Node, pointerId = 1) =>
  fireEvent(on, Object.assign(new MouseEvent(name, { bubbles: true, clientY: 10 }), { pointerId }));

/** The steps of a plan that waits, none of which needs another one: the second is grabbed and dragged to the end. */
async function dragged() {
  const { app, backend, clock } = await appOn('proposed');
  const [{ id, version, steps: needy, sessionId } = fail()] = await backend.plans.list();
  const ids = needy.map((one) => one.id);
  const change = (...edits: PlanEdit[]) => backend.plans.edit(id, latest, edits);
  let latest = version;
  ({ version: latest } = await change(
    ...ids.map((step) => ({ op: 'set_dependencies' as const, step, dependencies: [] })),
  ));
  const session = new OpenSession(sessionId, app.backend, clock);
  await session.load();
  const card = session.card(id);
  await card.load();
  const props = {
    card,
    run: null,
    editable: true,
    faults: new Map(),
    comments: [],
    inspect: () => undefined,
  };
  const { container, rerender } = mounted(Steps as never, props, app);
  await fireEvent.pointerOver(screen.getAllByTestId('step')[1]?.parentElement as HTMLElement);
  await pointer('pointerdown', await screen.findByTestId('grip'));
  await pointer('pointermove', document);
  return {
    card,
    ids,
    change,
    steps: () => screen.getAllByTestId('step').map((one) => one.dataset['step']),
    isDragging: () => container.querySelector('.dragged, .above, .below') !== null,
    readOnly: () => rerender({ editable: false } as never),
  };
}

function fail(): never {
  throw new Error('the scene has no plan');
}

test('a step that was grabbed is moved where it is dropped, by its own pointer', async () => {
  const { card, ids, steps, isDragging } = await dragged();
  await pointer('pointerup', document, 2);
  expect(isDragging()).toBe(true);
  await pointer('pointerup', document);
  await expect.poll(steps).toEqual([ids[0], ids[2], ids[3], ids[1]]);
  expect([isDragging(), card.dirty]).toEqual([false, true]);
});

test('where another step has come to the place of the one that was grabbed, nothing is moved', async () => {
  const { card, change, ids, steps, isDragging } = await dragged();
  await change({ op: 'move_step', step: ids[1] ?? '', to: 0 });
  await card.load();
  const now = [ids[1], ids[0], ids[2], ids[3]];
  await expect.poll(steps).toEqual(now);
  expect(isDragging()).toBe(false);
  await pointer('pointerup', document);
  await card.load();
  expect([steps(), card.dirty]).toEqual([now, false]);
});

test('a drag ends with its handle, and nothing is moved then', async () => {
  const { card, isDragging, readOnly } = await dragged();
  await readOnly();
  expect(screen.queryByTestId('grip')).toBe(null);
  await pointer('pointerup', document);
  expect([isDragging(), card.dirty]).toEqual([false, false]);
});

test('a drag ends where the pointer is taken away, and nothing is moved then', async () => {
  const { card, isDragging } = await dragged();
  await pointer('lostpointercapture', document);
  expect(isDragging()).toBe(false);
  await pointer('pointerup', document);
  expect(card.dirty).toBe(false);
});
