import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Comment, Plan } from '../../backend/bindings';
import { backendError } from '../../backend/errors';
import { latest } from '../../model/session';
import { OpenSession } from '../../app/session.svelte';
import { spoken } from '../../shared/announce.svelte';
import { text } from '../../shared/text';
import PlanCard from './PlanCard.svelte';

beforeEach(() => localStorage.clear());

async function proposed(scene = 'proposed', comments: readonly Comment[] = []) {
  const { app, backend, clock } = await appOn(scene);
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const session = new OpenSession(plan.sessionId, app.backend, clock);
  await session.load();
  const card = session.card(plan.id);
  await card.load();
  const state = session.state.plans.get(plan.id);
  const inspect = vi.fn<(step: string | null) => void>();
  const props = {
    card,
    version: state && latest(state),
    run: null,
    comments,
    working: false,
    inspect,
    stop: () => undefined,
  };
  const { rerender } = mounted(PlanCard as never, props, app);
  /** Takes in what has become of its latest version meanwhile. */
  const version = async () => {
    await session.load();
    const now = session.state.plans.get(plan.id);
    await rerender({ version: now && latest(now) } as never);
  };
  const region = screen.getByTestId('plan-card');
  const button = (name: string | RegExp) => within(region).getByRole('button', { name });
  const steps = () => screen.getAllByTestId('step').map((one) => one.dataset['step']);
  const status = async () => (await backend.plans.history(plan.id)).at(-1)?.status;
  return { app, backend, session, card, plan, button, steps, status, inspect, version, rerender };
}

