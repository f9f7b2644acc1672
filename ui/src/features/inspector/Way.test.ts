import { render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import type { Event, Expanded, Settled } from '../../backend/bindings';
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
const office = { kind: 'specialist', id: 'office' } as const;

function lines(): string[] {
  return screen.getAllByRole('listitem').map((item) => item.textContent.replace(/\s+/g, ' ').trim());
}

test('a step says who was named for it, who does it, how each was chosen, and what that has cost', () => {
  render(Way, { executor: office, expanded });
  expect(lines()).toEqual([
    'office named by the plan',
    'workflow chosen by the model',
    'workflow__part2 the first, because none was chosen',
  ]);
  expect(screen.getByTestId('step-way').textContent).toContain('2 model calls');
});

test('what nobody had to choose says so, and so does a step of nobody in particular', () => {
  const path = [choice('office', 'improvement', 'required_tools')];
  const { unmount } = render(Way, { executor: office, expanded: { ...expanded, path, calls: 0 } });
  expect(lines()[1]).toBe('improvement has the tools that the step requires');
  expect(screen.getByTestId('step-way').textContent).toContain('no model was asked');
  unmount();
  const one = render(Way, { executor: { kind: 'specialist', id: 'general' }, expanded: null });
  expect(lines()).toEqual(['general named by the plan']);
  one.unmount();
  render(Way, { executor: { kind: 'self', id: '' }, expanded: null });
  expect(screen.getByTestId('step-way').textContent).toContain('names no specialist');
  expect(screen.queryAllByRole('listitem')).toEqual([]);
});

test('the trace tells the way in a line', () => {
  const event = { kind: 'step_expanded', step: 's1', expanded } as unknown as Event;
  expect(eventFacts(event)).toBe(
    'office › workflow (chosen by the model) › workflow__part2 (the first, because none was chosen) · 2 model calls',
  );
});
