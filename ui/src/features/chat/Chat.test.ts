import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { createRawSnippet } from 'svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { shown } from '../../app/asking';
import { BackendError } from '../../backend/errors';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Request } from '../../backend/bindings';
import Chat from './Chat.svelte';
import NewRequest from './NewRequest.svelte';

beforeEach(() => localStorage.clear());

const nothing = createRawSnippet(() => ({ render: () => '<span></span>' }));

test.each([
  ['running', 'This window carries this out, and is not done with it yet'],
  ['elsewhere', 'Another window or a command carries this out'],
])('of a run that is busy in the scene %s the chat says who is', async (scene, title) => {
  const { app, backend } = await appOn(scene);
  const [plan] = await backend.plans.list();
  const session = await app.attend(plan?.sessionId ?? '');
  mounted(Chat as never, { session, plan: nothing, requests: nothing }, app);
  session.error = new BackendError({ code: 'busy', message: 'it is being carried on' });
  await waitFor(() => expect(screen.getByTestId('session-error').textContent).toContain(title));
});

const WORDS =
  'Which of these licences mention warranty? Count the mentions per file and write them to warranty.md.';
const offer = () => screen.queryByTestId('saved-offer');

/** A new request that is pasted and sent at once, as it is planned then. */
async function pasted(pause = false) {
  localStorage.clear();
  document.body.replaceChildren();
  const { app, backend, clock } = await appOn('kept');
  mounted(NewRequest as never, {}, app);
  await fireEvent.input(screen.getByTestId('composer'), { target: { value: WORDS } });
  if (pause) {
    clock.pass(400);
    await screen.findByTestId('saved-offer');
  }
  await fireEvent.keyDown(screen.getByTestId('composer'), { key: 'Enter' });
  await waitFor(() => expect(app.session?.state.turns).toHaveLength(1));
  const { session } = app;
  if (!session) throw new Error('no session was begun');
  document.body.replaceChildren();
  mounted(Chat as never, { session, plan: nothing, requests: nothing }, app);
  return { backend, session };
}
const uses = (backend: Awaited<ReturnType<typeof pasted>>['backend']) =>
  [...backend.world.saved.values()].reduce((sum, one) => sum + one.uses, 0);

test.each(['use', 'adapt'] as const)(
  'what is sent before it could be looked for is offered its saved plan while it is planned: %s',
  async (how) => {
    const { backend, session } = await pasted();
    expect((await screen.findByTestId('saved-offer')).textContent).toContain('What you sent resembles');
    await fireEvent.click(screen.getByTestId(`offer-${how}`));
    await waitFor(() => expect(session.state.plans.size).toBe(1));
    backend.world.settle();
    expect([session.state.plans.size, uses(backend)]).toEqual([1, 1]);
    expect(session.state.turns.map((turn) => [turn.message, turn.status])).toEqual([
      [WORDS, 'cancelled'],
      [WORDS, null],
    ]);
    await waitFor(() => expect(offer()).toBe(null));
  },
);

test('an ignored offer lets the planning go on and does not come back; one that the person has seen before is not made again', async () => {
  const { backend, session } = await pasted();
  await fireEvent.click(await screen.findByTestId('offer-ignore'));
  await waitFor(() => expect(offer()).toBe(null));
  expect(session.sent.planned).toBe(null);
  backend.world.settle();
  expect([session.state.turns.length, session.state.plans.size, uses(backend)]).toEqual([1, 1, 0]);

  const seen = await pasted(true);
  expect([seen.session.sent.planned, offer()]).toEqual([null, null]);
});

test('with the plan the offer goes, and a plan that came in that moment stays alone', async () => {
  const { backend, session } = await pasted();
  await screen.findByTestId('saved-offer');
  const stopPlanning = backend.messages.stopPlanning;
  backend.messages.stopPlanning = (id) => {
    backend.world.settle();
    return stopPlanning(id);
  };
  await fireEvent.click(screen.getByTestId('offer-use'));
  await waitFor(() => expect(offer()).toBe(null));
  expect([session.state.turns.length, session.state.plans.size, uses(backend)]).toEqual([1, 1, 0]);
});