test('what approving allows stands above the buttons, and each of them is there by its name', async () => {
  const { button } = await proposed();
  const may = screen.getByRole('note', { name: 'What approving allows' });
  expect(may.textContent.replace(/\s+/g, ' ')).toContain('May read the whole folder and write patents.md');
  const names = ['Approve', 'Approve, run later', 'With a note', 'Save for later', 'New plan', 'Reject'];
  const buttons = names.map((name) => button(name === 'Approve' ? /^Approve( |$)(?!,)/ : name));
  expect(may.compareDocumentPosition(buttons[0] as Node)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

test('approved for later, a plan is approved and nothing runs', async () => {
  const { backend, button, status } = await proposed();
  await fireEvent.click(button('Approve, run later'));
  await waitFor(async () => expect(await status()).toBe('approved'));
  expect([...backend.world.runs.values()]).toEqual([]);
});

test.each(['offline', 'serverless'])(
  'without a model a plan is approved for later only: %s',
  async (scene) => {
    const { status } = await proposed(scene);
    expect(screen.queryByTestId('approve')).toBe(null);
    await fireEvent.click(screen.getByTestId('approve-later'));
    await waitFor(async () => expect(await status()).toBe('approved'));
  },
);

test('without a model a note goes along with an approval for later, which the button and the voice say', async () => {
  const { backend, plan, status } = await proposed('offline');
  await fireEvent.click(screen.getByTestId('approve-note'));
  await fireEvent.input(screen.getByTestId('note'), { target: { value: 'with care' } });
  const decide = screen.getByTestId('decide');
  expect(decide.textContent.trim()).toBe(text.plan.approveLater);
  await fireEvent.click(decide);
  await waitFor(async () => expect(await status()).toBe('approved'));
  await waitFor(() => expect(spoken().polite).toContain(text.plan.approvedLaterSaid));
  const events = backend.world.events.get(plan.sessionId) ?? [];
  expect(events.findLast((event) => event.kind === 'plan_approved')).toMatchObject({ note: 'with care' });
});

test('a version that waits says that approving it ends the run of the one before', async () => {
  const { session, card, rerender, version } = await proposed('question');
  const run = session.runsOf(card.id).at(-1) ?? null;
  await rerender({ run } as never);
  await card.edit({ op: 'set_title', title: 'Another way' });
  await card.save();
  await version();
  expect(screen.getByTestId('approve').textContent).toContain('Approve');
  expect(screen.getByTestId('ends-run').textContent).toBe(text.plan.endsRun);
  await session.cancel(run as never);
  await session.load();
  await rerender({ run: session.runsOf(card.id).at(-1) } as never);
  expect(screen.queryByTestId('ends-run')).toBeNull();
});

test('steps are reached by arrows, moved by Alt with them, and the reason of a refusal stands at the step', async () => {
  const { steps, card } = await proposed();
  expect(steps()).toEqual(['s1', 's2', 's3', 's4']);
  const [first] = screen.getAllByTestId('step');
  first?.focus();
  await fireEvent.keyDown(first as HTMLElement, { key: 'ArrowDown' });
  await waitFor(() => expect((document.activeElement as HTMLElement).dataset['step']).toBe('s2'));
  await fireEvent.keyDown(document.activeElement as HTMLElement, { key: 'ArrowUp', altKey: true });
  await waitFor(() => expect(screen.getByTestId('refused').textContent).toContain('Step 2 needs step 1'));
  expect([steps(), card.dirty]).toEqual([['s1', 's2', 's3', 's4'], false]);
});

test('another version that comes leaves unsaved changes as they are, says so, and can be taken instead', async () => {
  const { backend, card, plan } = await proposed();
  await card.edit({ op: 'set_title', title: 'Mine' });
  await backend.plans.edit(plan.id, 1, [{ op: 'set_title', title: 'Theirs' }]);
  await card.load();
  await waitFor(() => expect(screen.getByTestId('overtaken').textContent).toContain('Version 2 was made'));
  expect([card.document?.title, card.dirty]).toEqual(['Mine', true]);
  await fireEvent.click(screen.getByTestId('take-latest'));
  await waitFor(() => expect(screen.queryByTestId('overtaken')).toBe(null));
  expect([card.document?.title, card.dirty]).toEqual(['Theirs', false]);
});

test('words that stand in a field when another version comes stay there as unsaved changes, and that is said', async () => {
  const fields = {
    'plan-title': (document: Plan | null) => document?.title,
    'edit-description': (document: Plan | null) => document?.steps[0]?.description,
    'edit-outcome': (document: Plan | null) => document?.steps[0]?.expectedOutcome,
    output: (document: Plan | null) => document?.extractedContext['output'],
  };
  for (const [name, taken] of Object.entries(fields)) {
    const { backend, card, plan } = await proposed();
    await fireEvent.click(screen.getAllByTestId('step')[0] as HTMLElement);
    if (name === 'output') await fireEvent.click(screen.getByRole('button', { name: 'output patents.md' }));
    const find = () => (name === 'output' ? screen.getByRole('textbox', { name }) : screen.getByTestId(name));
    const field = find() as HTMLInputElement;
    field.focus();
    await fireEvent.input(field, { target: { value: 'Mine alone' } });
    await backend.plans.edit(plan.id, 1, [
      { op: 'set_title', title: 'Theirs' },
      { op: 'set_description', step: 's1', description: 'Theirs' },
      { op: 'set_expected_outcome', step: 's1', expectedOutcome: 'theirs' },
      { op: 'set_context', key: 'output', value: 'theirs.md' },
    ]);
    await card.load();
    expect((await screen.findByTestId('overtaken')).textContent).toContain('Version 2 was made');
    expect([name, field.value, document.activeElement === field]).toEqual([name, 'Mine alone', true]);
    expect([card.view?.plan.version, taken(card.document)]).toEqual([2, 'Mine alone']);
    cleanup();
  }
});

test('words that could not be made a change before another version stay in their field until they can', async () => {
  const { backend, card, plan } = await proposed();
  const title = screen.getByTestId<HTMLTextAreaElement>('plan-title');
  await fireEvent.input(title, { target: { value: 'Mine' } });
  await backend.plans.edit(plan.id, 1, [{ op: 'set_title', title: 'Theirs' }]);
  const { apply } = backend.plans;
  backend.plans.apply = () => Promise.reject(backendError('the file is locked'));
  await card.load();
  await screen.findByTestId('card-retry');
  expect([title.value, card.view?.plan.version]).toEqual(['Mine', 1]);
  backend.plans.apply = apply;
  await fireEvent.click(screen.getByTestId('card-retry'));
  await screen.findByTestId('overtaken');
  expect([title.value, card.document?.title, card.view?.plan.version]).toEqual(['Mine', 'Mine', 2]);
});

test('words that are refused stay in their field when another version comes, which is said', async () => {
  for (const [name, refused] of [
    ['edit-description', ''],
    ['count', '9007199254740993'],
  ] as const) {
    const { backend, card, plan, button, status } = await proposed();
    await card.edit({ op: 'set_context', key: 'count', value: 3 });
    expect(await card.save()).toBe(true);
    await fireEvent.click(screen.getAllByTestId('step')[0] as HTMLElement);
    if (name === 'count') await fireEvent.click(await screen.findByRole('button', { name: 'count 3' }));
    const find = () => (name === 'count' ? screen.getByRole('textbox', { name }) : screen.getByTestId(name));
    const field = find() as HTMLInputElement;
    field.focus();
    await fireEvent.input(field, { target: { value: refused } });
    await backend.plans.edit(plan.id, 2, [
      { op: 'set_description', step: 's1', description: 'Theirs' },
      { op: 'set_context', key: 'count', value: 4 },
    ]);
    await card.load();
    expect((await screen.findByTestId('overtaken')).textContent).toContain('Version 3 was made');
    expect(screen.queryByTestId('refused')).not.toBe(null);
    expect([name, field.value, document.activeElement === field]).toEqual([name, refused, true]);
    await fireEvent.click(button(/^Approve( |$)(?!,)/));
    await waitFor(() => expect(card.deciding).toBe(null));
    expect([field.value, field.isConnected, await status()]).toEqual([refused, true, 'proposed']);
    await fireEvent.click(screen.getByTestId('take-latest'));
    await waitFor(() => expect(screen.queryByTestId('overtaken')).toBe(null));
    expect([card.document?.version, screen.queryByTestId('refused')]).toEqual([3, null]);
    expect(field.value).toBe(name === 'count' ? '4' : 'Theirs');
    cleanup();
  }
});

test('what fields show of line breaks is no change of a person', async () => {
  const { backend, card, plan } = await proposed();
  await backend.plans.edit(plan.id, 1, [
    { op: 'set_description', step: 's1', description: 'Look\r\nhere' },
    { op: 'set_expected_outcome', step: 's1', expectedOutcome: 'a table\nof two columns' },
  ]);
  await card.load();
  await fireEvent.click(screen.getAllByTestId('step')[0] as HTMLElement);
  await backend.plans.edit(plan.id, 2, [{ op: 'set_title', title: 'Theirs' }]);
  await card.load();
  expect([card.view?.plan.version, card.dirty]).toEqual([3, false]);
});

test('unsaved changes that were dropped for a later version are taken back by Undo', async () => {
  const { backend, card, plan } = await proposed();
  await card.edit({ op: 'set_title', title: 'Mine' });
  await backend.plans.edit(plan.id, 1, [{ op: 'set_title', title: 'Theirs' }]);
  await card.load();
  await fireEvent.click(await screen.findByTestId('take-latest'));
  await waitFor(() => expect(card.document?.title).toBe('Theirs'));
  await fireEvent.click(screen.getByTestId('undo'));
  await waitFor(() => expect(card.document?.title).toBe('Mine'));
  expect(screen.getByTestId('overtaken').textContent).toContain('changes of version 1');
  expect(await card.save()).toBe(true);
  expect([card.view?.plan.title, card.view?.plan.version]).toEqual(['Mine', 3]);
});

test('a long number that is written among the values is refused where it stands, and holds up an approval', async () => {
  const { card, button, status } = await proposed();
  await card.edit({ op: 'set_context', key: 'ids', value: [1, 2 ** 60] });
  const chip = await screen.findByRole('button', { name: 'ids 1, ≈1152921504606847000' });
  expect(screen.getByTestId('rounded').textContent).toContain('longer than this window shows exactly');
  await fireEvent.click(chip);
  const write = async (value: string) => {
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'ids' });
    await fireEvent.input(field, { target: { value } });
    await fireEvent.change(field);
    await fireEvent.blur(field);
    return field;
  };
  const field = await write('9007199254740993');
  expect((await screen.findByTestId('refused')).textContent).toContain('each digit is kept');
  await fireEvent.click(button(/^Save and approve/));
  await waitFor(() => expect(card.deciding).toBe(null));
  expect([field.value, field.isConnected, await status()]).toEqual(['9007199254740993', true, 'proposed']);
  await fireEvent.keyDown(field, { key: 'Escape' });
  await waitFor(() => expect([field.isConnected, screen.queryByTestId('refused')]).toEqual([false, null]));
  await fireEvent.click(await screen.findByRole('button', { name: 'ids 1, ≈1152921504606847000' }));
  // The one that stood there is left as it is.
  await write('7, 1152921504606847000');
  await waitFor(() => expect(card.document?.extractedContext['ids']).toEqual([7, 2 ** 60]));
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'ids' })).toBe(null));
  expect(screen.queryByTestId('refused')).toBe(null);
});

