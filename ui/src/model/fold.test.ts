import { expect, test } from 'vitest';
import type { Event } from '../backend/bindings';
import { queued, runAfterAll } from './fold';
import histories from './histories.test-data.jsonl?raw';
import { isSettled, ownSteps, stepIn, type RunState } from './run';

/** How the engine tells a run after an event: of each step a letter, then the open requests. */
const LETTERS = {
  pending: 'p',
  in_progress: 'i',
  waiting: 'w',
  completed: 'c',
  failed: 'f',
  skipped: 's',
  cancelled: 'x',
} as const;

function told(run: RunState, engine: string): string {
  const letters = engine.split(' ', 1)[0] ?? '';
  const status = (at: number) => LETTERS[stepIn(run, `s${at}`).status];
  // A step of an attempt that was given up counts no more, whatever it came to.
  const own = [...letters].map((letter, at) => (letter === '-' ? '-' : status(at))).join('');
  return [own, ...run.open.map((request) => ` ${request.id}`)].join('');
}

test('the page folds random histories to what the engine does, after each event', () => {
  const lines = histories.trim().split('\n');
  const begins = {
    seq: 0,
    session: 'c',
    run: 'r',
    at: 0,
    kind: 'run_queued',
    plan: { id: 'p', version: 1, digest: '' },
  } as const;
  let seen = 0;
  for (const [number, line] of lines.entries()) {
    const { events, stands } = JSON.parse(line) as { events: Event[]; stands: string[] };
    let run = queued(begins);
    for (const [at, event] of events.entries()) {
      run = runAfterAll(run, [event]);
      const expected = stands[at] ?? '';
      expect(told(run, expected), `history ${number + 1}, event ${at}: ${JSON.stringify(event)}`).toBe(
        expected,
      );
      seen += 1;
    }
  }
  expect(seen).toBeGreaterThan(500);
});

test('a stop cancels the steps that were never begun as well, and of those only where the run has ended so', () => {
  const place = { session: 'c', run: 'r', at: 0 };
  const plan = { id: 'p', version: 1, digest: '' };
  const begin = { ...place, seq: 0, kind: 'run_queued', plan } as const;
  const events = [
    { ...place, seq: 1, kind: 'run_started' },
    { ...place, seq: 2, step: 's1', kind: 'step_started', attempt: 1 },
    { ...place, seq: 3, step: 's1', at: 4, kind: 'step_ended', status: 'cancelled', validation: 'skipped' },
  ] as Event[];
  const steps = { steps: ['s1', 's2', 's3'].map((id) => ({ id })) };
  const stand = (run: RunState) => ownSteps(run, steps).map(({ status, endedAt }) => [status, endedAt]);
  const going = runAfterAll(queued(begin), events);
  expect(stand(going)).toEqual([
    ['cancelled', 4],
    ['pending', null],
    ['pending', null],
  ]);
  for (const [status, last] of [
    ['cancelled', 'cancelled'],
    ['failed', 'pending'],
  ] as const) {
    const run = runAfterAll(going, [{ ...place, seq: 4, at: 5, kind: 'run_ended', status } as Event]);
    expect([stepIn(run, 's3').status, ownSteps(run, steps).every(isSettled)]).toEqual([
      last,
      status === 'cancelled',
    ]);
    expect(stepIn(run, 's2').endedAt).toBe(status === 'cancelled' ? 5 : null);
  }
});

test('what it took to find who does a step counts as the step’s, and what the answer took counts as nobody’s', () => {
  const place = { session: 'c', run: 'r', at: 0 };
  const plan = { id: 'p', version: 1, digest: '' };
  const usage = (input: number) => ({ input, cached: 0, output: 1 });
  const replied = (seq: number, purpose: string, input: number) =>
    ({ ...place, seq, step: 's1', kind: 'model_replied', purpose, usage: usage(input) }) as Event;
  const run = runAfterAll(queued({ ...place, seq: 0, kind: 'run_queued', plan }), [
    { ...place, seq: 1, kind: 'run_started' } as Event,
    replied(2, 'choose', 300),
    { ...place, seq: 3, step: 's1', kind: 'step_started', attempt: 1 } as Event,
    replied(4, 'step', 50),
    replied(5, 'synthesis', 7),
  ]);
  const { usage: spent, replies } = stepIn(run, 's1');
  expect([spent, replies, run.usage]).toEqual([
    { input: 350, cached: 0, output: 2 },
    [4],
    { input: 357, cached: 0, output: 3 },
  ]);
});
