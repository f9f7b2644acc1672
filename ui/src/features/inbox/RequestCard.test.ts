import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Answer, AnswerDraft, JsonValue, Request, RequestRow, StepId } from '../../backend/bindings';
import { backendError } from '../../backend/errors';
import RequestCard from './RequestCard.svelte';

async function asked(
  kind: Request['kind'],
  change: Partial<Request> = {},
  draft: AnswerDraft | null = null,
  scene = 'question',
) {
  const { app, backend, clock } = await appOn(scene);
  const open = (await backend.requests.open()).find((row) => row.request.kind === kind);
  if (!open) throw new Error(`the scene asks nothing of the kind ${kind}`);
  const row: RequestRow = { ...open, draft, request: { ...open.request, ...change } };
  const answer = vi.fn<(answer: Answer, seen?: string) => Promise<boolean>>(async () => true);
  const drafted = vi.fn<(draft: AnswerDraft) => void>();
  const inspect = vi.fn<(step: StepId) => void>();
  mounted(RequestCard as never, { row, answer, drafted, inspect }, app);
  return { app, answer, drafted, inspect, backend, clock, row, id: row.request.id };
}
const trail = () =>
  [...screen.getByTestId('trail').children].map((one) => one.textContent.replace(/\s+/g, ' ').trim());
const button = (name: RegExp) => screen.getByRole('button', { name });
const held = (name: RegExp) => button(name).getAttribute('aria-disabled') === 'true';
/** Approves the changed arguments, once it was looked what they change. */
async function approveChanged(clock: { pass: (ms: number) => void }) {
  clock.pass(300);
  await waitFor(() => expect(held(/^Approve with changes$/)).toBe(false));
  await fireEvent.click(button(/^Approve with changes$/));
}

test('a question is answered by one of its options, by Enter', async () => {
  const { answer } = await asked('question');
  const options = screen.getAllByRole('radio');
  expect(options.map((one) => one.closest('label')?.textContent.replace(/\s+/g, ' ').trim())).toEqual([
    'Only those with mentions shorter, what you asked for',
    'All 17, with zeros complete',
    'Something else',
  ]);
  expect(button(/^Answer$/).getAttribute('aria-disabled')).toBe('true');
  expect(button(/^Answer$/).getAttribute('aria-description')).toBe('Say first what you answer');
  await fireEvent.click(options[1] as HTMLElement);
  await fireEvent.keyDown(options[1] as HTMLElement, { key: 'Enter' });
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: 'All 17, with zeros' }]]);
});

test('an answer in words of one’s own is kept as it is written, and an Enter of an input method sends nothing', async () => {
  const { answer, drafted, backend, clock, id } = await asked('question');
  await fireEvent.click(screen.getByRole('radio', { name: 'Something else' }));
  const area = screen.getByRole('textbox');
  await fireEvent.input(area, { target: { value: 'Only the first' } });
  const begun = { text: 'Only the first', other: true };
  expect(drafted.mock.calls).toEqual([[{ other: true }], [begun]]);
  clock.pass(300);
  await waitFor(async () => expect((await backend.requests.get(id)).draft).toEqual(begun));
  await fireEvent.keyDown(area, { key: 'Enter', isComposing: true });
  expect(answer).not.toHaveBeenCalled();
  await fireEvent.keyDown(area, { key: 'Enter' });
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: 'Only the first' }]]);
});

test('a question is declined with a reason, which is kept as it is written; a help request likewise', async () => {
  for (const kind of ['question', 'help'] as const) {
    for (const input of ['select', 'boolean', 'text'] as const) {
      const { answer, drafted, backend, clock, id } = await asked('question', {
        kind,
        input: { kind: input, allowEdit: false, allowText: false, options: [{ label: 'a' }] },
      });
      expect(screen.queryByTestId('decline-reason')).toBe(null);
      await fireEvent.click(button(/^Decline…$/));
      const area = screen.getByRole('textbox', { name: 'Why not? (optional)' });
      await waitFor(() => expect(document.activeElement).toBe(area));
      expect(drafted.mock.calls).toEqual([[{ reason: '' }]]);
      expect([screen.queryByTestId('request-answer'), answer.mock.calls]).toEqual([null, []]);
      await fireEvent.input(area, { target: { value: ' neither of them ' } });
      clock.pass(300);
      await waitFor(async () =>
        expect((await backend.requests.get(id)).draft).toEqual({ reason: ' neither of them ' }),
      );
      await fireEvent.keyDown(area, { key: 'Enter', isComposing: true });
      await fireEvent.keyDown(area, { key: 'Enter', shiftKey: true });
      expect(answer).not.toHaveBeenCalled();
      if (input === 'text') await fireEvent.keyDown(area, { key: 'Enter' });
      else await fireEvent.click(button(/^Decline$/));
      expect(answer.mock.calls).toEqual([[{ type: 'reject', reason: 'neither of them' }]]);
      document.body.replaceChildren();
    }
  }
  const { answer } = await asked('question', {}, { reason: '  ' });
  await fireEvent.click(button(/^Decline$/));
  expect(answer.mock.calls).toEqual([[{ type: 'reject' }]]);
});