test('a value that is refused stays in its field when another one is pressed, and its notice goes with the words', async () => {
  const { card, button, status } = await proposed();
  await card.edit({ op: 'set_context', key: 'count', value: 3 });
  const chip = (name: string) => screen.findByRole('button', { name });
  const count = () => screen.queryByRole<HTMLInputElement>('textbox', { name: 'count' });
  const write = async (value: string) => {
    const field = count() as HTMLInputElement;
    await fireEvent.input(field, { target: { value } });
    await fireEvent.change(field);
    await fireEvent.blur(field);
  };
  await fireEvent.click(await chip('count 3'));
  await write('9007199254740993');
  await screen.findByTestId('refused');
  await fireEvent.click(await chip('output patents.md'));
  expect([count()?.value, document.activeElement === count()]).toEqual(['9007199254740993', true]);
  expect(screen.queryByRole('textbox', { name: 'output' })).toBe(null);
  await fireEvent.click(button(/^Save and approve/));
  await waitFor(() => expect(card.deciding).toBe(null));
  expect([screen.queryByTestId('refused') !== null, await status()]).toEqual([true, 'proposed']);

  await write('3');
  await waitFor(() => expect([screen.queryByTestId('refused'), count()]).toEqual([null, null]));
  await fireEvent.click(await chip('count 3'));
  await write('9007199254740993');
  await screen.findByTestId('refused');
  // Taken away elsewhere, with its field.
  await card.undo();
  await waitFor(() => expect(count()).toBe(null));
  await fireEvent.click(await chip('output patents.md'));
  expect(screen.queryByRole('textbox', { name: 'output' })).not.toBe(null);
});

