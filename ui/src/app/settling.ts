import type { Answer, Digest, RequestRow, RunId } from '../backend/bindings';
import type { BackendError } from '../backend/errors';
import type { App } from './app.svelte';
import { attempt } from './attempt';

/** What the engine offers at a limit that leads to the plan's card: the one answer which the window has a part in. */
const CHANGE_PLAN = 'change the plan';

/**
 * Settles a request, wherever it is shown; whether it did. What goes wrong is shown there, but for a file that is no more as
 * it was seen: that is for the card to say.
 */
export async function settle(
  app: App,
  shown: { error: BackendError | null },
  row: RequestRow,
  answer: Answer,
  seen?: Digest,
): Promise<boolean> {
  const done = await attempt(shown, () => app.backend.requests.answer(row.request.id, answer, seen));
  if (shown.error?.code === 'file_changed') shown.error = null;
  const changes = row.request.kind === 'cap' && answer.type === 'value' && answer.value === CHANGE_PLAN;
  if (done && changes && row.run) await changePlan(app, row, row.run);
  return done;
}

/** Leads to the card of the plan that a run carries out, to be changed there. */
async function changePlan(app: App, { session: id }: RequestRow, run: RunId): Promise<void> {
  if (!app.isInSight(id)) await app.open(id);
  const { session } = app;
  const plan = session?.state.runs.get(run)?.plan.id;
  if (session?.id !== id || !plan) return;
  const card = session.card(plan);
  if (!card.view) await card.load();
  card.reopen();
  session.revealPlan(plan);
}
