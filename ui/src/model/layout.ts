/**
 * A layered drawing of a plan's dependencies: each step stands one layer below the lowest step it needs, and the order
 * within a layer keeps lines short and crossings few (barycentres, a few sweeps up and down). Lines over several layers
 * are led through places of their own. Where there would be too many of those, a line is left out that others say already:
 * what waits for a step waits for all that step waits for. Linear in steps and places but for the sorting, and for the
 * lines that are left out.
 */

/** What is drawn: ids, and for each the ids it needs. */
export interface LayoutNode {
  id: string;
  needs: readonly string[];
}

/** The size of a box and the room around it. */
export interface Measures {
  width: number;
  height: number;
  gapX: number;
  gapY: number;
}

export interface PlacedNode {
  id: string;
  /** The middle of the box. */
  x: number;
  y: number;
  layer: number;
}

export interface PlacedEdge {
  from: string;
  to: string;
  /** From the lower edge of one box to the upper edge of the other, by way of each layer between. */
  points: readonly { x: number; y: number }[];
}

export interface Layout {
  nodes: readonly PlacedNode[];
  edges: readonly PlacedEdge[];
  /** How many lines are left out, because others say the same. */
  leftOut: number;
  width: number;
  height: number;
}

const SWEEPS = 4;
/** The part of a box's width that a line passing through a layer takes. */
const LINE_ROOM = 0.14;
/** Through so many places lines are led; with more of them nobody could follow one. */
const MOST_PLACES = 2000;

interface Slot {
  /** The node, or null where a line passes. */
  node: LayoutNode | null;
  layer: number;
  above: Slot[];
  below: Slot[];
  order: number;
  x: number;
}

/** Places every node. A need that is not there or leads in a circle is left out. */
export function layout(nodes: readonly LayoutNode[], measures: Measures): Layout {
  const layers = layerOf(nodes);
  const slots = new Map<string, Slot>();
  const rows: Slot[][] = [];
  for (const node of nodes) {
    const slot = newSlot(node, layers.get(node.id) ?? 0);
    slots.set(node.id, slot);
    (rows[slot.layer] ??= []).push(slot);
  }
  const all = linesOf(nodes, layers);
  const lines = placesOf(all, layers) > MOST_PLACES ? needed(nodes, all, layers) : all;
  const chains = lines.map(({ from, to }) => {
    return { from, to, slots: chain(slots.get(from) as Slot, slots.get(to) as Slot, rows) };
  });
  for (const row of rows) renumber(row);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : rows.toReversed()) sort(row, down);
  }
  return { ...place(rows, chains, measures), leftOut: all.length - lines.length };
}

interface Line {
  from: string;
  to: string;
}

/** Every need that leads downwards. */
function linesOf(nodes: readonly LayoutNode[], layers: ReadonlyMap<string, number>): Line[] {
  const leads = (from: string, to: string) => (layers.get(from) ?? Infinity) < (layers.get(to) ?? 0);
  return nodes.flatMap(({ id, needs }) =>
    [...new Set(needs)].filter((need) => leads(need, id)).map((need) => ({ from: need, to: id })),
  );
}

/** Through how many places lines are led. */
function placesOf(lines: readonly Line[], layers: ReadonlyMap<string, number>): number {
  const span = ({ from, to }: Line) => (layers.get(to) ?? 0) - (layers.get(from) ?? 0) - 1;
  return lines.reduce((sum, line) => sum + span(line), 0);
}

/** The lines without those that lead from a step to one that others lead to as well. */
function needed(
  nodes: readonly LayoutNode[],
  lines: readonly Line[],
  layers: ReadonlyMap<string, number>,
): Line[] {
  const at = new Map(nodes.map(({ id }, index) => [id, index]));
  const layer = (id: string) => layers.get(id) ?? 0;
  const into = new Map<string, Line[]>(nodes.map(({ id }) => [id, []]));
  for (const line of lines) into.get(line.to)?.push(line);
  /** All from which a way leads to a node, a bit each. */
  const before = new Map<string, Uint32Array>();
  const kept = new Set<Line>();
  for (const { id } of nodes.toSorted((one, other) => layer(one.id) - layer(other.id))) {
    const ways = new Uint32Array(Math.ceil(nodes.length / 32));
    before.set(id, ways);
    // The lowest first: nothing leads to it from those above.
    for (const line of (into.get(id) ?? []).toSorted((one, other) => layer(other.from) - layer(one.from))) {
      const from = at.get(line.from) ?? 0;
      const [word, bit] = [from >> 5, 1 << (from & 31)];
      if ((ways[word] as number) & bit) continue;
      kept.add(line);
      before.get(line.from)?.forEach((bits, index) => (ways[index] = (ways[index] as number) | bits));
      ways[word] = (ways[word] as number) | bit;
    }
  }
  return lines.filter((line) => kept.has(line));
}