test('Escape leaves the reason for declining and gives the focus back; its words are there again, also in a card made anew', async () => {
  const around = vi.fn();
  window.addEventListener('keydown', around);
  const { answer, drafted } = await asked(
    'question',
    {},
    { chosen: ['All 17, with zeros'], reason: 'neither' },
  );
  const area = screen.getByTestId('decline-reason');
  expect(area).toHaveProperty('value', 'neither');
  expect(document.activeElement).not.toBe(area);
  await fireEvent.keyDown(area, { key: 'Escape', isComposing: true });
  expect(screen.getByTestId('decline-reason')).toBe(area);
  await fireEvent.keyDown(area, { key: 'Escape' });
  expect([screen.queryByTestId('decline-reason'), around.mock.calls]).toEqual([null, []]);
  expect(drafted.mock.lastCall).toEqual([{ chosen: ['All 17, with zeros'] }]);
  const decline = screen.getByTestId('request-decline');
  await waitFor(() => expect(document.activeElement).toBe(decline));
  await fireEvent.click(decline);
  expect(screen.getByTestId('decline-reason')).toHaveProperty('value', 'neither');
  await fireEvent.click(button(/^Cancel$/), { detail: 2 });
  expect(screen.getByTestId('decline-reason')).toBeTruthy();
  await fireEvent.click(button(/^Cancel$/));
  await fireEvent.click(button(/^Answer$/));
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: 'All 17, with zeros' }]]);
  window.removeEventListener('keydown', around);
});

test('what is decided, and what has its own way out, is not declined; what a draft says of that counts for nothing', async () => {
  for (const [kind, scene] of [
    ['confirm', 'question'],
    ['unknown_outcome', 'unknown'],
    ['cap', 'capped'],
  ] as const) {
    await asked(kind, {}, { reason: 'neither' }, scene);
    expect([screen.queryByTestId('request-decline'), screen.queryByTestId('decline-reason')]).toEqual([
      null,
      null,
    ]);
    document.body.replaceChildren();
  }
});

test('a confirmation says nothing of its own risk, shows all arguments, and takes changed ones and a word', async () => {
  const { answer, clock } = await asked('confirm', { risk: 'read' }, { text: 'keep the order' });
  expect(screen.queryByTestId('risk')).toBe(null);
  expect(screen.getByTestId('arguments').textContent).toContain('A table of 5 licences, 9 lines.');
  await fireEvent.click(button(/Change arguments/));
  await fireEvent.input(screen.getByRole('textbox', { name: /action/ }), {
    target: { value: 'Write table.md' },
  });
  await approveChanged(clock);
  expect(answer.mock.calls).toEqual([
    [
      {
        type: 'approve',
        arguments: { action: 'Write table.md', details: 'A table of 5 licences, 9 lines.' },
        note: 'keep the order',
      },
    ],
  ]);
});

test('a call of which only the beginning is shown is approved once the rest is, or stands in its field', async () => {
  const details = `${'echo \n'.repeat(30_000)}rm -r notes`;
  const { clock } = await asked('confirm', { arguments: { action: 'Write', details } });
  clock.pass(300);
  const why = () => button(/^Approve$/).getAttribute('aria-description');
  await waitFor(() => expect(why()).toMatch(/^Only the beginning of what it is called with is shown/));
  expect(held(/^Approve$/)).toBe(true);
  await fireEvent.click(button(/Change arguments/));
  expect(why() ?? '').not.toMatch(/^Only the beginning/);
  await fireEvent.click(button(/^Cancel$/));
  await waitFor(() => expect(held(/^Approve$/)).toBe(true));
  await fireEvent.click(screen.getByTestId('show-more'));
  clock.pass(300);
  await waitFor(() => expect(held(/^Approve$/)).toBe(false));
  expect(screen.getByTestId('arguments').textContent).toContain('rm -r notes');
});

test('a permission says what its call can do; a refusal carries its reason', async () => {
  const { answer } = await asked('confirm', { kind: 'permit', tool: 'bash', risk: 'execute' });
  expect(screen.getByTestId('risk').textContent).toBe('runs commands');
  await fireEvent.input(screen.getByRole('textbox'), { target: { value: 'not on this machine' } });
  await fireEvent.click(button(/Reject/));
  expect(answer.mock.calls).toEqual([[{ type: 'reject', reason: 'not on this machine' }]]);
});

test('nothing hides in the arguments of a call: not in a line, not in a text of many, not in their names', async () => {
  const command = 'echo ok # \u202e; rm -rf ~ \u2066\u200b';
  await asked('confirm', {
    kind: 'permit',
    tool: 'bash',
    risk: 'execute',
    arguments: { command, script: `first\n${command}`, 'c\u200bwd': ['a\u2066b'] },
  });
  const shown = [...screen.getByTestId('arguments').children].map((one) =>
    [one.querySelector('.name'), one.querySelector('pre, .value')].map((part) => part?.textContent),
  );
  const seen = 'echo ok # ⟨U+202E⟩; rm -rf ~ ⟨U+2066⟩⟨U+200B⟩';
  expect(shown).toEqual([
    ['command', seen],
    ['script', `first\n${seen}`],
    ['c⟨U+200B⟩wd', '[\n  "a⟨U+2066⟩b"\n]'],
  ]);
});

test('a permission says what it leads to beside the call itself', async () => {
  const consequence = 'It runs version 2 of the workflow report, which was never approved.';
  await asked('confirm', { kind: 'permit', tool: 'run_workflow', risk: 'destructive', consequence });
  expect(screen.getByTestId('request-consequence').textContent).toBe(consequence);
});