test('an Enter that takes a word from an input method decides nothing', async () => {
  const { button, status } = await proposed();
  await fireEvent.click(button('Reject'));
  const note = screen.getByTestId('note');
  await fireEvent.keyDown(note, { key: 'Enter', isComposing: true });
  expect(await status()).toBe('proposed');
  await fireEvent.keyDown(note, { key: 'Enter' });
  await waitFor(async () => expect(await status()).toBe('rejected'));
});

test('a list among the values is shown and changed as words', async () => {
  const { card } = await proposed();
  await card.edit({ op: 'set_context', key: 'files', value: ['a.md', 'b.md'] });
  const chip = await screen.findByRole('button', { name: 'files a.md, b.md' });
  await fireEvent.click(chip);
  const input = screen.getByRole('textbox', { name: 'files' });
  await fireEvent.input(input, { target: { value: 'a.md, c.md' } });
  await fireEvent.blur(input);
  await waitFor(() => expect(card.document?.extractedContext['files']).toEqual(['a.md', 'c.md']));
});

test('a value whose field goes while it is written is taken; one that Escape left is not', async () => {
  for (const [leave, value] of [
    [null, 'mine.md'],
    ['Escape', 'patents.md'],
    ['Enter', 'mine.md'],
  ] as const) {
    const { card } = await proposed();
    const edit = vi.spyOn(card, 'edit');
    await fireEvent.click(screen.getByRole('button', { name: 'output patents.md' }));
    const input = screen.getByRole('textbox', { name: 'output' });
    await fireEvent.input(input, { target: { value: 'mine.md' } });
    if (leave) await fireEvent.keyDown(input, { key: leave });
    cleanup();
    await waitFor(() => expect(card.document?.extractedContext['output']).toBe(value));
    expect(edit).toHaveBeenCalledTimes(leave === 'Escape' ? 0 : 1);
  }
});

