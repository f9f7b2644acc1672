import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { createRawSnippet, tick } from 'svelte';
import { expect, test, vi } from 'vitest';
import type { EventKind, PlanningSign } from '../../backend/bindings';
import { backendError } from '../../backend/errors';
import { appOn, mounted } from '../../app/mounted.test-data';
import { copyBy } from '../../shared/clipboard';
import { goneOnFrom } from '../../model/session';
import TurnView from './TurnView.svelte';

test('a warning that a step says of itself is not told once more by its turn, however they came; another one is', async () => {
  const { app, backend } = await appOn('done');
  const [run] = [...backend.world.runs.values()];
  if (!run) throw new Error('the scene has a run');
  const place = { session: run.session, turn: run.turn ?? '', run: run.id };
  const reason = 'nothing was called: grep was to be; the step counts all the same';
  backend.world.commit(
    { ...place, step: 's2' },
    { kind: 'step_ended', status: 'completed', validation: 'failed', reason },
    { kind: 'warned', message: 'nothing was called: grep was to be' },
  );
  backend.world.commit(place, { kind: 'warned', message: 'the rest is lost' });
  const session = await app.attend(run.session);
  const turn = session.state.turns.find((one) => one.id === run.turn);
  expect(turn?.warnings).toHaveLength(2);
  const plan = createRawSnippet(() => ({ render: () => '<div></div>' }));
  mounted(TurnView as never, { turn, session, plan, isLast: true }, app);
  const told = screen.getByTestId('turn').textContent;
  expect(told).toContain('the rest is lost');
  expect(told).not.toContain('nothing was called');
});

test('of a message of a megabyte a page more is shown at each press, and no half of a sign', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const session = await app.attend(plan?.sessionId ?? '');
  const [first] = session.state.turns;
  const message = `${'a'.repeat(5999)}\u{1F600}${'b'.repeat(1_000_000)}`;
  const nothing = createRawSnippet(() => ({ render: () => '<div></div>' }));
  mounted(TurnView as never, { turn: { ...first, message }, session, plan: nothing, isLast: false }, app);
  const shown = () => screen.getByTestId('message').textContent;
  expect(shown()).toContain('aaa…');
  expect(shown()).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  await fireEvent.click(screen.getByTestId('show-more'));
  expect(shown().length).toBeGreaterThan(26_000);
  expect(shown().length).toBeLessThan(27_000);
});

const nothing = createRawSnippet(() => ({ render: () => '<div></div>' }));
const replied = (purpose: 'plan' | 'step'): EventKind => ({
  kind: 'model_replied',
  purpose,
  model: 'm',
  usage: { input: 900, cached: 0, output: 100 },
  durationMs: 1,
});

/** The newest turn of a session in which a message was sent and this has happened. */
async function turnAfter(...kinds: EventKind[]) {
  const { app, backend } = await appOn('sample');
  const { id } = await backend.sessions.create('/home/me/work');
  const place = { session: id, turn: 't' };
  backend.world.write(place, { kind: 'message_received', text: 'Count the files' }, ...kinds);
  const session = await app.attend(id);
  const trace = vi.fn<(turn: string) => void>();
  mounted(
    TurnView as never,
    { turn: session.state.turns.at(-1), session, plan: nothing, isLast: true, trace },
    app,
  );
  return { trace, backend, session };
}
const costs = () => screen.queryByTestId('turn-costs')?.textContent ?? null;

test.each<[string, EventKind]>([
  ['failed', { kind: 'turn_ended', status: 'failed', error: 'it holds no JSON object' }],
  ['cancelled', { kind: 'turn_ended', status: 'cancelled' }],
  ['asked', { kind: 'turn_ended', status: 'asked' }],
  ['answered', { kind: 'turn_ended', status: 'answered' }],
])('a turn that has %s says what it has cost, and leads to how it was planned', async (status, end) => {
  const answer: EventKind[] = status === 'answered' ? [{ kind: 'answered', text: { inline: 'Seven.' } }] : [];
  const { trace } = await turnAfter(replied('plan'), ...answer, end);
  expect(costs()).toMatch(/^1 model call · 1\.0k tokens/);
  const way = screen.getByTestId('turn-trace');
  expect(screen.queryByTestId('turn-failed')?.contains(way) ?? false).toBe(status === 'failed');
  await fireEvent.click(way);
  expect(trace).toHaveBeenCalledExactlyOnceWith('t');
});