test('a permission reaches as far as the person chooses, says what that means, and offers no more than the engine', async () => {
  const permit = { kind: 'permit', tool: 'bash', risk: 'execute' } as const;
  const { answer } = await asked('confirm', { ...permit, reaches: ['step', 'run', 'workspace'] });
  const names = screen.getAllByRole('radio').map((one) => one.closest('label')?.textContent.trim());
  expect(names).toEqual(['this call', 'this step', 'this run', 'this folder']);
  expect(screen.getByTestId('reach-means').textContent).toBe('The next such call asks again.');
  await fireEvent.click(screen.getByRole('radio', { name: 'this folder' }));
  expect(screen.getByTestId('reach-means').textContent).toContain('until you take that back in the settings');
  await fireEvent.click(screen.getByRole('radio', { name: 'this run' }));
  expect(screen.getByTestId('reach-means').textContent).toBe(
    'Until this run is over, bash does not ask again.',
  );
  await fireEvent.click(button(/^Approve for this run$/));
  expect(answer.mock.calls).toEqual([[{ type: 'approve', reach: 'run' }]]);

  document.body.replaceChildren();
  const once = await asked('confirm', permit);
  expect(screen.queryByTestId('reaches')).toBe(null);
  await waitFor(() => expect(button(/^Approve$/).getAttribute('aria-disabled')).toBe(null));
  await fireEvent.click(button(/^Approve$/));
  expect(once.answer.mock.calls).toEqual([[{ type: 'approve' }]]);
});

test('arguments are changed in a form made from the schema of their tool', async () => {
  const call = { tool: 'grep', arguments: { pattern: 'patent', path: '.', case_sensitive: true } };
  const { answer, clock } = await asked('confirm', { kind: 'permit', risk: 'read', ...call });
  await fireEvent.click(button(/Change arguments/));
  expect(screen.getByText('What to look for.')).toBeTruthy();
  expect(screen.getByRole('checkbox', { name: /case_sensitive/ })).toHaveProperty('checked', true);
  expect(screen.getByRole('textbox', { name: 'path' }).getAttribute('aria-invalid')).toBe('false');
  await fireEvent.input(screen.getByRole('textbox', { name: 'pattern' }), {
    target: { value: 'licen[cs]e' },
  });
  await fireEvent.click(screen.getByRole('checkbox', { name: /case_sensitive/ }));
  await approveChanged(clock);
  expect(answer.mock.calls).toEqual([
    [{ type: 'approve', arguments: { pattern: 'licen[cs]e', path: '.', case_sensitive: false } }],
  ]);
});

test('a number that is longer than the window shows is told as such, goes as it was, and none is written', async () => {
  const call = { tool: 'pay', arguments: { account: 9007199254740994, parts: [{ of: 2 ** 60 }], times: 3 } };
  const { answer, clock } = await asked('confirm', { kind: 'permit', risk: 'write', ...call });
  const shown = screen.getByTestId('arguments').textContent;
  expect(shown).toContain('≈9007199254740994');
  expect(shown).toContain('"of": ≈1152921504606847000');
  const told = /^Longer than this window shows exactly: account and parts\./;
  expect(screen.getByText(told)).toBeTruthy();
  await fireEvent.click(button(/Change arguments/));
  expect(screen.getByText(told), 'also while they are changed').toBeTruthy();
  const write = (name: string, value: string) =>
    fireEvent.input(screen.getByRole('textbox', { name }), { target: { value } });
  const digits = () => screen.queryAllByText(/each digit is kept/).length;
  for (const [name, value] of [
    ['times', '9007199254740993'],
    ['times', '9,007,199,254,740,993'],
    ['parts', '[{"of": 9007199254740993}]'],
  ] as const) {
    await write(name, value);
    expect([value, digits()]).toEqual([value, 1]);
    expect(button(/^Approve/).getAttribute('aria-disabled')).toBe('true');
    await write(name, name === 'times' ? '4' : '[{"of": 1152921504606847000, "note": "9007199254740993"}]');
    expect([value, digits()]).toEqual([value, 0]);
  }
  await approveChanged(clock);
  const changed = { account: 9007199254740994, parts: [{ of: 2 ** 60, note: '9007199254740993' }], times: 4 };
  expect(answer.mock.calls).toEqual([[{ type: 'approve', arguments: changed }]]);
});

test('what was begun of an answer is there again: options, several of them, a reach, arguments that do not hold yet', async () => {
  const again = async (kind: 'question' | 'confirm', change: Partial<Request>, act: () => Promise<void>) => {
    const first = await asked(kind, change);
    await act();
    first.clock.pass(300);
    const kept = async () => (await first.backend.requests.get(first.id)).draft;
    await waitFor(async () => expect(await kept()).toEqual(first.drafted.mock.lastCall?.[0]));
    document.body.replaceChildren();
    return asked(kind, change, await kept());
  };
  const chosen = await again('question', {}, async () => {
    await fireEvent.click(screen.getByRole('radio', { name: /All 17/ }));
  });
  expect(screen.getByRole('radio', { name: /All 17/ })).toHaveProperty('checked', true);
  await fireEvent.click(button(/^Answer$/));
  expect(chosen.answer.mock.calls).toEqual([[{ type: 'value', value: 'All 17, with zeros' }]]);

  document.body.replaceChildren();
  const options = ['a', 'b', 'c'].map((label) => ({ label }));
  const many = { input: { kind: 'multiselect', options, allowEdit: false, allowText: false } } as const;
  const several = await again('question', many as never, async () => {
    for (const name of ['c', 'a', 'b', 'b']) await fireEvent.click(screen.getByRole('checkbox', { name }));
  });
  await fireEvent.click(button(/^Answer$/));
  expect(several.answer.mock.calls).toEqual([[{ type: 'value', value: ['c', 'a'] }]]);

  document.body.replaceChildren();
  const permit: Partial<Request> = {
    kind: 'permit',
    risk: 'read',
    tool: 'grep',
    arguments: { pattern: 'patent', path: '.' },
    reaches: ['step', 'run'],
  };
  const changed = await again('confirm', permit, async () => {
    await fireEvent.click(screen.getByRole('radio', { name: 'this run' }));
    await fireEvent.click(button(/Change arguments/));
    await fireEvent.input(screen.getByRole('textbox', { name: 'pattern' }), { target: { value: '' } });
    await fireEvent.input(screen.getByRole('textbox', { name: 'path' }), { target: { value: 'old' } });
  });
  expect(screen.getByRole('radio', { name: 'this run' })).toHaveProperty('checked', true);
  const pattern = screen.getByRole('textbox', { name: 'pattern' });
  expect(pattern).toHaveProperty('value', '');
  await fireEvent.input(pattern, { target: { value: 'licence' } });
  await approveChanged(changed.clock);
  expect(changed.answer.mock.calls).toEqual([
    [{ type: 'approve', arguments: { pattern: 'licence', path: 'old' }, reach: 'run' }],
  ]);
});

