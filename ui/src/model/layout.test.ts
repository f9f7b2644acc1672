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