test('Ctrl+Z takes back a tool that was just added by keys; while words stand in the field it is the field’s own', async () => {
  const { card } = await proposed();
  await fireEvent.click(screen.getAllByTestId('step')[0] as HTMLElement);
  const picker = screen.getByTestId('tool-input');
  const before = card.document?.steps[0]?.requiredTools;
  const undo = () => fireEvent.keyDown(picker, { key: 'z', ctrlKey: true });
  await fireEvent.input(picker, { target: { value: 'shell comm' } });
  await fireEvent.keyDown(picker, { key: 'Enter' });
  await waitFor(() => expect(card.document?.steps[0]?.requiredTools).toContain('bash'));
  await fireEvent.input(picker, { target: { value: 'glob' } });
  expect(await undo()).toBe(true);
  await fireEvent.input(picker, { target: { value: '' } });
  expect(await undo()).toBe(false);
  await waitFor(() => expect(card.document?.steps[0]?.requiredTools).toEqual(before));
});

test('a comment on the whole plan, or on a step that is removed, stands below the title; any other at its step', async () => {
  const on = { id: 'p', version: 1, digest: 'd' };
  const { card } = await proposed('proposed', [
    { plan: on, step: null, text: 'Rather short', at: 0 },
    { plan: on, step: 's4', text: 'In a table', at: 0 },
  ]);
  const said = () => within(screen.getByTestId('plan-comments')).getAllByRole('listitem');
  expect(said().map((one) => one.textContent.trim())).toEqual(['Rather short']);
  expect(screen.getAllByTestId('step')[3]?.textContent).toContain('In a table');
  await card.edit({ op: 'remove_step', step: 's4' });
  await waitFor(() =>
    expect(said().map((one) => one.textContent.trim())).toEqual([
      'Rather short',
      text.plan.commentGone('In a table'),
    ]),
  );
});

test('that nothing may be changed is told with the plan, and can be lifted', async () => {
  const { card } = await proposed();
  expect(screen.queryByTestId('read-only')).toBe(null);
  await card.edit({ op: 'set_read_only', readOnly: true });
  const chip = await screen.findByTestId('read-only');
  expect(chip.textContent).toContain('Only looks');
  await fireEvent.click(within(chip).getByRole('button', { name: 'Let this plan change things after all' }));
  await waitFor(() => expect(screen.queryByTestId('read-only')).toBe(null));
});