test('an answer that was refused is still kept', async () => {
  const { answer, backend, clock, id } = await asked('question');
  answer.mockResolvedValue(false);
  await fireEvent.click(screen.getByRole('radio', { name: /All 17/ }));
  await fireEvent.click(button(/^Answer$/));
  await waitFor(() => expect(answer).toHaveBeenCalled());
  clock.pass(300);
  await waitFor(async () =>
    expect((await backend.requests.get(id)).draft).toEqual({ chosen: ['All 17, with zeros'] }),
  );
});

test('a call of which nobody knows how it ended: done, again or left out, each with what it leads to', async () => {
  for (const [at, value] of ['done', 'run again', 'skip'].entries()) {
    const { answer } = await asked('unknown_outcome', {}, null, 'unknown');
    expect(screen.getByRole('heading').textContent).toBe(
      'bash was under way when Assent ended. Did it do its work?',
    );
    expect(screen.getByTestId('arguments').textContent).toContain('rsync -a notes/ /backup/notes/');
    expect(screen.getByTestId('risk').textContent).toBe('runs commands');
    const options = screen.getAllByRole('radio');
    expect(options.map((one) => one.closest('label')?.textContent.replace(/\s+/g, ' ').trim())).toEqual([
      'done The step goes on as if the call had succeeded.',
      'run again The call is made once more with the same arguments.',
      'skip The step is left out, and the steps that build on it too.',
    ]);
    expect(screen.queryByRole('textbox')).toBe(null);
    expect(button(/^Answer$/).getAttribute('aria-disabled')).toBe('true');
    await fireEvent.click(options[at] as HTMLElement);
    await fireEvent.click(button(/^Answer$/));
    expect(answer.mock.calls).toEqual([[{ type: 'value', value }]]);
    document.body.replaceChildren();
  }
});

test('at a limit whatever the engine offers can be chosen, each with what it leads to', async () => {
  for (const [at, value] of ['keep going', 'stop here', 'change the plan'].entries()) {
    const { answer } = await asked('cap', {}, null, 'capped');
    expect(screen.getByTestId('request').textContent).toContain('grep was called three times');
    await screen.findByRole('heading', { name: 'Keep going with step 1?' });
    const options = screen.getAllByRole('radio');
    expect(options.map((one) => one.closest('label')?.textContent.replace(/\s+/g, ' ').trim())).toEqual([
      'keep going The step goes on, with as much again.',
      'stop here The step ends as failed, and the steps that build on it are left out.',
      'change the plan The step ends. Another version of the plan takes over what is done.',
    ]);
    await fireEvent.click(options[at] as HTMLElement);
    await fireEvent.keyDown(options[at] as HTMLElement, { key: 'Enter' });
    expect(answer.mock.calls).toEqual([[{ type: 'value', value }]]);
    document.body.replaceChildren();
  }
});

test('a request says where it comes from, however deep, and each step can be shown', async () => {
  const { inspect } = await asked('question', {}, null, 'deep');
  await waitFor(() =>
    expect(trail()).toEqual([
      'Sort the archive by year',
      '2 Find the year of each text',
      '3 Look at the texts without a year',
      '4 Ask for the year of “Artistic”',
    ]),
  );
  await fireEvent.click(screen.getAllByTestId('trail-step')[1] as HTMLElement);
  expect(inspect.mock.calls).toEqual([['s3']]);
  document.body.replaceChildren();
  await asked('question', { path: ['s2', 's2.1', 's2.1.7'] }, null, 'deep');
  await waitFor(() =>
    expect(trail()).toEqual(['Sort the archive by year', '2 Find the year of each text', 's2.1', 's2.1.7']),
  );
});

test('what a call would change is shown, and looked at anew once its arguments were changed', async () => {
  const { clock } = await asked('permit', {}, null, 'change');
  const lines = () => screen.queryAllByTestId('changed-line').map((one) => one.textContent.trim());
  await waitFor(() => expect(lines().length).toBeGreaterThan(0));
  expect(lines().filter((line) => !/^\d+( {2}|$)/.test(line))).toEqual([
    '7 − | GPL-3 | 55 |',
    '7 + | GPL-3 | 57 |',
    '8 + | AGPL-3 | 31 |',
  ]);
  await fireEvent.click(button(/Change arguments/));
  const path = screen.getByRole('textbox', { name: 'path' });
  for (const [value, said] of [
    ['none.md', 'There is no such file'],
    ['../notes.md', 'This path is not in the folder'],
  ]) {
    await fireEvent.input(path, { target: { value } });
    clock.pass(300);
    await waitFor(() => expect(screen.getByTestId('file-change').textContent).toContain(said));
  }
});

