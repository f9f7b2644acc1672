import { render, screen } from '@testing-library/svelte';
import { afterEach, expect, test } from 'vitest';
import type { Event, EventKind, Executor, Expanded, Settled, Step } from '../../backend/bindings';
import { stepOf } from '../../backend/scripted/plans';
import { outlineWith } from '../../model/outline';
import { eventFacts } from './events';
import Way from './Way.svelte';

const choice = (parent: string, chosen: string, by: Settled) => ({ parent, chosen, by });
const expanded: Expanded = {
  from: 'office',
  root: 'office',
  leaf: 'workflow__part2',
  path: [
    choice('office', 'workflow', 'chooser'),
    choice('workflow', 'workflow__part2', { fallback: { reason: 'none was chosen' } }),
  ],
  calls: 2,
};
const specialist = (id: string): Executor => ({ kind: 'specialist', id });
const office = specialist('office');
const step = (id: string, executor: Executor, more: Partial<Step> = {}): Step =>
  stepOf({ do: id, id, executor, ...more }, 0);
const part = (id: string, parentId: string, executor: Executor, origin: Step['origin'] = 'delegate') =>
  step(id, executor, { parentId, origin });

/** What happened, each in a step. */
const happened = (...all: [step: string, kind: EventKind][]): Event[] =>
  all.map(([of, kind], at) => ({ seq: at + 1, session: 'c', run: 'r', step: of, at, ...kind }));
const expansion = (of: string, way: Expanded) => happened([of, { kind: 'step_expanded', expanded: way }]);
const began: EventKind = { kind: 'step_started', attempt: 1 };
const asked = (before = 0): EventKind => ({
  kind: 'model_replied',
  purpose: 'choose',
  model: 'm',
  before,
  usage: { input: 1, cached: 0, output: 1 },
  durationMs: 1,
});
const handed = (by: Settled, ...steps: Step[]): EventKind => ({
  kind: 'step_delegated',
  summary: '',
  steps,
  by,
});

function lines(): string[] {
  return screen.getAllByRole('listitem').map((item) => item.textContent.replace(/\s+/g, ' ').trim());
}
const says = () => screen.getByTestId('step-way').textContent;

/** What is said of a step of a plan, or of a part to which one was handed on. */
function shown(id: string, steps: Step[], parts: Step[], trace: Event[]) {
  document.body.replaceChildren();
  render(Way, { outline: outlineWith({ steps }, parts), step: id, trace });
}
afterEach(() => document.body.replaceChildren());

test('a step says who was named for it, who does it, how each was chosen, and what that has cost', () => {
  shown('s1', [step('s1', office)], [], expansion('s1', expanded));
  expect(lines()).toEqual([
    'office named by the plan',
    'workflow chosen by the model',
    'workflow__part2 the first, because none was chosen',
  ]);
  expect(says()).toContain('2 model calls');
});

test('what nobody had to choose says so, and so does a step of nobody in particular', () => {
  const path = [choice('office', 'improvement', 'required_tools')];
  shown('s1', [step('s1', office)], [], expansion('s1', { ...expanded, path, calls: 0 }));
  expect(lines()[1]).toBe('improvement has the tools that the step requires');
  expect(says()).toContain('no model was asked');
  shown('s1', [step('s1', specialist('general'))], [], []);
  expect(lines()).toEqual(['general named by the plan']);
  expect(says()).not.toContain('model');
  shown('s1', [step('s1', specialist('general'), { origin: 'user' })], [], []);
  expect(lines()).toEqual(['general named by you']);
  shown('s1', [step('s1', { kind: 'self', id: '' })], [], []);
  expect(says()).toContain('names no specialist');
  expect(screen.queryAllByRole('listitem')).toEqual([]);
});

test('a part that a model chose says who handed it on, and the step itself to whom, each with the calls', () => {
  const top = step('s1', office);
  const parts = [part('s1/1', 's1', specialist('files')), part('s1/2', 's1', specialist('web'))];
  const trace = happened(['s1', began], ['s1', asked(1)], ['s1', handed('chooser', ...parts)]);
  shown('s1/2', [top], parts, trace);
  expect(lines()).toEqual([
    'office named by the plan',
    'web handed on by office in step 1: chosen by the model',
  ]);
  expect(says()).toContain('2 model calls');
  shown('s1', [top], parts, trace);
  expect(lines()).toEqual(['office named by the plan', 'files, web handed on to: chosen by the model']);
  expect(says()).toContain('2 model calls');
  shown('s1', [top], [], trace.slice(0, 1));
  expect(lines()).toEqual(['office named by the plan']);
});

