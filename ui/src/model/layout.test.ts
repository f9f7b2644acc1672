import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layerOf, layout, type LayoutNode } from './layout';

const measures = { width: 200, height: 60, gapX: 20, gapY: 40 };

/** Graphs without circles: each node needs some of those before it. */
const graphs: fc.Arbitrary<LayoutNode[]> = fc
  .array(fc.array(fc.nat({ max: 40 }), { maxLength: 4 }), { minLength: 1, maxLength: 40 })
  .map((needs) =>
    needs.map((own, at) => ({
      id: `s${at}`,
      needs: at === 0 ? [] : [...new Set(own.map((one) => `s${one % at}`))],
    })),
  );

test('each step stands one layer below the lowest it needs, no two boxes touch, every line arrives', () => {
  fc.assert(
    fc.property(graphs, (nodes) => {
      const drawn = layout(nodes, measures);
      const placed = new Map(drawn.nodes.map((node) => [node.id, node]));
      for (const { id, needs } of nodes) {
        const lowest = Math.max(-1, ...needs.map((need) => placed.get(need)?.layer ?? -1));
        expect(placed.get(id)?.layer).toBe(lowest + 1);
      }
      for (const one of drawn.nodes) {
        for (const other of drawn.nodes) {
          if (one === other || one.layer !== other.layer) continue;
          expect(Math.abs(one.x - other.x)).toBeGreaterThanOrEqual(measures.width);
        }
        expect(one.x - measures.width / 2).toBeGreaterThanOrEqual(-0.001);
        expect(one.x + measures.width / 2).toBeLessThanOrEqual(drawn.width + 0.001);
      }
      expect(drawn.edges.length).toBe(nodes.reduce((sum, node) => sum + node.needs.length, 0));
    }),
  );
});

test('steps that need each other or something that is not there are placed all the same', () => {
  const layers = layerOf([
    { id: 'a', needs: ['b', 'gone'] },
    { id: 'b', needs: ['a'] },
    { id: 'c', needs: ['c'] },
  ]);
  expect([...layers.keys()].sort()).toEqual(['a', 'b', 'c']);
});

/** Steps one after the other, and a last one that needs all of them. */
const gathering = (count: number): LayoutNode[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `s${at}`,
    needs:
      at === count - 1 ? Array.from({ length: at }, (_, from) => `s${from}`) : at > 0 ? [`s${at - 1}`] : [],
  }));

test('lines that others say already are left out where there are too many of them, and only there', () => {
  const few = layout(gathering(20), measures);
  expect([few.edges.length, few.leftOut]).toEqual([37, 0]);
  const drawn = layout(gathering(500), measures);
  expect([drawn.nodes.length, drawn.edges.length, drawn.leftOut]).toEqual([500, 499, 498]);
  expect(drawn.edges.map(({ from, to }) => [from, to])).toContainEqual(['s498', 's499']);
});

test('where every step needs all before it, what is drawn says the same', () => {
  const nodes = Array.from({ length: 500 }, (_, at) => ({
    id: `s${at}`,
    needs: Array.from({ length: at }, (_, from) => `s${from}`),
  }));
  expect(layout(nodes, measures).edges).toHaveLength(499);
});

test('500 steps of which the last needs all others are laid out within 150 milliseconds', () => {
  const nodes = gathering(500);
  const times = Array.from({ length: 3 }, () => {
    const begun = performance.now();
    layout(nodes, measures);
    return performance.now() - begun;
  });
  expect(Math.min(...times)).toBeLessThan(150);
});

test('as many places as lines need are drawn, also where none can be left out', () => {
  // A chain, and beside it steps that each are needed by the last one only.
  const chain = gathering(600).map((node, at, all) =>
    at < all.length - 1 ? node : { ...node, needs: ['s598'] },
  );
  const beside = Array.from({ length: 120 }, (_, at) => ({ id: `b${at}`, needs: [] }));
  const last = { id: 'last', needs: ['s599', ...beside.map(({ id }) => id)] };
  const drawn = layout([...chain, ...beside, last], measures);
  expect([drawn.edges.length, drawn.leftOut]).toEqual([599 + 121, 0]);
  expect(drawn.width).toBeGreaterThan(measures.width);
});