test('a tool that there is not has a sign and words beside its colour', async () => {
  const { card } = await proposed();
  await card.edit({ op: 'set_required_tools', step: 's1', requiredTools: ['read_minds', 'grep'] });
  const tags = () => within(screen.getAllByTestId('step')[0] as HTMLElement).getAllByTestId('tag');
  await waitFor(() => expect(tags().map((tag) => tag.dataset['kind'] ?? null)).toEqual(['unknown', null]));
  expect(tags()[0]?.querySelector('svg')).not.toBe(null);
  expect(tags()[0]?.textContent).toContain('there is no such tool');
});

test('signs that nobody sees are shown in the title and in steps, and are taken out of the title', async () => {
  const { card } = await proposed();
  expect(screen.queryByTestId('unseen')).toBe(null);
  await card.edit({ op: 'set_title', title: 'Pa\u200btents' });
  await card.edit({ op: 'set_description', step: 's1', description: 'Find \u202eeverything' });
  const note = await screen.findByTestId('unseen');
  expect(note.textContent).toContain('Pa⟨U+200B⟩tents');
  // All of it anew with each key that is pressed would be too much to listen to.
  expect(within(note).getByRole('status').textContent).toBe(
    'Signs that cannot be seen stand in “Title of the plan”',
  );
  expect(note.closest('[role=status]')).toBe(null);
  expect(screen.getAllByTestId('step')[0]?.textContent).toContain('Find ⟨U+202E⟩everything');
  await fireEvent.click(screen.getByTestId('unseen-remove'));
  await waitFor(() => expect(card.document?.title).toBe('Patents'));
  expect(screen.queryByTestId('unseen')).toBe(null);
});

test('what went wrong with what a person did is read and put away; what could not be read is tried again', async () => {
  const { backend, card, button } = await proposed();
  backend.world.failures.push({ code: 'internal', message: 'the disk is full' });
  await fireEvent.click(button('Approve, run later'));
  expect((await screen.findByTestId('card-error')).textContent).toContain('the disk is full');
  expect(screen.queryByTestId('card-retry')).toBe(null);
  await fireEvent.click(screen.getByTestId('card-dismiss'));
  await waitFor(() => expect(screen.queryByTestId('card-error')).toBe(null));

  backend.world.failures.push({ code: 'internal', message: 'the disk is away' });
  await card.load();
  expect((await screen.findByTestId('card-error')).textContent).toContain('the disk is away');
  await fireEvent.click(screen.getByTestId('card-retry'));
  await waitFor(() => expect(screen.queryByTestId('card-error')).toBe(null));
});

test('what was changed and could not be made is made first when the plan is approved all the same, or holds it up once more', async () => {
  const { app, backend, card, plan, button, status } = await proposed();
  const fail = () => backend.world.failures.push({ code: 'database_locked', message: 'the file is locked' });
  const title = screen.getByTestId<HTMLTextAreaElement>('plan-title');
  const approve = async () => {
    await fireEvent.click(button(/^Approve( |$)(?!,)|^Save and approve/));
    await waitFor(() => expect(card.deciding).toBe(null));
  };
  fail();
  await fireEvent.input(title, { target: { value: 'Mine' } });
  await fireEvent.change(title);
  await waitFor(() => expect(card.error?.message).toBe('the file is locked'));
  fail();
  await approve();
  expect([title.value, await status()]).toEqual(['Mine', 'proposed']);
  await approve();
  expect([(await backend.plans.get(plan.id)).plan.title, await status()]).toEqual(['Mine', 'approved']);
  expect(app.error).toBe(null);
});

test('a step that was left without a word of what to do is approved with none, however often that is asked for', async () => {
  const { card, button, status } = await proposed();
  await fireEvent.click(screen.getAllByTestId('step')[0] as HTMLElement);
  const words = screen.getByTestId<HTMLTextAreaElement>('edit-description');
  await fireEvent.input(words, { target: { value: '' } });
  await fireEvent.change(words);
  for (let times = 0; times < 2; times += 1) {
    await screen.findByTestId('refused');
    await fireEvent.click(button(/^Approve( |$)(?!,)/));
    await waitFor(() => expect(card.deciding).toBe(null));
    expect([words.value, await status()]).toEqual(['', 'proposed']);
  }
  await fireEvent.input(words, { target: { value: 'Look' } });
  await fireEvent.change(words);
  await fireEvent.click(await screen.findByRole('button', { name: /^Save and approve/ }));
  await waitFor(async () => expect(await status()).toBe('approved'));
  expect(card.view?.plan.steps[0]?.description).toBe('Look');
});

