import { expect, test } from 'vitest';
import { eventsOf } from './samples.test-data';
import { runAfterAll, runAt } from './fold';
import { isUnknown, type RunState } from './run';
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

test('of a call that began and has no end it is known that a person is asked, and that they went on without it', () => {
  const [run] = runsOf('unknown');
  const call = run?.whole.calls.at(-1)?.call ?? '';
  const asked = run?.whole.trace.findIndex((event) => event.kind === 'request_opened') ?? -1;
  expect(run && [runAt(run.whole, asked), run.whole].map((at) => isUnknown(at, call))).toEqual([
    null,
    'asked',
  ]);
  const request = run?.whole.open[0]?.id ?? '';
  const at = { seq: 1000, session: 's', at: 1 };
  const left = runAfterAll(run?.whole as RunState, [
    { ...at, kind: 'request_answered', request, answer: { type: 'value', value: 'skip' } },
  ]);
  expect(isUnknown(left, call)).toBe('left');
  const known = runAfterAll(left, [
    {
      ...at,
      kind: 'call_ended',
      call,
      status: 'success',
      output: { inline: 'done' },
      satisfied: true,
      by: 'user',
      durationMs: 0,
    },
  ]);
  expect([isUnknown(known, call), isUnknown(run?.whole as RunState, call)]).toEqual([null, 'asked']);
});
