import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import type { HeapTree, Step } from '../../backend/bindings';
import type { RunState } from '../../model/run';
import { atWork } from './atWork';
import Heap from './Heap.svelte';

const entry = (id: string, tools: string[], parent: string | null = null, from: string | null = null) => ({
  id,
  description: `Does ${id}.`,
  tools,
  parent,
  from,
  model: null,
  limits: { replies: null, tokens: null, seconds: null },
});
const heap: HeapTree = {
  specialists: [
    entry('general', ['ask_user']),
    entry('office', []),
    entry('workflow', [], 'office', 'mine'),
    entry('workflow__part1', ['run_it', 'stop_it'], 'workflow', 'mine'),
  ],
  mostTools: 8,
  mostOnTop: 7,
  mostBelow: 6,
  mostOptions: 5,
  mostLevels: 4,
  faults: ['specialists.office.children: there is no specialist "gone"; it was left out'],
};
const told = () =>
  screen.getAllByTestId('heap-entry').map((one) => one.textContent.replace(/\s+/g, ' ').trim());
const read = () => undefined;
const depths = () => screen.getAllByTestId('heap-entry').map((one) => one.style.getPropertyValue('--depth'));

test('specialists stand below each other, with their tools, who has added them, the caps, and what is wrong', () => {
  render(Heap, { heap, busy: new Set<string>(), read });
  expect(told()).toEqual([
    'general Does general. ask_user',
    'office Does office.',
    'workflow below office from your pack mine Does workflow.',
    'workflow__part1 below workflow from your pack mine Does workflow__part1. run_itstop_it',
  ]);
  expect(depths()).toEqual(['0', '0', '1', '2']);
  const all = screen.getByTestId('heap').textContent;
  expect(all).toContain(
    'At most 8 tools each beside those that ask you, 7 on top, 6 below one, 5 to choose from, 4',
  );
  expect(all).toContain('there is no specialist "gone"');
});

test('an agent is shown with the model that it asks and where it ends', () => {
  const reader = { ...entry('reader', ['read']), model: 'local/starter' };
  const limits = { replies: 12, tokens: 50000, seconds: 30 };
  render(Heap, {
    heap: { ...heap, specialists: [{ ...reader, limits }, entry('other', ['read'])] },
    busy: new Set<string>(),
    read,
  });
  expect(screen.getAllByTestId('heap-own').map((one) => one.textContent)).toEqual([
    'asks the model local/starter · at most 12 replies · at most 50,000 tokens · calls of at most 30 s',
  ]);
});

test('a tool that an agent names twice breaks nothing', () => {
  render(Heap, {
    heap: { ...heap, specialists: [entry('reader', ['read', 'read'])] },
    busy: new Set<string>(),
    read,
  });
  expect(told()).toEqual(['reader Does reader. readread']);
});

test('as a list, only those with tools stand there, side by side', async () => {
  render(Heap, { heap, busy: new Set<string>(), read });
  await fireEvent.click(screen.getByTestId('heap-form'));
  expect(told().map((one) => one.split(' ')[0])).toEqual(['general', 'workflow__part1']);
  expect(depths()).toEqual(['0', '0']);
  await fireEvent.click(screen.getByTestId('heap-form'));
  expect(told().length).toBe(4);
});

const step = (id: string, specialist: string): Step =>
  ({ id, executor: specialist ? { kind: 'specialist', id: specialist } : { kind: 'self', id: '' } }) as Step;

test('those above a specialist at work are marked with it, and a circle among them ends', () => {
  const run = { steps: new Map([['s1', { status: 'in_progress' }]]), trace: [] } as unknown as RunState;
  const busy = atWork(run, [step('s1', 'workflow__part1')], heap.specialists);
  expect([...busy].toSorted()).toEqual(['office', 'workflow', 'workflow__part1']);
  const circle = [entry('a', [], 'b'), entry('b', [], 'a')];
  expect([...atWork(run, [step('s1', 'a')], circle)].toSorted()).toEqual(['a', 'b']);
  expect([...atWork(run, [step('s1', 'gone')], heap.specialists)]).toEqual(['gone']);
});

test('through whom the steps go that are at work is marked, and nobody else', () => {
  const path = [
    { parent: 'office', chosen: 'workflow', by: 'chooser' },
    { parent: 'workflow', chosen: 'workflow__part1', by: 'only_option' },
  ];
  const run = {
    steps: new Map([
      ['s1', { status: 'completed' }],
      ['s2', { status: 'in_progress' }],
      ['s2/1', { status: 'waiting' }],
      ['s3', { status: 'in_progress' }],
    ]),
    trace: [
      { kind: 'step_expanded', step: 's2', expanded: { from: 'office', path } },
      { kind: 'step_expanded', step: 's1', expanded: { from: 'improvement', path: [] } },
      { kind: 'step_delegated', step: 's2', steps: [step('s2/1', 'reader')] },
    ],
  } as unknown as RunState;
  const planned = [step('s1', 'improvement'), step('s2', 'office'), step('s3', '')];
  const busy = atWork(run, planned, heap.specialists);
  expect([...busy]).toEqual(['office', 'workflow', 'workflow__part1', 'reader']);
  expect([...atWork(null, planned, heap.specialists)]).toEqual([]);
  render(Heap, { heap, busy, read });
  expect(screen.getAllByTestId('heap-busy').length).toBe(3);
});

test('what is wrong twice in the same words is told twice', () => {
  const faults = ['specialists.mail.id: the id is taken', 'specialists.mail.id: the id is taken'];
  render(Heap, { heap: { ...heap, faults }, busy: new Set<string>(), read });
  expect(screen.getAllByText(/the id is taken/)).toHaveLength(2);
});
