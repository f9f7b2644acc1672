import { expect, test } from 'vitest';
import { eventsOf } from './samples.test-data';
import { runAt, type RunState } from './run';
import { emptySession, sessionAfter } from './session';

/** A run of a scene, as the first so many of its events fold. */
function runsOf(scene: string): { whole: RunState; after: (count: number) => RunState | undefined }[] {
  const events = eventsOf(scene);
  const whole = sessionAfter(emptySession, events);
  return [...whole.runs.values()].map((run) => ({
    whole: run,
    after: (count) => {
      const seq = run.trace[count - 1]?.seq ?? 0;
      return sessionAfter(
        emptySession,
        events.filter((event) => event.seq <= seq),
      ).runs.get(run.id);
    },
  }));
}

test('a run is replayed as it stood at each moment, and at its end it is itself', () => {
  for (const { whole, after } of [...runsOf('running'), ...runsOf('confirm')]) {
    expect(whole.trace.length).toBeGreaterThan(10);
    for (let count = 1; count < whole.trace.length; count += 1)
      expect(runAt(whole, count)).toEqual(after(count));
    expect(runAt(whole, whole.trace.length)).toBe(whole);
  }
});
