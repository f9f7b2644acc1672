import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sharing } from './sharing';

const json = fc.jsonValue({ maxDepth: 3 });
const steps = fc.uniqueArray(fc.record({ id: fc.string({ maxLength: 2 }), says: json }), {
  selector: (step) => step.id,
  maxLength: 6,
});

test('what is shared says what the later value says, and repeats the earlier one where they agree', () => {
  fc.assert(
    fc.property(fc.oneof(json, steps), fc.oneof(json, steps), (before, after) => {
      const copy = structuredClone(after);
      expect(sharing(before, after)).toEqual(copy);
      expect(sharing(after, copy)).toBe(after);
    }),
  );
});

test('a step that moved or whose neighbours changed is the same object', () => {
  const before = {
    title: 'a',
    steps: [
      { id: 's1', needs: [] },
      { id: 's2', needs: ['s1'] },
    ],
  };
  const after = sharing(before, {
    title: 'b',
    steps: [
      { id: 's0', needs: [] },
      { id: 's2', needs: ['s1'] },
      { id: 's1', needs: [] },
    ],
  });
  expect([after.steps[1] === before.steps[1], after.steps[2] === before.steps[0]]).toEqual([true, true]);
});
