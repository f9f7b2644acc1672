import { expect, test } from 'vitest';
import type { Event } from '../backend/bindings';
import { queued, runAfterAll } from './fold';
import histories from './histories.test-data.jsonl?raw';
import type { RunState } from './run';

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
  const status = (at: number) => LETTERS[run.steps.get(`s${at}`)?.status ?? 'pending'];
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
