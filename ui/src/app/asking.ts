import type { RequestRow } from '../backend/bindings';

interface Asks {
  readonly requests: readonly RequestRow[];
  readonly chosen: string | null;
}

/** The request whose card is shown: the one that was chosen, else the oldest. */
export function shown({ requests, chosen }: Asks): RequestRow | undefined {
  return requests.find((row) => row.request.id === chosen) ?? requests[0];
}

/** The question that what is written answers: the one whose card is shown, else the oldest. */
export function asking(asks: Asks): RequestRow | undefined {
  const isQuestion = (row: RequestRow | undefined) => row?.request.kind === 'question';
  const row = shown(asks);
  return isQuestion(row) ? row : asks.requests.find(isQuestion);
}