test('a plan that waits for approval has told what it has cost; how long it takes is not known yet', async () => {
  const plan = { id: 'p', version: 1, digest: '' };
  await turnAfter(replied('plan'), { kind: 'plan_proposed', plan });
  expect(costs()).toBe('1 model call · 1.0k tokens');
});

test('a model that could not be asked is on record, and costs nothing; what nobody asked for has neither', async () => {
  const error = 'no model can be reached';
  const failed: EventKind[] = [
    { kind: 'model_failed', purpose: 'plan', model: 'm', error, retrying: false },
    { kind: 'turn_ended', status: 'failed', error },
  ];
  await turnAfter(...failed);
  expect([costs(), screen.queryByTestId('turn-foot')]).toEqual([null, null]);
  expect(screen.getByTestId('turn-failed').contains(screen.getByTestId('turn-trace'))).toBe(true);
  document.body.replaceChildren();
  await turnAfter(...failed.slice(1));
  expect(screen.queryByTestId('turn-trace')).toBe(null);
});

test('a plan that a later message goes on from stands there, and is one press away from where it stood', async () => {
  const { app, backend } = await appOn('done');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has a plan');
  const session = await app.attend(plan.sessionId);
  const before = session.state.turns.find((turn) => turn.plans.includes(plan.id));
  const place = { session: plan.sessionId, turn: 'later' };
  const next = { id: plan.id, version: plan.version + 1, digest: 'd' };
  backend.world.commit(place, { kind: 'message_received', text: 'Sort it too' });
  expect(session.state.turns.at(-1)?.plans).toEqual([]);
  const { plans } = backend.world;
  const document = { ...plan, version: next.version };
  plans.set(plan.id, [
    ...(plans.get(plan.id) ?? []),
    { plan: document, reference: next, status: 'proposed' },
  ]);
  backend.world.commit(place, { kind: 'plan_proposed', plan: next });
  const [old, later] = [before?.id, 'later'].map((id) => session.state.turns.find((turn) => turn.id === id));
  expect([old?.plans, later?.plans]).toEqual([[], [plan.id]]);
  const gone = goneOnFrom(session.state).get(old?.id ?? '');
  mounted(TurnView as never, { turn: old, session, plan: nothing, isLast: false, gone }, app);
  await fireEvent.click(screen.getByText('Show it'));
  expect(session.revealed?.turn).toBe(session.state.turns.findIndex((turn) => turn.id === 'later'));
});

test('what went wrong before stays in sight while the whole of a long answer is read', async () => {
  const { app, backend } = await appOn('sample');
  const { id } = await backend.sessions.create('/home/ada');
  const place = { session: id, turn: 't' };
  backend.world.blobs.set('sha', 'From its beginning to its end.');
  backend.world.write(
    place,
    { kind: 'message_received', text: 'Tell' },
    { kind: 'answered', text: { blob: 'sha', bytes: 30, preview: 'From its' } },
  );
  const session = await app.attend(id);
  app.error = backendError(new Error('it could not be renamed'));
  const turn = session.state.turns.at(-1);
  mounted(TurnView as never, { turn, session, plan: nothing, isLast: true, trace: () => undefined }, app);
  await screen.findByText('From its beginning to its end.');
  expect(app.error.message).toBe('it could not be renamed');
});

test('a failed message is sent once more by one press, also until that is told; where it is not taken it can be pressed again', async () => {
  const { backend, session } = await turnAfter({ kind: 'turn_ended', status: 'failed', error: 'no model' });
  const sent: string[] = [];
  let end = { take: () => {}, refuse: () => {} };
  backend.messages.send = (_, words) => {
    sent.push(words);
    return new Promise(
      (done, fail) => (end = { take: done, refuse: () => fail(new Error('the disk is full')) }),
    );
  };
  const again = screen.getByTestId('send-again');
  const press = () => fireEvent.click(again);
  await press();
  await press();
  expect([sent.length, again.getAttribute('aria-busy')]).toEqual([1, 'true']);
  end.refuse();
  await waitFor(() => expect(again.getAttribute('aria-busy')).toBe(null));
  await press();
  end.take();
  await waitFor(() => expect(session.sending).toBe(false));
  await press();
  expect(sent).toEqual(['Count the files', 'Count the files']);
});

