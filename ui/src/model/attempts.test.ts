import { expect, test } from 'vitest';
import type { Event, EventKind } from '../backend/bindings';
import { attemptsOf } from './attempts';

let seq = 0;
const event = (step: string, kind: EventKind): Event => {
  seq += 1;
  return { seq, session: 's', run: 'r', step, at: seq, ...kind };
};
const usage = { input: 1, cached: 0, output: 1 };
const replied = (step: string, text: string) =>
  event(step, {
    kind: 'model_replied',
    purpose: 'step',
    model: 'm',
    text: { inline: text },
    usage,
    durationMs: 1,
  });
const failed = (step: string, retrying: boolean) =>
  event(step, { kind: 'model_failed', purpose: 'step', model: 'm', error: 'too long', retrying });
const begun = (step: string, attempt: number) => event(step, { kind: 'step_started', attempt });

test('replies and failures belong to the attempt in which they came, also after a wait', () => {
  const [first, again, other, late, last] = [
    replied('s1', 'first'),
    failed('s1', true),
    replied('s2', 'of another step'),
    replied('s1', 'after a wait'),
    failed('s1', false),
  ];
  const trace = [
    ...[begun('s1', 1), first, begun('s2', 1), other, again],
    ...[begun('s1', 1), late, event('s1', { kind: 'step_reset' }), begun('s1', 2), last],
  ];
  expect(attemptsOf(trace, 's1')).toEqual([
    { number: 1, asked: [first, again, late] },
    { number: 2, asked: [last] },
  ]);
  expect(attemptsOf(trace, 's3')).toEqual([]);
});
