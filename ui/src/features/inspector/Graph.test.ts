import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { outlineOf } from '../../model/outline';
import { untouched, type RunState, type StepState } from '../../model/run';
import Graph from './Graph.svelte';

const SHEET = { width: 600, height: 400 };

// Nothing has a size here.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(SHEET.width);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(SHEET.height);
});
afterEach(() => void vi.restoreAllMocks());

/** The graph of a plan, moved until none of its steps is in sight. */
async function movedAway() {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const open = vi.fn<(step: string) => void>();
  mounted(Graph as never, { outline: outlineOf(plan, null), run: null, open }, app);
  await waitFor(() => expect(nodes()).toHaveLength(plan.steps.length));
  await fireEvent.wheel(screen.getByTestId('graph'), { deltaY: 5000 });
  await tick();
  return { plan, open };
}
const nodes = () => screen.queryAllByTestId('node');
const moved = (element: Element | null) =>
  (element as HTMLElement).style.transform.match(/-?[\d.]+/g)?.map(Number) ?? [];

/** Whether a step lies wholly on the sheet, which is drawn in its own size. */
function isInSight(node: HTMLElement): boolean {
  const [left = 0, top = 0] = moved(node.parentElement);
  const [x = 0, y = 0] = moved(node);
  const [wide, high] = [parseFloat(node.style.width), parseFloat(node.style.height)];
  return left + x >= 0 && top + y >= 0 && left + x + wide <= SHEET.width && top + y + high <= SHEET.height;
}

test('the graph can be reached by Tab also where none of its steps is in sight, and the reached one comes into sight', async () => {
  await movedAway();
  const [first, ...others] = nodes();
  if (!first) throw new Error('nothing can be reached');
  expect([first.tabIndex, others, isInSight(first)]).toEqual([0, [], false]);
  first.focus();
  await tick();
  expect([document.activeElement, isInSight(first)]).toEqual([first, true]);
});

test('a step that is pressed does not move away below the pointer', async () => {
  await movedAway();
  const [first] = nodes();
  if (!first) throw new Error('nothing can be reached');
  await fireEvent.pointerDown(first);
  first.focus();
  await tick();
  expect(isInSight(first)).toBe(false);
  await fireEvent.pointerUp(first);
  first.blur();
  first.focus();
  await tick();
  expect(isInSight(first)).toBe(true);
});

test('also drawn as its number a step says by a sign how it stands, and not by its hue alone', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const states: Partial<StepState>[] = [
    { status: 'completed' },
    { status: 'failed' },
    { status: 'waiting' },
    { status: 'completed', warning: true },
    { status: 'in_progress' },
    { status: 'skipped' },
    {},
  ];
  const [first] = plan.steps;
  if (!first) throw new Error('the plan has no step');
  const numbered = states.map((_, at) => ({ ...first, id: `s${at + 1}`, dependencies: [] }));
  const steps = new Map(numbered.map(({ id }, at) => [id, { ...untouched(id), ...states[at] }]));
  const run = { steps, ended: null, parents: new Map() } as Partial<RunState> as RunState;
  const outline = outlineOf({ ...plan, steps: numbered }, null);
  mounted(Graph as never, { outline, run, open: () => undefined }, app);
  await waitFor(() => expect(nodes().length).toBeGreaterThan(0));
  while (parseInt(screen.getByTestId('zoom-percent').textContent) > 30)
    await fireEvent.click(screen.getByTestId('zoom-out'));
  expect(nodes().map((node) => node.textContent.trim())).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  const signs = nodes().map((node) => node.querySelector('svg')?.innerHTML ?? '');
  expect([new Set(signs).size, signs.at(-1)]).toEqual([states.length, '']);
});