test('two ticks while the engine is slow are both taken: steps to wait for, and tools', async () => {
  const { backend, card } = await proposed();
  await fireEvent.click(screen.getAllByTestId('step')[3] as HTMLElement);
  const { apply } = backend.plans;
  let release = () => {};
  const hold = () => {
    const held = new Promise<void>((done) => (release = done));
    backend.plans.apply = (...given) => held.then(() => apply(...given));
  };
  const step = () => card.document?.steps[3];
  const before = { needs: step()?.dependencies, tools: step()?.requiredTools ?? [] };
  expect(before.needs).toEqual(['s3']);
  hold();
  await fireEvent.click(screen.getByTestId('need-1'));
  await fireEvent.click(screen.getByTestId('need-2'));
  release();
  await waitFor(() => expect(step()?.dependencies).toEqual(['s3', 's1', 's2']));
  hold();
  const picker = screen.getByTestId('tool-input');
  for (const name of ['bash', 'glob']) {
    await fireEvent.input(picker, { target: { value: name } });
    await fireEvent.click(screen.getAllByTestId('tool-option')[0] as HTMLElement);
  }
  release();
  await waitFor(() => expect(step()?.requiredTools).toEqual([...before.tools, 'bash', 'glob']));
});

test('a plan that is rejected beside changes that are not saved says so, and what is offered can be done', async () => {
  const { backend, card, button, status, version } = await proposed();
  await card.edit({ op: 'set_title', title: 'Mine' });
  expect(screen.queryByTestId('decided')).toBe(null);
  if (card.view) await backend.plans.reject(card.view.reference, 'too long');
  await version();
  const decided = await screen.findByTestId('decided');
  expect(decided.textContent.trim()).toBe('Rejected: too long; your changes are not saved');
  expect(screen.queryByTestId('run-plan')).toBe(null);
  expect(screen.queryByTestId('fold')).toBe(null);
  expect(button('Reject').getAttribute('aria-description')).toBe(text.plan.decidedAlready);
  await fireEvent.click(button(/^Save and approve/));
  await waitFor(async () => expect(await status()).toBe('approved'));
  await version();
  await waitFor(() =>
    expect(screen.getByTestId('decided').textContent.trim()).toBe('Approved by you. Not run yet.'),
  );
});

test('Enter takes no tool that was gone to before the field was left; words that stand there still name one', async () => {
  const { card } = await proposed();
  await fireEvent.click(screen.getAllByTestId('step')[0] as HTMLElement);
  const edit = vi.spyOn(card, 'edit');
  const picker = screen.getByTestId<HTMLInputElement>('tool-input');
  picker.focus();
  await fireEvent.keyDown(picker, { key: 'ArrowDown' });
  expect(picker.getAttribute('aria-activedescendant')).not.toBe(null);
  picker.blur();
  picker.focus();
  await waitFor(() => expect(picker.getAttribute('aria-expanded')).toBe('true'));
  expect(picker.getAttribute('aria-activedescendant')).toBe(null);
  await fireEvent.keyDown(picker, { key: 'Enter' });
  expect(edit).not.toHaveBeenCalled();
  await fireEvent.input(picker, { target: { value: 'shell comm' } });
  picker.blur();
  picker.focus();
  await fireEvent.keyDown(picker, { key: 'Enter' });
  await waitFor(() => expect(card.document?.steps[0]?.requiredTools).toContain('bash'));
});
