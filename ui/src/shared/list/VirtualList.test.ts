import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { createRawSnippet, tick } from 'svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import VirtualList from './VirtualList.svelte';

const FRAME = 600;
/** The heights that rows turn out to have, by their words. */
let heights: Map<string, number>;
let observers: { see: ResizeObserverCallback; watched: Set<Element> }[];

/** As much of layout as the list asks for: rows as high as the test says, in a frame that scrolls. */
beforeEach(() => {
  heights = new Map();
  observers = [];
  vi.stubGlobal(
    'ResizeObserver',
    class {
      watched = new Set<Element>();
      constructor(see: ResizeObserverCallback) {
        observers.push({ see, watched: this.watched });
      }
      observe(element: Element) {
        this.watched.add(element);
      }
      unobserve(element: Element) {
        this.watched.delete(element);
      }
      disconnect() {
        this.watched.clear();
      }
    },
  );
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(FRAME);
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(100_000);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockImplementation(function (this: HTMLElement) {
    return heights.get(this.textContent.trim()) ?? 100;
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Tells the list how high its rows are. */
async function layOut() {
  for (const { see, watched } of observers) {
    const entries = [...watched].filter((one) => (one as HTMLElement).dataset['row']);
    if (entries.length > 0)
      see(entries.map((target) => ({ target })) as unknown as ResizeObserverEntry[], {} as ResizeObserver);
  }
  await tick();
  await tick();
}

/** Passes once rows beyond the edges are drawn as well, some time after the first frame: so many are there then. */
const drawn = (rows: number) => waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(rows));

const row = createRawSnippet((item: () => string) => ({ render: () => `<p>${item()}</p>` }));
const list = (items: string[]) => ({
  items,
  key: (item: string) => item,
  row,
  label: 'List',
  testid: 'list',
});
const names = (count: number) => Array.from({ length: count }, (_, at) => `row ${at}`);

test('of many rows few stand in the document, each with its place among all', async () => {
  render(VirtualList, list(names(1000)) as never);
  const rows = screen.getAllByRole('listitem');
  expect(rows.length).toBeLessThan(12);
  expect(rows[0]?.getAttribute('aria-setsize')).toBe('1000');
  const frame = screen.getByTestId('list');
  frame.scrollTop = 50_000;
  await fireEvent.scroll(frame);
  expect(screen.getAllByRole('listitem').map((one) => one.textContent.trim())).toContain('row 418');
});

test('a list that follows begins at its end, and draws nothing else first', async () => {
  const drew = new Set<string>();
  const noting = createRawSnippet((item: () => string) => ({
    render: () => `<p>${(drew.add(item()), item())}</p>`,
  }));
  render(VirtualList, { ...list(names(1000)), row: noting, estimate: 100, follow: true } as never);
  await drawn(4);
  expect(drew).toContain('row 999');
  expect(drew.size).toBeLessThan(12);
  expect(drew).not.toContain('row 0');
});

test('a list that follows goes on with it when it grows before it is heard that it was put to its end', async () => {
  render(VirtualList, { ...list(names(20)), estimate: 100, follow: true } as never);
  const frame = screen.getByTestId('list');
  const ends = vi.spyOn(Element.prototype, 'scrollHeight', 'get');
  const grow = async (height: number, end: number) => {
    ends.mockReturnValue(end);
    await fireEvent.scroll(frame);
    heights.set('row 19', height);
    await layOut();
  };
  await grow(100, 2_000);
  frame.scrollTop = 1_400;
  await fireEvent.scroll(frame);
  await grow(500, 2_400);
  expect(frame.scrollTop).toBe(2_400);
  // Who has left the end stays where they are.
  frame.scrollTop = 700;
  await grow(900, 2_800);
  expect(frame.scrollTop).toBe(700);
});

test('rows that come above keep what is looked at in its place, with the heights that were measured', async () => {
  const items = names(40);
  for (const item of items) heights.set(item, 50);
  heights.set('new', 70);
  const { rerender } = render(VirtualList, list(items) as never);
  const frame = screen.getByTestId('list');
  await drawn(9);
  await layOut();
  frame.scrollTop = 200;
  await fireEvent.scroll(frame);
  await layOut();

  await rerender(list(['new', ...items]) as never);
  await tick();
  // Row 4 is looked at: it begins where it began, and the new row counts with its estimate until it is seen.
  expect(frame.scrollTop).toBe(200 + 120);
  await layOut();
  expect(frame.scrollTop).toBe(200 + 70);

  await rerender(list(items) as never);
  await tick();
  expect(frame.scrollTop).toBe(200);
});

test('the row that has the focus stays while others come and go, in its place, and goes when the focus does', async () => {
  const items = names(1000);
  const field = createRawSnippet((item: () => string) => ({
    render: () => `<p>${item()}<input aria-label="${item()}" /></p>`,
  }));
  const { rerender } = render(VirtualList, { ...list(items), row: field, estimate: 100 } as never);
  const frame = screen.getByTestId('list');
  await drawn(10);
  const input = screen.getByLabelText<HTMLInputElement>('row 2');
  input.focus();
  input.value = 'half a sentence';
  for (const top of [2000, 50_000]) {
    frame.scrollTop = top;
    await fireEvent.scroll(frame);
    await tick();
    expect([document.activeElement, input.isConnected, input.value]).toEqual([
      input,
      true,
      'half a sentence',
    ]);
    const shown = screen.getAllByRole('listitem');
    expect(shown.length).toBeLessThan(20);
    // Before the rows that are seen stands as much as before: the row, and the room of those left out.
    const before = frame.querySelector<HTMLElement>('.gap')?.style.height;
    const room = Number.parseInt(shown[1]?.style.marginBlockStart ?? '');
    expect([before, Number(shown[1]?.dataset['row']) * 100]).toEqual(['200px', 300 + room]);
  }
  await rerender({ ...list(['new', ...items]), row: field, estimate: 100 } as never);
  await tick();
  expect([document.activeElement, screen.getAllByRole('listitem')[0]?.dataset['row']]).toEqual([input, '3']);
  frame.scrollTop = 0;
  await fireEvent.scroll(frame);
  await tick();
  expect([document.activeElement, input.value]).toEqual([input, 'half a sentence']);

  frame.scrollTop = 50_000;
  await fireEvent.scroll(frame);
  input.blur();
  await new Promise((done) => setTimeout(done));
  await tick();
  expect(input.isConnected).toBe(false);
});

test('a list out of sight forgets no height', async () => {
  const items = names(40);
  for (const item of items) heights.set(item, 50);
  render(VirtualList, list(items) as never);
  await layOut();
  const gap = () => (screen.getByTestId('list').querySelector('.gap:last-child') as HTMLElement).style.height;
  const before = gap();
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(0);
  for (const item of items) heights.set(item, 0);
  await layOut();
  expect(gap()).toBe(before);
});

test('a row is one of the list itself, and none of a list that stands in one of its rows', async () => {
  const nested = createRawSnippet((item: () => string) => ({
    render: () => `<div><p data-row="1">in ${item()}</p></div>`,
  }));
  const { component } = render(VirtualList, { ...list(names(3)), row: nested } as never);
  const { rowAt } = component as unknown as { rowAt: (at: number) => HTMLElement | null };
  expect([rowAt(1)?.textContent.trim(), rowAt(7)]).toEqual(['in row 1', null]);
});
