import { expect, test } from 'vitest';
import { openScene } from '../backend/scripted/scenes';
import { stepOf } from '../backend/scripted/plans';
import type { Step } from '../backend/bindings';
import { drawnNeeds, numbersOf, outlineOf, outlineWith } from './outline';
import { runAt } from './fold';
import { emptySession, sessionAfter } from './session';

/** The plan and the run of a scene in which steps are handed on, as far as it goes without a person. */
function handed() {
  const { world } = openScene('handed', 1_700_000_000_000);
  const row = [...world.runs.values()].at(-1);
  if (!row) throw new Error('the scene has no run');
  const state = sessionAfter(emptySession, world.events.get(row.session) ?? []);
  const run = state.runs.get(row.id);
  if (!run) throw new Error('the run is not told');
  return { plan: world.version(row.plan).plan, run };
}

test('the parts of a step stand below it with numbers of their own, as soon as it is handed on', () => {
  const { plan, run } = handed();
  const whole = outlineOf(plan, run);
  expect(whole.steps.map(({ step, number, depth }) => [step.id, number, depth])).toEqual([
    ['s1', '1', 0],
    ['s1/1', '1.1', 1],
    ['s1/2', '1.2', 1],
    ['s1/2/1', '1.2.1', 2],
    ['s2', '2', 0],
  ]);
  expect(numbersOf(whole, ['s1/2', 's2', 'gone'])).toBe('1.2, 2, gone');
  const before = run.trace.findIndex((event) => event.kind === 'step_delegated');
  expect(outlineOf(plan, runAt(run, before)).steps.map(({ number }) => number)).toEqual(['1', '2']);
  expect(outlineOf(plan, null).steps.map(({ number }) => number)).toEqual(['1', '2']);
});

test('an outline stays the same one while nothing is handed on, and is another when something is', () => {
  const { plan, run } = handed();
  const early = outlineOf(plan, runAt(run, 2));
  expect(outlineOf(plan, runAt(run, 3), early)).toBe(early);
  const whole = outlineOf(plan, run, early);
  expect(whole).not.toBe(early);
  expect(outlineOf({ steps: [...plan.steps] }, run, whole)).toBe(whole);
});

test('an attempt that begins anew has no parts until it is handed on again', () => {
  const { plan, run } = handed();
  const steps = new Map(run.steps);
  const first = steps.get('s1');
  if (!first) throw new Error('the step is not told');
  steps.set('s1', { ...first, parts: [] });
  expect(outlineOf(plan, { steps }).steps.map(({ step }) => step.id)).toEqual(['s1', 's2']);
});

test('parts that are told as a list stand below those they are parts of; one that is its own part is left out', () => {
  const step = (id: string, parentId: string | null) => ({ ...stepOf({ do: id }, 0), id, parentId }) as Step;
  const parts = [step('a/1', 'a'), step('a/1/1', 'a/1'), step('a', 'a/1'), step('lost', 'gone')];
  const found = outlineWith({ steps: [step('a', null)] }, parts);
  expect(found.steps.map(({ step: { id }, number }) => [id, number])).toEqual([
    ['a', '1'],
    ['a/1', '1.1'],
    ['a/1/1', '1.1.1'],
  ]);
});

test('who waits for a whole and for its last part is drawn behind that part once', () => {
  const step = (id: string, dependencies: string[], parentId: string | null = null) =>
    ({ ...stepOf({ do: id }, 0), id, dependencies, parentId }) as Step;
  const outline = outlineWith({ steps: [step('a', []), step('b', ['a', 'a/1'])] }, [step('a/1', [], 'a')]);
  expect(drawnNeeds(outline).find(({ id }) => id === 'b')?.needs).toEqual(['a/1']);
});

test('parts are drawn after the step that was handed on, and what builds on it after the last of them', () => {
  const { plan, run } = handed();
  const needs = drawnNeeds(outlineOf(plan, run));
  expect(Object.fromEntries(needs.map(({ id, needs: those }) => [id, those]))).toEqual({
    s1: [],
    's1/1': ['s1'],
    's1/2': ['s1/1'],
    's1/2/1': ['s1/2'],
    s2: ['s1/2/1'],
  });
});