test('that it cannot be looked at what a call changes is said before it can be approved, and it is tried again', async () => {
  const { app, backend } = await appOn('change');
  const [row] = await backend.requests.open();
  const { change } = backend.requests;
  let fail = (): void => undefined;
  backend.requests.change = () =>
    new Promise((_, failed) => (fail = () => failed(new Error('the disk is away'))));
  const answer = vi.fn<(answer: Answer, seen?: string) => Promise<boolean>>(async () => true);
  mounted(RequestCard as never, { row, answer }, app);
  expect(button(/^Approve/).getAttribute('aria-description')).toBe(
    'What this would change is being looked at.',
  );
  await fireEvent.click(button(/^Approve/));
  expect([answer.mock.calls, screen.queryByTestId('unlooked')]).toEqual([[], null]);
  fail();
  expect((await screen.findByTestId('unlooked')).textContent).toContain(
    'What this changes could not be looked at: the disk is away',
  );
  expect(screen.queryByTestId('file-change')).toBe(null);
  await waitFor(() => expect(button(/^Approve/).getAttribute('aria-disabled')).toBe(null));
  backend.requests.change = change;
  await fireEvent.click(screen.getByTestId('look-again'));
  await screen.findByTestId('file-change');
  expect(screen.queryByTestId('unlooked')).toBe(null);
  backend.requests.change = () => Promise.reject(new Error('the disk is away'));
  await fireEvent.focusIn(button(/^Approve/));
  await screen.findByTestId('unlooked');
  await fireEvent.click(button(/^Approve/));
  expect(answer.mock.calls).toEqual([[{ type: 'approve' }]]);
});

test('changed arguments are approved once it was shown what they make of the file', async () => {
  const { answer, clock } = await asked('permit', {}, null, 'change');
  await waitFor(() => expect(screen.queryAllByTestId('changed-line').length).toBeGreaterThan(0));
  await fireEvent.click(button(/Change arguments/));
  await fireEvent.input(screen.getByRole('textbox', { name: 'path' }), { target: { value: 'none.md' } });
  const approve = () => screen.getByTestId('request-approve');
  await fireEvent.click(approve());
  expect([answer.mock.calls.length, approve().getAttribute('aria-disabled')]).toEqual([0, 'true']);
  clock.pass(300);
  await waitFor(() => expect(approve().getAttribute('aria-disabled')).not.toBe('true'));
  await fireEvent.click(approve());
  expect(answer.mock.calls.length).toBe(1);
});

test('changed arguments are approved once it was looked what they change, also where nothing could be looked at before', async () => {
  for (const first of ['nothing', 'a fault']) {
    const { app, backend, clock } = await appOn('change');
    const [row] = await backend.requests.open();
    if (!row) throw new Error('nothing is asked');
    const { change } = backend.requests;
    backend.requests.change = async (id) => {
      if (first === 'a fault') throw new Error('the disk is away');
      return { ...(await change(id)), change: { type: 'none' } };
    };
    const answer = vi.fn<(answer: Answer, seen?: string) => Promise<boolean>>(async () => true);
    mounted(RequestCard as never, { row, answer }, app);
    await waitFor(() => expect(held(/^Approve/)).toBe(false));
    backend.requests.change = change;
    await fireEvent.click(button(/Change arguments/));
    await fireEvent.input(screen.getByRole('textbox', { name: 'path' }), { target: { value: 'none.md' } });
    await fireEvent.click(button(/^Approve with changes$/));
    expect([first, held(/^Approve with changes$/), answer.mock.calls]).toEqual([first, true, []]);
    await approveChanged(clock);
    expect(screen.getByTestId('file-change').textContent).toContain('There is no such file');
    const { arguments: changed } = answer.mock.lastCall?.[0] as { arguments?: JsonValue };
    expect(changed).toMatchObject({ path: 'none.md' });
    expect(answer.mock.lastCall?.[1]).toBe((await change(row.request.id, changed)).seen);
    document.body.replaceChildren();
  }
});

test('a call is made again only once it was looked what it changes; what lets nothing happen is answered at once', async () => {
  const { app, backend } = await appOn('unknown');
  const [row] = await backend.requests.open();
  let fail = (): void => undefined;
  backend.requests.change = () =>
    new Promise((_, failed) => (fail = () => failed(new Error('the disk is away'))));
  const answer = vi.fn<(answer: Answer) => Promise<boolean>>(async () => true);
  mounted(RequestCard as never, { row, answer }, app);
  const again = screen.getByRole('radio', { name: /^run again/ });
  await fireEvent.click(again);
  expect(button(/^Answer$/).getAttribute('aria-description')).toBe(
    'What this would change is being looked at.',
  );
  await fireEvent.click(button(/^Answer$/));
  await fireEvent.keyDown(again, { key: 'Enter' });
  expect(answer).not.toHaveBeenCalled();
  await fireEvent.click(screen.getByRole('radio', { name: /^skip/ }));
  expect(held(/^Answer$/)).toBe(false);
  await fireEvent.click(again);
  fail();
  await waitFor(() => expect(held(/^Answer$/)).toBe(false));
  await fireEvent.click(button(/^Answer$/));
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: 'run again' }]]);
});

