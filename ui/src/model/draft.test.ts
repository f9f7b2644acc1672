import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlanEdit } from '../backend/bindings';
import { backendError } from '../backend/errors';
import { applyEdit } from '../backend/scripted/edit';
import { checkOf, planOf } from '../backend/scripted/plans';
import { begin, changed, faultsByStep, isDirty, redo, refused, undo, type Draft } from './draft';
import { outlineWith } from './outline';
import { reasonWithNumbers, withNumbers } from './place';

const plan = planOf({
  id: 'p',
  title: 'Four steps',
  steps: [
    { do: 'one' },
    { do: 'two' },
    { do: 'three', requiredTools: ['grep'] },
    { do: 'four', dependencies: ['s1'] },
  ],
});

const step = fc.constantFrom('s1', 's2', 's3', 's4', 's5', 'nowhere');
const edits: fc.Arbitrary<PlanEdit> = fc.oneof(
  fc.record({ op: fc.constant('move_step' as const), step, to: fc.nat({ max: 5 }) }),
  fc.record({ op: fc.constant('remove_step' as const), step }),
  fc.record({ op: fc.constant('set_description' as const), step, description: fc.string({ maxLength: 4 }) }),
  fc.record({
    op: fc.constant('set_dependencies' as const),
    step,
    dependencies: fc.array(step, { maxLength: 3 }),
  }),
  fc.record({ op: fc.constant('set_title' as const), title: fc.string({ maxLength: 5 }) }),
);

function edit(draft: Draft, change: PlanEdit): Draft {
  try {
    return changed(draft, applyEdit(draft.document, change));
  } catch (thrown) {
    const error = backendError(thrown);
    expect(error.code).toBe('edit_refused');
    return refused(draft, error.message);
  }
}

test('undoing everything leads back to the version, redoing everything to the document', () => {
  fc.assert(
    fc.property(fc.array(edits, { maxLength: 12 }), (changes) => {
      const draft = changes.reduce(edit, begin(plan));
      let back = draft;
      for (let times = 0; times < changes.length; times += 1) back = undo(back);
      expect(back.document).toBe(plan);
      expect(isDirty(back)).toBe(false);
      let forth = back;
      for (let times = 0; times < changes.length; times += 1) forth = redo(forth);
      expect(forth.document).toBe(draft.document);
    }),
  );
});

test('whatever is changed, the list stays an order of work without circles or steps that are not there', () => {
  fc.assert(
    fc.property(fc.array(edits, { maxLength: 20 }), (changes) => {
      const { document } = changes.reduce(edit, begin(plan));
      expect(document.steps.length).toBeGreaterThan(0);
      expect(checkOf(document).faults).toEqual([]);
    }),
  );
});

test('a refused change says why in the numbers that people see, and changes nothing', () => {
  const draft = edit(begin(plan), { op: 'move_step', step: 's2', to: 0 });
  expect(draft.document).toBe(plan);
  expect(withNumbers(plan, draft.refused?.reason ?? '')).toBe(
    'Step 2 needs step 1, which would come after it; remove that dependency first',
  );
});

test('why a run failed is told in the numbers that people see, those of parts too', () => {
  const others = { ...plan, steps: plan.steps.map((one) => ({ ...one, id: one.id.replace('s', 'x') })) };
  const said = (sentence: string) => reasonWithNumbers(others, sentence);
  expect(said('x2: Step x2 did not invoke required tools: grep')).toBe(
    'Step 2: Step 2 did not invoke required tools: grep',
  );
  expect(said('step x3 failed.')).toBe('Step 3 failed.');
  for (const other of ['the step x9 and x1.txt are something else', 'see ./x2 and /x3', 'aws x3 cp x1://a'])
    expect(said(other)).toBe(other);
  const [first, ...rest] = plan.steps;
  if (!first) throw new Error('the plan has no steps');
  const part = { ...first, id: 's1/2', parentId: 's1' };
  const outline = outlineWith({ steps: [first, ...rest] }, [part]);
  expect(reasonWithNumbers(outline, 'after step s1/2 failed')).toBe('after step 1.1 failed');
});

test('faults stand at their steps', () => {
  const broken = {
    ...plan,
    steps: plan.steps.map((one) => (one.id === 's2' ? { ...one, requiredTools: ['wc'] } : one)),
  };
  const found = faultsByStep(broken, checkOf(broken).faults);
  expect([...found].map(([id, faults]) => [id, faults.map((fault) => fault.message)])).toEqual([
    ['s2', ['there is no tool wc']],
  ]);
});