test('what is asked right after itself is told in one line below it; later it is told as ever', async () => {
  const { app, backend } = await appOn('sample');
  const { id } = await backend.sessions.create('/home/me/work');
  const long = `Count the files\n${'of every folder '.repeat(40)}`;
  for (const [turn, text] of Object.entries({ one: long, two: long, three: 'Thanks', four: long })) {
    const at = { session: id, turn };
    backend.world.write(at, { kind: 'message_received', text }, { kind: 'turn_ended', status: 'answered' });
  }
  const session = await app.attend(id);
  mounted(Chat as never, { session, plan: nothing, requests: nothing, trace: () => {} }, app);
  const said = (await screen.findAllByTestId('message')).map((one) => one.textContent.trim());
  expect(said.map((one) => one.startsWith('You: Once more: Count the files'))).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(said.map((one) => one.length > 600)).toEqual([true, false, false, true]);
});

test('the same word as the answer to two questions is told twice: nothing is asked once more by it', async () => {
  const { app, backend } = await appOn('question');
  const [asked] = await backend.requests.open();
  if (!asked?.run) throw new Error('the scene asks nothing');
  const { session: id, run } = asked;
  const session = await app.attend(id);
  await session.send('Yes');
  const request = { ...asked.request, id: 'next' };
  const place = { session: id, run, ...(asked.step && { step: asked.step }) };
  backend.world.commit(
    { ...place, turn: session.state.turns.at(-1)?.id ?? '' },
    { kind: 'request_opened', request },
  );
  await session.send('Yes');
  // Who writes it once more after that does ask for something.
  await session.send('Yes');
  await session.send('Yes');
  mounted(Chat as never, { session, plan: nothing, requests: nothing, trace: () => {} }, app);
  const said = (await screen.findAllByTestId('message')).map((one) => one.textContent.trim());
  expect(said.slice(-4)).toEqual(['You:Yes', 'You:Yes', 'You:Yes', 'You: Once more: Yes']);
});

/** A session in which a permission is asked for while a branch of the run goes on, which may ask a question. */
async function branches() {
  document.body.replaceChildren();
  localStorage.clear();
  const { app, backend } = await appOn('permit');
  const { world } = backend;
  world.settle();
  const [permit] = await backend.requests.open();
  const [question] = await (await appOn('question')).backend.requests.open();
  if (!permit?.run || !question) throw new Error('the scenes ask something');
  const { session: id, run } = permit;
  const session = await app.attend(id);
  const { credential: _, ...plain }: Request = question.request;
  const ask = (of: string, kind: Request['kind'] = 'question') =>
    world.commit({ session: id, run }, { kind: 'request_opened', request: { ...plain, id: of, kind } });
  const settle = (of: string) =>
    world.commit({ session: id, run }, { kind: 'request_answered', request: of, answer: { type: 'reject' } });
  const sent: (string | undefined)[][] = [];
  backend.messages.send = async (_session, words, _policy, of) => void sent.push([words, of]);
  mounted(Chat as never, { session, plan: nothing, requests: nothing, trace: () => {} }, app);
  const composer = screen.getByTestId<HTMLTextAreaElement>('composer');
  const write = (value: string) => fireEvent.input(composer, { target: { value } });
  const enter = (keys = {}) => fireEvent.keyDown(composer, { key: 'Enter', ...keys });
  const waiting = () => session.queue.waiting.map(({ text }) => text);
  const label = () => screen.getByTestId('send').getAttribute('aria-label');
  const card = () => shown(session)?.request.id;
  const p = permit.request.id;
  return { world, session, ask, settle, sent, write, enter, waiting, label, card, p };
}