test('what is approved is what was seen: a file that was changed meanwhile is shown anew, and nothing goes on before', async () => {
  const { answer, backend, clock, id } = await asked('permit', {}, null, 'change');
  answer.mockImplementation((what, seen) =>
    backend.requests.answer(id, what, seen).then(
      () => true,
      () => false,
    ),
  );
  const { texts } = backend.world;
  const gone = () =>
    screen
      .queryAllByTestId('changed-line')
      .flatMap((one) => (/−/.test(one.textContent) ? one.textContent : []));
  const status = async () => (await backend.requests.get(id)).status;
  const write = (from: string, to: string) =>
    texts.set('notes/patents.md', (texts.get('notes/patents.md') ?? '').replaceAll(from, to));
  await waitFor(() => expect(gone().join()).toContain('GPL-3 | 55'));
  expect(screen.queryByTestId('file-moved')).toBeNull();

  write('Counted in June.', 'Counted in July.\n\nBy hand.');
  await fireEvent.click(button(/^Approve/));
  await waitFor(() => expect(screen.getByTestId('file-moved')).toBeTruthy());
  expect([answer.mock.calls.length, await status()]).toEqual([1, 'open']);
  // The next click may have been on its way already.
  await fireEvent.click(button(/^Approve/));
  expect(answer.mock.calls.length).toBe(1);

  write('| GPL-3 | 55 |', '| GPL-3 | 56 |');
  await fireEvent(window, new Event('focus'));
  await waitFor(() => expect(screen.getByTestId('file-change').textContent).toContain('not in the file'));
  write('| GPL-3 | 56 |', '| GPL-3 | 55 |');
  await fireEvent.focusIn(screen.getByTestId('request-approve'));
  await waitFor(() => expect(gone().join()).toContain('GPL-3 | 55'));
  clock.pass(1000);
  await fireEvent.click(button(/^Approve/));
  await waitFor(async () => expect(await status()).toBe('answered'));
});

test('what is run again is what was seen: a file that was changed meanwhile is shown anew, and nothing goes on before', async () => {
  const call = {
    tool: 'edit_file',
    arguments: { path: 'notes/patents.md', old_string: 'June', new_string: 'July' },
  };
  const { answer, backend, clock, id, row } = await asked('unknown_outcome', call, null, 'unknown');
  Object.assign(backend.world.requests.get(id) ?? {}, { request: row.request });
  await fireEvent(window, new Event('focus'));
  answer.mockImplementation((what, seen) =>
    backend.requests.answer(id, what, seen).then(
      () => true,
      () => false,
    ),
  );
  const { texts } = backend.world;
  const status = async () => (await backend.requests.get(id)).status;
  const seen = async () => (await backend.requests.change(id)).seen;
  await waitFor(() => expect(screen.getAllByTestId('changed-line').length).toBeGreaterThan(0));
  const before = await seen();
  await fireEvent.click(screen.getByRole('radio', { name: /^run again/ }));
  texts.set('notes/patents.md', `${texts.get('notes/patents.md') ?? ''}By hand.\n`);
  await fireEvent.click(button(/^Answer$/));
  await waitFor(() => expect(screen.getByTestId('file-moved')).toBeTruthy());
  const again: Answer = { type: 'value', value: 'run again' };
  expect([answer.mock.calls, await status()]).toEqual([[[again, before]], 'open']);
  // The next click may have been on its way already.
  await fireEvent.click(button(/^Answer$/));
  expect(answer).toHaveBeenCalledOnce();
  clock.pass(1000);
  await fireEvent.click(button(/^Answer$/));
  expect(answer.mock.lastCall).toEqual([again, await seen()]);
  await waitFor(async () => expect(await status()).toBe('answered'));
});

test('changed arguments that break the schema are told at their field and cannot be sent', async () => {
  const { answer, clock } = await asked('confirm', {
    kind: 'permit',
    tool: 'bash',
    risk: 'execute',
    arguments: { command: 'ls', timeout: 5 },
  });
  await fireEvent.click(button(/Change arguments/));
  await fireEvent.input(screen.getByRole('textbox', { name: 'timeout' }), { target: { value: '-1' } });
  expect(screen.getByText('This has to be at least 0.')).toBeTruthy();
  expect(button(/^Approve/).getAttribute('aria-disabled')).toBe('true');
  await fireEvent.input(screen.getByRole('textbox', { name: 'timeout' }), { target: { value: '10,000' } });
  expect(screen.getByText(/^The comma may mean thousands or decimals/)).toBeTruthy();
  await fireEvent.click(button(/^Approve/));
  expect(answer).not.toHaveBeenCalled();
  await fireEvent.input(screen.getByRole('textbox', { name: 'timeout' }), { target: { value: '9' } });
  await approveChanged(clock);
  expect(answer.mock.calls).toEqual([[{ type: 'approve', arguments: { command: 'ls', timeout: 9 } }]]);
});

test('answers are asked for by their type: a number, a day, a file of the folder', async () => {
  const free = (kind: 'number' | 'date' | 'file') => ({ input: { kind, allowEdit: false, allowText: true } });
  for (const [kind, wrong, right, value] of [
    ['number', 'many', '2,5', 2.5],
    ['date', '', '2026-02-28', '2026-02-28'],
    ['file', '', 'GPL-3', 'GPL-3'],
  ] as const) {
    const { answer } = await asked('question', free(kind));
    const field = screen.getByTestId('answer-text');
    await fireEvent.input(field, { target: { value: wrong } });
    expect(button(/^Answer$/).getAttribute('aria-disabled')).toBe('true');
    expect(screen.queryByText('This has to be a number.') !== null).toBe(kind === 'number');
    if (kind === 'file')
      await waitFor(() =>
        expect(
          [...document.querySelectorAll('datalist option')].map((one) => one.getAttribute('value')),
        ).toContain('GPL-3'),
      );
    await fireEvent.input(field, { target: { value: right } });
    await fireEvent.keyDown(field, { key: 'Enter' });
    expect(answer.mock.calls).toEqual([[{ type: 'value', value }]]);
    document.body.replaceChildren();
  }
});

