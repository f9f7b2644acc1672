import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Request } from '../../backend/bindings';
import RequestStack from './RequestStack.svelte';

const IN_WORDS = { kind: 'text', allowEdit: false, allowText: true } as const;

/** Two requests of one session, the first with its card shown. */
async function stacked(change: Partial<Request> = {}) {
  const { app, backend, clock } = await appOn('question');
  const [row] = (await backend.requests.open()).filter((one) => one.request.kind === 'question');
  if (!row) throw new Error('the scene asks something');
  const [first, second] = [row.request.id, 'request-second'];
  const { credential: _, ...plain }: Request = { ...row.request, input: IN_WORDS };
  // As its event says it, too.
  Object.assign(row.request, { ...plain, ...change });
  const { session: id, run } = row;
  await app.open(id);
  backend.world.commit(
    { session: id, ...(run && { run }) },
    { kind: 'request_opened', request: { ...plain, id: second } },
  );
  const { session } = app;
  if (!session) throw new Error('it is open');
  session.chosen = first;
  mounted(RequestStack as never, { session, inspect: () => undefined }, app);
  const draft = async (of: string) => (await backend.requests.get(of)).draft;
  const answer = async (of: string) => (await backend.requests.get(of)).answer;
  return { app, backend, clock, session, first, second, draft, answer };
}

const write = (words: string) =>
  fireEvent.input(screen.getByTestId('answer-text'), { target: { value: words } });
const next = () => fireEvent.click(screen.getByTestId('next-request'));

test('what was written of one answer is kept as that one’s when another card is shown before it was kept', async () => {
  const { clock, session, first, second, draft } = await stacked();
  await write('Only the first');
  await next();
  expect(screen.getByTestId('answer-text')).toHaveProperty('value', '');
  await waitFor(async () => expect(await draft(first)).toEqual({ text: 'Only the first' }));
  clock.pass(300);
  expect([await draft(first), await draft(second)]).toEqual([{ text: 'Only the first' }, null]);
  expect(session.requests.map((row) => row.draft)).toEqual([{ text: 'Only the first' }, null]);
});

test('a secret that is still being kept when another card is shown answers the request that has asked for it', async () => {
  const { backend, first, second, answer } = await stacked({
    credential: { name: 'crm', hosts: ['api.crm.example'] },
  });
  const { add } = backend.vault;
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  backend.vault.add = (...given) => held.then(() => add(...given));
  await fireEvent.input(screen.getByTestId('credential-secret'), { target: { value: 's3cret-of-the-crm' } });
  await fireEvent.click(screen.getByTestId('request-answer'));
  await next();
  expect(screen.queryByTestId('credential-secret')).toBe(null);
  release();
  await waitFor(async () => expect(await answer(first)).toMatchObject({ type: 'value' }));
  expect(JSON.stringify(await answer(first))).toContain('$vault:crm');
  expect(await answer(second)).toBe(null);
});

test('an answer to what was settled elsewhere, refused once the next card is shown, leaves nothing there', async () => {
  const { app, backend, clock, session, first, second, draft } = await stacked();
  const answer = vi.spyOn(backend.requests, 'answer');
  let refuse = () => {};
  answer.mockReturnValue(new Promise((_, fail) => (refuse = () => fail(new Error('it is settled')))));
  await write('Only the first');
  await fireEvent.click(screen.getByTestId('request-answer'));
  const { session: id } = session.requests[0] ?? {};
  backend.world.commit(
    { session: id ?? '' },
    { kind: 'request_answered', request: first, answer: { type: 'reject' } },
  );
  await waitFor(() => expect(screen.getByTestId('answer-text')).toHaveProperty('value', ''));
  refuse();
  await waitFor(() => expect(session.error?.message).toBe('it is settled'));
  clock.pass(300);
  await app.watch.untilQuiet();
  expect([await draft(second), app.error, session.requests.map((row) => row.draft)]).toEqual([
    null,
    null,
    [null],
  ]);
});
