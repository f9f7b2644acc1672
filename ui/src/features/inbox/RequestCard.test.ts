import { fireEvent, screen } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Answer, Request, RequestRow } from '../../backend/bindings';
import RequestCard from './RequestCard.svelte';

beforeEach(() => localStorage.clear());

async function asked(kind: Request['kind'], change: Partial<Request> = {}, draft: string | null = null) {
  const { app, backend, clock } = await appOn('question');
  const open = (await backend.requests.open()).find((row) => row.request.kind === kind);
  if (!open) throw new Error(`the scene asks nothing of the kind ${kind}`);
  const row: RequestRow = { ...open, draft, request: { ...open.request, ...change } };
  const answer = vi.fn<(answer: Answer) => Promise<boolean>>(async () => true);
  const drafted = vi.fn<(draft: string) => void>();
  mounted(RequestCard as never, { row, step: 2, answer, drafted }, app);
  return { answer, drafted, backend, clock, id: row.request.id };
}
const button = (name: RegExp) => screen.getByRole('button', { name });

test('a question is answered by one of its options, by Enter', async () => {
  const { answer } = await asked('question');
  const options = screen.getAllByRole('radio');
  expect(options.map((one) => one.closest('label')?.textContent.replace(/\s+/g, ' ').trim())).toEqual([
    'Only those with mentions shorter, what you asked for',
    'All 17, with zeros complete',
    'Something else',
  ]);
  expect(button(/^Answer$/).getAttribute('aria-disabled')).toBe('true');
  await fireEvent.click(options[1] as HTMLElement);
  await fireEvent.keyDown(options[1] as HTMLElement, { key: 'Enter' });
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: 'All 17, with zeros' }]]);
});

test('an answer in words of one’s own is kept as it is written, and an Enter of an input method sends nothing', async () => {
  const { answer, drafted, backend, clock, id } = await asked('question');
  await fireEvent.click(screen.getByRole('radio', { name: 'Something else' }));
  const area = screen.getByRole('textbox');
  await fireEvent.input(area, { target: { value: 'Only the first' } });
  expect(drafted.mock.calls).toEqual([['Only the first']]);
  clock.pass(300);
  await vi.waitFor(async () => expect((await backend.requests.get(id)).draft).toBe('Only the first'));
  await fireEvent.keyDown(area, { key: 'Enter', isComposing: true });
  expect(answer).not.toHaveBeenCalled();
  await fireEvent.keyDown(area, { key: 'Enter' });
  expect(answer.mock.calls).toEqual([[{ type: 'value', value: 'Only the first' }]]);
});

test('a confirmation says nothing of its own risk, shows all arguments, and takes changed ones and a word', async () => {
  const { answer } = await asked('confirm', { risk: 'read' }, 'keep the order');
  expect(screen.queryByTestId('risk')).toBe(null);
  expect(screen.getByTestId('arguments').textContent).toContain('A table of 5 licences, 9 lines.');
  await fireEvent.click(button(/Change arguments/));
  await fireEvent.input(screen.getByRole('textbox', { name: /action/ }), {
    target: { value: 'Write table.md' },
  });
  await fireEvent.click(button(/Approve with changes/));
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

test('a permission says what its call can do; a refusal carries its reason', async () => {
  const { answer } = await asked('confirm', { kind: 'permit', tool: 'bash', risk: 'execute' });
  expect(screen.getByTestId('risk').textContent).toBe('runs commands');
  await fireEvent.input(screen.getByRole('textbox'), { target: { value: 'not on this machine' } });
  await fireEvent.click(button(/Reject/));
  expect(answer.mock.calls).toEqual([[{ type: 'reject', reason: 'not on this machine' }]]);
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
  await fireEvent.click(button(/^Approve$/));
  expect(once.answer.mock.calls).toEqual([[{ type: 'approve' }]]);
});

test('arguments are changed in a form made from the schema of their tool, and what was changed is kept until it is answered', async () => {
  const call = { tool: 'grep', arguments: { pattern: 'patent', path: '.', case_sensitive: true } };
  const { answer } = await asked('confirm', { kind: 'permit', risk: 'read', ...call });
  await fireEvent.click(button(/Change arguments/));
  expect(screen.getByText('What to look for.')).toBeTruthy();
  expect(screen.getByRole('checkbox', { name: /case_sensitive/ })).toHaveProperty('checked', true);
  await fireEvent.input(screen.getByRole('textbox', { name: 'pattern' }), { target: { value: ' ' } });
  expect(screen.getByRole('textbox', { name: 'path' }).getAttribute('aria-invalid')).toBe('false');

  document.body.replaceChildren();
  const again = await asked('confirm', { kind: 'permit', risk: 'read', ...call });
  expect(screen.getByRole('textbox', { name: 'pattern' })).toHaveProperty('value', ' ');
  await fireEvent.input(screen.getByRole('textbox', { name: 'pattern' }), {
    target: { value: 'licen[cs]e' },
  });
  await fireEvent.click(screen.getByRole('checkbox', { name: /case_sensitive/ }));
  await fireEvent.click(button(/Approve with changes/));
  expect(answer).not.toHaveBeenCalled();
  expect(again.answer.mock.calls).toEqual([
    [{ type: 'approve', arguments: { pattern: 'licen[cs]e', path: '.', case_sensitive: false } }],
  ]);
  await vi.waitFor(() => expect(Object.keys({ ...localStorage })).toEqual([]));
});

test('changed arguments that break the schema are told at their field and cannot be sent', async () => {
  const { answer } = await asked('confirm', {
    kind: 'permit',
    tool: 'bash',
    risk: 'execute',
    arguments: { command: 'ls', timeout: 5 },
  });
  await fireEvent.click(button(/Change arguments/));
  await fireEvent.input(screen.getByRole('textbox', { name: 'timeout' }), { target: { value: '-1' } });
  expect(screen.getByText('This has to be at least 0.')).toBeTruthy();
  expect(button(/^Approve/).getAttribute('aria-disabled')).toBe('true');
  await fireEvent.input(screen.getByRole('textbox', { name: 'timeout' }), { target: { value: '9' } });
  await fireEvent.click(button(/Approve with changes/));
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
      await vi.waitFor(() =>
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