test('the only one below says so, through every step between, and nothing that was asked elsewhere counts for it', () => {
  const top = step('s1', office);
  const parts = [part('s1/1', 's1', specialist('archive')), part('s1/1/1', 's1/1', specialist('files'))];
  const [archive, files] = parts as [Step, Step];
  const trace = happened(
    ['s1', began],
    ['s1', asked()],
    ['s1', handed('chooser', archive)],
    ['s1/1', began],
    ['s2', asked()],
    ['s1/1', handed('only_option', files)],
  );
  shown('s1/1/1', [top], parts, trace);
  expect(lines()).toEqual([
    'office named by the plan',
    'archive handed on by office in step 1: chosen by the model',
    'files handed on by archive in step 1.1: the only one',
  ]);
  expect(says()).toContain('one model call');
  shown('s1/1', [top], parts, trace);
  expect(lines()).toEqual([
    'office named by the plan',
    'archive handed on by office in step 1: chosen by the model',
    'files handed on to: the only one',
  ]);
  shown('s1/1', [top], [archive], trace.slice(4));
  expect(lines()[1]).toBe('archive handed on by office in step 1');
});

test('where nobody was chosen it is the first below, with the reason; an attempt that was given up says nothing of it', () => {
  const top = step('s1', office);
  const [given, files] = [part('s1/1', 's1', specialist('web')), part('s1/2', 's1', specialist('files'))];
  const reason = 'the model could not be asked: it took longer than 60 s';
  const failed: EventKind = {
    kind: 'model_failed',
    purpose: 'choose',
    model: 'm',
    error: 'it took longer than 60 s',
    retrying: false,
  };
  const trace = happened(
    ['s1', began],
    ['s1', asked()],
    ['s1', handed('chooser', given)],
    ['s1', { kind: 'step_reset' }],
    ['s1', { kind: 'step_started', attempt: 2 }],
    ['s1', failed],
    ['s1', { kind: 'warned', message: `s1 was handed on to "files", the first below it: ${reason}` }],
    ['s1', handed({ fallback: { reason } }, files)],
  );
  shown('s1/2', [top], [files], trace);
  expect(lines()[1]).toBe(`files handed on by office in step 1: the first, because ${reason}`);
  expect(says()).toContain('one model call');
  shown('s1', [top], [files], trace);
  expect(lines()[1]).toBe(`files handed on to: the first, because ${reason}`);
  shown('s1', [top], [], trace.slice(0, 5));
  expect(lines()).toEqual(['office named by the plan']);
});

test('an agent says who called it and in which step, and is named by no plan', () => {
  const reader: Executor = { kind: 'agent', id: 'reader' };
  const own = part('s2/1', 's2', { kind: 'agent', id: 'checker' }, 'agent_call');
  const called = part('s1/1', 's1', reader, 'agent_call');
  const steps = [step('s1', { kind: 'self', id: '' }), step('s2', office)];
  const trace = happened(
    ['s1', began],
    ['s1', { kind: 'step_delegated', summary: '', steps: [called], call: 'c1' }],
    ['s2', began],
    ['s2', { kind: 'step_delegated', summary: '', steps: [own], call: 'c2' }],
  );
  shown('s1/1', steps, [called, own], trace);
  expect(says()).toContain('Why this agent');
  expect(lines()).toEqual(['reader called by Assent itself in step 1, as it calls a tool']);
  shown('s2/1', steps, [called, own], trace);
  expect(lines()).toEqual(['checker called by office in step 2, as it calls a tool']);
  // Whom it called is what it did, and none of who does it.
  shown('s2', steps, [called, own], trace);
  expect(lines()).toEqual(['office named by the plan']);
});

test('the trace tells the way in a line', () => {
  const event = { kind: 'step_expanded', step: 's1', expanded } as unknown as Event;
  expect(eventFacts(event)).toBe(
    'office › workflow (chosen by the model) › workflow__part2 (the first, because none was chosen) · 2 model calls',
  );
});