test('a comma that may mean thousands or decimals is told at the number it stands in, and is not answered', async () => {
  const { answer } = await asked('question', {
    input: { kind: 'number', allowEdit: false, allowText: true },
  });
  const field = screen.getByTestId('answer-text');
  await fireEvent.input(field, { target: { value: '1,000' } });
  expect(screen.getByText(/^The comma may mean thousands or decimals/)).toBeTruthy();
  await fireEvent.keyDown(field, { key: 'Enter' });
  expect(answer).not.toHaveBeenCalled();
  await fireEvent.input(field, { target: { value: '1,000.5' } });
  await fireEvent.keyDown(field, { key: 'Enter' });
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: 1000.5 }]]);
});

test('a number of more digits than can be sent is told, and is not answered', async () => {
  const { answer } = await asked('question', {
    input: { kind: 'number', allowEdit: false, allowText: true },
  });
  const field = screen.getByTestId('answer-text');
  await fireEvent.input(field, { target: { value: '9007199254740993' } });
  expect(screen.getByText(/each digit is kept/)).toBeTruthy();
  await fireEvent.keyDown(field, { key: 'Enter' });
  expect(answer).not.toHaveBeenCalled();
  await fireEvent.input(field, { target: { value: '9007199254740991' } });
  await fireEvent.keyDown(field, { key: 'Enter' });
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: 9007199254740991 }]]);
});

test('a question of yes or no is answered by the value, not by its word', async () => {
  for (const [name, value] of [
    ['Yes', true],
    ['No', false],
  ] as const) {
    const { answer } = await asked('question', {
      input: { kind: 'boolean', allowEdit: false, allowText: false },
    });
    expect(screen.getAllByRole('radio')).toHaveLength(2);
    await fireEvent.click(screen.getByRole('radio', { name }));
    await fireEvent.click(button(/^Answer$/));
    expect(answer.mock.calls).toEqual([[{ type: 'value', value }]]);
    document.body.replaceChildren();
  }
});

test('the second press of a double click decides nothing: it was meant for the card that stood there before', async () => {
  const { answer } = await asked('confirm', { risk: 'read' });
  await fireEvent.click(button(/^Approve/), { detail: 2 });
  await fireEvent.click(button(/^Reject/), { detail: 2 });
  expect(answer).not.toHaveBeenCalled();
  await fireEvent.click(button(/^Approve/), { detail: 1 });
  expect(answer).toHaveBeenCalledTimes(1);
});

const secret = { credential: { name: 'crm', hosts: ['api.crm.example'] } };
const inWords = { input: { kind: 'text' as const, options: [], allowEdit: false, allowText: true } };
const field = (name: string) => screen.getByTestId<HTMLInputElement>(`credential-${name}`);

test('a secret that is asked for goes into the vault, and the answer names it with what else was said', async () => {
  const { answer, drafted, backend } = await asked('question', { ...inWords, ...secret });
  expect(screen.getByTestId('asked-secret').textContent).toContain('neither the history nor a model gets it');
  expect([field('name').value, field('hosts').value, field('secret').type]).toEqual([
    'crm',
    'api.crm.example',
    'password',
  ]);
  await fireEvent.input(screen.getByTestId('answer-text'), { target: { value: 'The user is max' } });
  await fireEvent.input(field('hosts'), { target: { value: 'https://api.crm.example:443/v1, b.example' } });
  await fireEvent.input(field('secret'), { target: { value: 's3cret-of-the-crm' } });
  expect(JSON.stringify(drafted.mock.calls)).not.toContain('s3cret');
  await fireEvent.click(button(/^Keep it and answer$/));
  await waitFor(() => expect(answer).toHaveBeenCalledOnce());
  const told = 'It is in the vault, for api.crm.example, b.example: write {$vault:crm} where it goes.';
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: `${told}\nThe user is max` }]]);
  expect(backend.world.vault.map(({ name }) => name)).toEqual(['crm']);
  expect(screen.queryByTestId('credential-secret')).toBe(null);
});

test('a secret that was kept is not asked for again when its answer was not taken: it is chosen, and answered with', async () => {
  const { answer, backend } = await asked('question', { ...inWords, ...secret });
  const add = vi.spyOn(backend.vault, 'add');
  answer.mockResolvedValueOnce(false);
  await fireEvent.input(field('secret'), { target: { value: 's3cret-of-the-crm' } });
  await fireEvent.keyDown(field('secret'), { key: 'Enter' });
  await waitFor(() => expect(answer).toHaveBeenCalledOnce());
  expect(screen.getByTestId<HTMLSelectElement>('credential-which').value).toBe('crm');
  expect(screen.queryByTestId('credential-secret')).toBe(null);
  await waitFor(() => expect(button(/^Keep it and answer$/).getAttribute('aria-disabled')).not.toBe('true'));
  await fireEvent.click(button(/^Keep it and answer$/));
  await waitFor(() => expect(answer).toHaveBeenCalledTimes(2));
  const told = 'It is in the vault, for api.crm.example: write {$vault:crm} where it goes.';
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: told }], [{ type: 'value', value: told }]]);
  expect(add).toHaveBeenCalledOnce();
});

test('a secret that cannot be kept is not answered: what is wrong stands at its field; words alone are an answer', async () => {
  const { answer } = await asked('question', { ...inWords, ...secret });
  expect(button(/^Answer$/).getAttribute('aria-disabled')).toBe('true');
  await fireEvent.input(field('secret'), { target: { value: 'short' } });
  await fireEvent.keyDown(field('secret'), { key: 'Enter' });
  await waitFor(() => expect(field('secret').getAttribute('aria-invalid')).toBe('true'));
  await fireEvent.input(field('name'), { target: { value: 'No name' } });
  button(/^Keep it and answer$/).focus();
  await fireEvent.click(button(/^Keep it and answer$/));
  await waitFor(() => expect(field('name').getAttribute('aria-invalid')).toBe('true'));
  await waitFor(() => expect(document.activeElement).toBe(field('name')));
  expect(answer).not.toHaveBeenCalled();
  await fireEvent.input(field('secret'), { target: { value: '' } });
  await fireEvent.input(screen.getByTestId('answer-text'), { target: { value: 'I have none' } });
  await fireEvent.click(button(/^Answer$/));
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: 'I have none' }]]);
});