/** The layer of each node: the length of the longest way that leads to it. */
export function layerOf(nodes: readonly LayoutNode[]): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const layers = new Map<string, number>();
  const open = new Set<string>();
  for (const start of nodes) {
    const stack = [start.id];
    while (stack.length > 0) {
      const id = stack.at(-1) as string;
      const needs = (byId.get(id)?.needs ?? []).filter((need) => byId.has(need));
      const next = layers.has(id)
        ? undefined
        : needs.find((need) => !layers.has(need) && !open.has(need) && need !== id);
      open.add(id);
      if (next !== undefined) {
        stack.push(next);
        continue;
      }
      if (!layers.has(id)) layers.set(id, Math.max(-1, ...needs.map((need) => layers.get(need) ?? -1)) + 1);
      open.delete(id);
      stack.pop();
    }
  }
  return layers;
}

function newSlot(node: LayoutNode | null, layer: number): Slot {
  return { node, layer, above: [], below: [], order: 0, x: 0 };
}

function chain(from: Slot, to: Slot, rows: Slot[][]): Slot[] {
  const slots = [from];
  for (let layer = from.layer + 1; layer < to.layer; layer += 1) {
    const slot = newSlot(null, layer);
    rows[layer]?.push(slot);
    slots.push(slot);
  }
  slots.push(to);
  slots.slice(1).forEach((slot, at) => {
    slot.above.push(slots[at] as Slot);
    slots[at]?.below.push(slot);
  });
  return slots;
}

function renumber(row: Slot[]): void {
  row.forEach((slot, at) => (slot.order = at - (row.length - 1) / 2));
}

function sort(row: Slot[], down: boolean): void {
  const wish = new Map<Slot, number>();
  for (const slot of row) {
    const others = down ? slot.above : slot.below;
    const sum = others.reduce((total, other) => total + other.order, 0);
    wish.set(slot, others.length > 0 ? sum / others.length : slot.order);
  }
  row.sort((one, other) => (wish.get(one) ?? 0) - (wish.get(other) ?? 0) || one.order - other.order);
  renumber(row);
}

function place(
  rows: Slot[][],
  chains: { from: string; to: string; slots: Slot[] }[],
  measures: Measures,
): Omit<Layout, 'leftOut'> {
  const { width, height, gapX, gapY } = measures;
  const room = (slot: Slot) => (slot.node ? width : width * LINE_ROOM);
  for (const row of rows) spread(row, room, gapX);
  const all = rows.flat();
  let [left, right] = [0, 0];
  for (const slot of all) {
    left = Math.min(left, slot.x - room(slot) / 2);
    right = Math.max(right, slot.x + room(slot) / 2);
  }
  for (const slot of all) slot.x -= left;
  const y = (slot: Slot) => slot.layer * (height + gapY) + height / 2;
  return {
    nodes: all.flatMap((slot) =>
      slot.node ? [{ id: slot.node.id, x: slot.x, y: y(slot), layer: slot.layer }] : [],
    ),
    edges: chains.map(({ from, to, slots }) => ({
      from,
      to,
      points: slots.map((slot, at) => ({
        x: slot.x,
        y: y(slot) + (at === 0 ? height / 2 : at === slots.length - 1 ? -height / 2 : 0),
      })),
    })),
    width: right - left,
    height: Math.max(0, rows.length * (height + gapY) - gapY),
  };
}

/** Puts a row's slots side by side, each as near to the middle of what it hangs from as its neighbours allow. */
function spread(row: Slot[], room: (slot: Slot) => number, gap: number): void {
  let edge = -Infinity;
  for (const slot of row) {
    const sum = slot.above.reduce((total, other) => total + other.x, 0);
    const wish = slot.above.length > 0 ? sum / slot.above.length : 0;
    slot.x = Math.max(wish, edge + gap + room(slot) / 2);
    edge = slot.x + room(slot) / 2;
  }
  // Pushed to the right only, a row leans; half of what it leans is taken back.
  const first = row[0];
  if (!first) return;
  const wished = row.map((slot) =>
    slot.above.length > 0 ? slot.above.reduce((total, other) => total + other.x, 0) / slot.above.length : 0,
  );
  const lean = row.reduce((total, slot, at) => total + slot.x - (wished[at] ?? 0), 0) / row.length;
  for (const slot of row) slot.x -= lean;
}

/** The line of an edge as the path of an SVG. */
export function curve({ points: [first, ...rest] }: PlacedEdge): string {
  if (!first) return '';
  let path = `M${first.x} ${first.y}`;
  let before = first;
  for (const point of rest) {
    const middle = (before.y + point.y) / 2;
    path += `C${before.x} ${middle} ${point.x} ${middle} ${point.x} ${point.y}`;
    before = point;
  }
  return path;
}

/** The node to which an arrow key leads: the nearest one in the layer above or below, or beside. */
export function neighbour(
  nodes: readonly PlacedNode[],
  from: PlacedNode,
  key: string,
): PlacedNode | undefined {
  const across = key === 'ArrowLeft' || key === 'ArrowRight';
  const sign = key === 'ArrowDown' || key === 'ArrowRight' ? 1 : -1;
  const all = nodes.filter((node) =>
    across ? node.layer === from.layer && (node.x - from.x) * sign > 0 : node.layer === from.layer + sign,
  );
  return all.sort((one, other) => Math.abs(one.x - from.x) - Math.abs(other.x - from.x))[0];
}