test.each(['goes on', 'waits'])(
  'words for later answer no question that comes beside the card of another request while they stand there: the branch %s',
  async (branch) => {
    const { world, session, ask, settle, sent, write, enter, waiting, label, card, p } = await branches();
    world.begin(
      session.id,
      (function* () {
        yield;
      })(),
    );
    await write('Then sort it');
    expect([session.working, label()]).toEqual([true, 'Send when this is over']);
    ask('q');
    if (branch === 'waits') world.settle();
    expect(session.working).toBe(branch === 'goes on');
    await write('Then sort it by year');
    expect([card(), label()]).toEqual([p, 'Send when this is over']);
    await enter({ ctrlKey: true, shiftKey: true });
    expect([sent, waiting()]).toEqual([[], []]);
    await enter();
    expect([sent, waiting()]).toEqual([[], ['Then sort it by year']]);
    // What is begun now answers it, below its card.
    await write('The second');
    await waitFor(() => expect(card()).toBe('q'));
    await enter();
    await waitFor(() => expect(sent).toEqual([['The second', 'q']]));
    settle('q');
    expect(card()).toBe(p);
  },
);

test('words that were begun before anything was asked are for later; what is begun now is the answer', async () => {
  const { world, session, ask, settle, sent, write, enter, waiting, label, card, p } = await branches();
  settle(p);
  world.begin(
    session.id,
    (function* () {
      yield;
    })(),
  );
  await write('Then sort it');
  ask('q');
  await waitFor(() => expect(card()).toBe('q'));
  expect(label()).toBe('Send when this is over');
  await write('Then sort it by year');
  await enter();
  expect([sent, waiting()]).toEqual([[], ['Then sort it by year']]);
  await write('The second');
  await enter();
  await waitFor(() => expect(sent).toEqual([['The second', 'q']]));
});

test('an answer goes to the question it was begun below, whatever card is looked at meanwhile', async () => {
  for (const look of ['at another card', 'until that is settled']) {
    const { session, ask, settle, sent, write, enter, card, p } = await branches();
    ask('q1');
    ask('p2', 'permit');
    ask('q2');
    settle(p);
    session.chosen = 'q2';
    await write('By year');
    session.chosen = 'p2';
    expect(card()).toBe('p2');
    if (look === 'until that is settled') {
      settle('p2');
      expect(card()).toBe('q2');
    }
    await enter();
    await waitFor(() => expect(sent).toEqual([['By year', 'q2']]));
  }
});

test('what was looked for is shown in its own turn, and not in a row of a plan that stands above it', async () => {
  const { app, backend } = await appOn('sample');
  const { id } = await backend.sessions.create('/home/me/work');
  for (const [turn, text] of Object.entries({ one: 'Count the files', two: 'Count the penguins' }))
    backend.world.write(
      { session: id, turn },
      { kind: 'message_received', text },
      { kind: 'plan_proposed', plan: { id: turn, version: 1, digest: '' } },
    );
  const session = await app.attend(id);
  const plan = createRawSnippet((id: () => string) => ({
    render: () =>
      `<div role="region"><p data-row="0">A step</p><p data-row="1"><button data-testid="${id()}"></button></p></div>`,
  }));
  const shows = vi.spyOn(Range.prototype, 'setStart');
  mounted(Chat as never, { session, plan, requests: nothing, trace: () => {} }, app);
  // The row with the focus stays in the document, as one that stands above what is seen does.
  screen.getByTestId('one').focus();
  session.revealed = { turn: 1, said: 'message', words: 'penguins' };
  await waitFor(() => expect(shows).toHaveBeenCalled());
  expect(shows.mock.calls.map(([node]) => node.textContent)).toEqual(['Count the penguins']);
  shows.mockRestore();
});

test('what an error stood before is told once that is dismissed, for as long as the session is not whole', async () => {
  const { app, backend } = await appOn('sample');
  const session = await app.attend(app.rows[0]?.id ?? '');
  mounted(Chat as never, { session, plan: nothing, requests: nothing, trace: () => {} }, app);
  session.error = new BackendError({ code: 'disk_full', message: 'the disk is full' });
  backend.world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  await session.load();
  const told = () => screen.queryByTestId('session-error')?.textContent;
  const dismiss = () => fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  await waitFor(() => expect(told()).toContain('the disk is full'));
  await dismiss();
  expect(told()).toContain('the file is locked');
  expect(screen.getByTestId('session-retry')).toBeTruthy();
  await dismiss();
  expect(told()).toBe(undefined);
});