test('a credential that is kept already is chosen, and a question for none has no such place', async () => {
  const { app, backend } = await appOn('question');
  const given = { name: 'old', hosts: ['a.example'], tools: [], secret: 'long enough' };
  const { credential } = await backend.vault.add(given, false);
  const [row] = await backend.requests.open();
  if (!row) throw new Error('nothing is asked');
  const answer = vi.fn(async () => true);
  const card = { ...row, request: { ...row.request, ...inWords, ...secret } };
  mounted(RequestCard as never, { row: card, answer }, app);
  await fireEvent.change(await screen.findByTestId('credential-which'), { target: { value: 'old' } });
  expect(screen.queryByTestId('credential-secret')).toBe(null);
  await fireEvent.click(button(/^Keep it and answer$/));
  await waitFor(() => expect(answer.mock.calls).toEqual([[{ type: 'value', value: credential.told }]]));
  document.body.replaceChildren();
  await asked('question');
  expect(screen.queryByTestId('asked-secret')).toBe(null);
});

/** A question for a secret where one is kept under the name that it proposes. */
async function askedBeside(hosts: string[], of: string[]) {
  const { app, backend } = await appOn('question');
  const first = { name: 'example', hosts, tools: [], secret: 'the first secret' };
  await backend.vault.add(first, false);
  const [row] = await backend.requests.open();
  if (!row) throw new Error('nothing is asked');
  const answer = vi.fn(async () => true);
  const credential = { name: 'example', hosts: of };
  mounted(
    RequestCard as never,
    { row: { ...row, request: { ...row.request, ...inWords, credential } }, answer },
    app,
  );
  await screen.findByTestId('credential-which');
  const kept = () => backend.world.vault.map((one) => `${one.name} ${one.hosts.join()}`);
  return { answer, kept };
}

test('for another host a free name is proposed, and what is kept under the name that was asked for stays', async () => {
  const { answer, kept } = await askedBeside(['example.com'], ['example.org']);
  expect(field('name').value).toBe('example-2');
  await fireEvent.input(field('secret'), { target: { value: 'the second secret' } });
  await fireEvent.click(button(/^Keep it and answer$/));
  await waitFor(() => expect(answer).toHaveBeenCalledOnce());
  expect(kept()).toEqual(['example example.com', 'example-2 example.org']);
  expect(JSON.stringify(answer.mock.calls)).toContain('{$vault:example-2}');
});

test('for the same host the name stays, but what is kept is replaced, and answered with, by a press of its own only', async () => {
  const { answer, kept } = await askedBeside(['example.org', 'b.example'], ['example.org']);
  expect(field('name').value).toBe('example');
  await fireEvent.input(field('secret'), { target: { value: 'the second secret' } });
  for (let time = 0; time < 2; time += 1) {
    await fireEvent.keyDown(field('secret'), { key: 'Enter' });
    await waitFor(() => expect(field('name').getAttribute('aria-invalid')).toBe('true'));
  }
  expect(screen.getByTestId('asked-secret').textContent).toContain(
    'example is kept already, for example.org, b.example. Give this one another name.',
  );
  expect([kept(), answer.mock.calls]).toEqual([['example example.org,b.example'], []]);
  await waitFor(() => expect(button(/^Keep it and answer$/).getAttribute('aria-disabled')).toBe(null));
  await fireEvent.click(screen.getByTestId('replace-credential'));
  await waitFor(() => expect(answer).toHaveBeenCalledOnce());
  expect(kept()).toEqual(['example example.org']);
});

test('what went wrong before stays in sight while a draft of an answer is kept', async () => {
  const { app, backend, clock, id } = await asked('question');
  app.error = backendError(new Error('it could not be renamed'));
  await fireEvent.click(screen.getByRole('radio', { name: 'Something else' }));
  clock.pass(300);
  await waitFor(async () => expect((await backend.requests.get(id)).draft).toEqual({ other: true }));
  expect(app.error.message).toBe('it could not be renamed');
});

test('the files that may be named are read once, however much is written and whatever happens meanwhile', async () => {
  const { app, backend, row } = await asked('question', {
    input: { kind: 'file', allowEdit: false, allowText: false },
  });
  const read = vi.spyOn(backend.sessions, 'files');
  const area = screen.getByRole('combobox');
  for (const value of ['G', 'GP', 'GPL']) await fireEvent.input(area, { target: { value } });
  backend.world.commit({ session: row.session }, { kind: 'session_renamed', title: 'Licences' });
  await waitFor(() => expect(app.rows.find((one) => one.id === row.session)?.title).toBe('Licences'));
  expect(read).not.toHaveBeenCalled();
});

test('the files that may be named in changed arguments are read as soon as these are changed, and once', async () => {
  const { backend } = await asked('permit', {}, null, 'permit');
  const read = vi.spyOn(backend.sessions, 'files');
  await fireEvent.click(await screen.findByTestId('edit-arguments'));
  expect(read).toHaveBeenCalledOnce();
  for (const value of ['a', 'ab'])
    await fireEvent.input(screen.getAllByRole('textbox')[0] as HTMLElement, { target: { value } });
  expect(read).toHaveBeenCalledOnce();
});
