import { expect, test } from 'vitest';
import { shownOf, type RunState } from './run';

const run = (id: string, ended: RunState['ended']) =>
  ({ id, ended, started: ended !== null, open: [], steps: new Map() }) as unknown as RunState;

test('the run that goes on is shown before one that began later and is over; of several the latest', () => {
  const shown = (...runs: RunState[]) => shownOf(runs)?.id ?? null;
  expect(shown()).toBeNull();
  expect(shown(run('a', 'completed'), run('b', 'failed'))).toBe('b');
  expect(shown(run('a', null), run('b', 'completed'))).toBe('a');
  expect(shown(run('a', null), run('b', null), run('c', 'cancelled'))).toBe('b');
});
