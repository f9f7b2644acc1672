import { expect, test } from 'vitest';
import type { RequestRow } from '../backend/bindings';
import { asking, shown } from './asking';

const row = (id: string, kind: string) => ({ request: { id, kind } }) as RequestRow;
const [permit, first, second] = [row('p', 'permit'), row('q1', 'question'), row('q2', 'question')];

test('the card that was chosen is shown, else the oldest; what is written answers the question of that card, else the oldest', () => {
  const of = (requests: RequestRow[], chosen: string | null) =>
    [shown({ requests, chosen }), asking({ requests, chosen })].map((one) => one?.request.id);
  expect(of([first, second], null)).toEqual(['q1', 'q1']);
  expect(of([first, second], 'q2')).toEqual(['q2', 'q2']);
  expect(of([permit, first, second], null)).toEqual(['p', 'q1']);
  expect(of([permit, first, second], 'q2')).toEqual(['q2', 'q2']);
  // It was answered meanwhile.
  expect(of([permit, first], 'q2')).toEqual(['p', 'q1']);
  expect(of([permit], null)).toEqual(['p', undefined]);
  expect(of([], 'q1')).toEqual([undefined, undefined]);
});