test('a failed message is not sent once more while a question is open, which it would answer', async () => {
  const { app, backend } = await appOn('question');
  const [row] = await backend.requests.open();
  const session = await app.attend(row?.session ?? '');
  const turn = { ...session.state.turns.at(-1), status: 'failed', error: 'no model' };
  mounted(TurnView as never, { turn, session, plan: nothing, isLast: true, trace: () => undefined }, app);
  expect(screen.getByTestId('turn-failed').textContent).toContain('no model');
  expect(screen.queryByTestId('send-again')).toBe(null);
  await backend.runs.cancel(row?.run ?? '');
  await waitFor(() => expect(screen.queryByTestId('send-again')).not.toBe(null));
});

const LONG = `The licences: ${Array.from({ length: 200 }, (_, at) => `licence ${at}`).join(', ')} and no other.`;
const BEGUN = LONG.slice(0, 200);

/** A turn whose answer is too long to stand in its event, and is read when the test says so. */
async function longAnswer() {
  const { app, backend } = await appOn('sample');
  const { id } = await backend.sessions.create('/home/ada');
  const place = { session: id, turn: 't' };
  backend.world.write(place, { kind: 'message_received', text: 'Which licences mention patents?' });
  let settle = { give: (_: string): void => undefined, fail: (_: Error): void => undefined };
  const read = vi.fn<() => Promise<string>>(() => new Promise((give, fail) => (settle = { give, fail })));
  backend.contents.read = read;
  const session = await app.attend(id);
  const turn = () => session.state.turns.at(-1);
  const props = () => ({ turn: turn(), session, plan: nothing, isLast: true, trace: () => undefined });
  const { rerender } = mounted(TurnView as never, props(), app);
  const happen = async (...kinds: EventKind[]) => {
    backend.world.commit(place, ...kinds);
    await rerender(props() as never);
  };
  const answer: EventKind = {
    kind: 'answered',
    text: { blob: 'sha', bytes: LONG.length, preview: BEGUN },
  };
  const sign = async (progress: PlanningSign) => {
    backend.world.tell({ type: 'planning', ...place, progress });
    await tick();
  };
  const write = (text: string) => sign({ type: 'answer', text });
  const shown = () => screen.getByTestId('turn').textContent;
  return {
    app,
    happen,
    answer,
    sign,
    write,
    shown,
    read,
    give: () => settle.give(LONG),
    settle: () => settle,
  };
}

test('what was seen of a long answer while it was written stays until the whole is read, which is read once', async () => {
  const { happen, answer, write, shown, read, give } = await longAnswer();
  await write(LONG.slice(0, -15));
  expect(shown()).toContain(LONG.slice(-60, -15));
  await happen(answer);
  expect(shown()).toContain(LONG.slice(-60, -15));
  await happen({ kind: 'turn_ended', status: 'answered' });
  expect(shown()).toContain(LONG.slice(-60, -15));
  give();
  await waitFor(() => expect(shown()).toContain('and no other.'));
  await happen({ kind: 'warned', message: 'it took long' });
  expect(shown()).toContain('and no other.');
  expect(read).toHaveBeenCalledOnce();
});

test('a sign of planning that comes after its plan shows no second one below it', async () => {
  const { sign, happen } = await longAnswer();
  await sign({ type: 'title', text: 'Count the licences' });
  expect(screen.getByTestId('planning').textContent).toContain('Count the licences');
  await happen({ kind: 'plan_proposed', plan: { id: 'p', version: 1, digest: 'sha' } });
  await sign({ type: 'step', index: 1, description: 'Write the table', tool: null });
  expect(screen.queryByTestId('planning')).toBe(null);
});

test('of a long answer that cannot be read its beginning is shown as such', async () => {
  const { app, happen, answer, shown, read, settle } = await longAnswer();
  await happen(answer);
  settle().fail(new Error('the disk is away'));
  await waitFor(() => expect(app.error?.message).toBe('the disk is away'));
  expect(shown()).toContain(`${BEGUN}…`);
  expect(shown()).not.toContain('and no other.');
  await happen({ kind: 'warned', message: 'it took long' });
  expect(read).toHaveBeenCalledOnce();
});

test('all of a long answer is copied, also while its beginning is shown', async () => {
  const { happen, answer, shown, give } = await longAnswer();
  const copied: string[] = [];
  copyBy(async (text) => void copied.push(text));
  await happen(answer);
  const press = fireEvent.click(screen.getByTestId('copy-answer'));
  await tick();
  expect([shown().includes('and no other.'), copied]).toEqual([false, []]);
  give();
  await press;
  await waitFor(() => expect(copied).toEqual([LONG]));
  await waitFor(() => expect(screen.getByTestId('copy-answer').getAttribute('aria-label')).toBe('Copied'));
});
