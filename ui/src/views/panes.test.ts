import { beforeEach, expect, test } from 'vitest';
import { Panes } from './panes.svelte';

beforeEach(() => localStorage.clear());

/** What is left for the middle in a window of a width. */
function middle(panes: Panes, width: number): number {
  panes.measure(width);
  const sidebar = panes.sidebar && !panes.overSidebar ? panes.shownSidebar : 0;
  const inspector = panes.inspector && !panes.overInspector ? panes.shownInspector : 0;
  return width - sidebar - inspector;
}

test('however wide the panes were made, the middle keeps its room as the window becomes narrower', () => {
  const panes = new Panes();
  panes.measure(2400);
  panes.resize('sidebar', 400);
  panes.resize('inspector', 900);
  const widths = Array.from({ length: 180 }, (_, at) => 2400 - at * 10);
  expect(Math.min(...widths.map((width) => middle(panes, width)))).toBeGreaterThanOrEqual(520);
  expect(middle(panes, 2400)).toBe(1100);
});

test('what was kept is taken only where it is a width', () => {
  localStorage.setItem('assent.panes', '{"sidebarWidth":"wide","inspectorWidth":100000}');
  const panes = new Panes();
  expect([panes.sidebarWidth, panes.inspectorWidth]).toEqual([200, 900]);
});
