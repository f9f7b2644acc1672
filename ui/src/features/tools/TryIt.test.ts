import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { listedOf } from './looking';
import ToolLine from './ToolLine.svelte';

async function tool(name: string, scene = 'sample') {
  const { app, backend } = await appOn(scene);
  const found = listedOf(app.tools.all, null).find((one) => one.name === name);
  if (!found) throw new Error(`there is no tool ${name}`);
  mounted(ToolLine as never, { ...found, tried: null }, app);
  const details = screen.getByTestId('tool') as HTMLDetailsElement;
  details.open = true;
  await fireEvent(details, new Event('toggle'));
  await fireEvent.click(await screen.findByTestId('try'));
  return { app, backend };
}

const write = (id: string, value: string) => fireEvent.input(screen.getByTestId(id), { target: { value } });
const submit = () => fireEvent.submit(screen.getByTestId('try-form'));

test('a tool is called as its form says, and what it gave stands below and in the ledger', async () => {
  const { app, backend } = await tool('grep');
  const before = app.rows.length;
  await write('field-pattern', 'patent');
  await fireEvent.click(screen.getByTestId('field-case_sensitive'));
  await submit();
  expect((await screen.findByTestId('try-outcome')).textContent).toContain('Calling…');
  expect(app.rows.length).toBe(before + 1);
  backend.world.settle();
  await waitFor(() => expect(screen.getByTestId('try-outcome').textContent).toContain('"GPL-3": 57'));
  expect(screen.getByTestId('try-outcome').textContent).toContain('worked');
  expect(app.rows[0]?.title).toBe('grep {"pattern":"patent","case_sensitive":true}');

  await submit();
  await waitFor(() => expect(screen.getByTestId('try-outcome').textContent).toContain('Calling…'));
  backend.world.settle();
  await waitFor(() => expect(screen.getByTestId('try-outcome').textContent).toContain('worked'));
  expect(app.rows.length).toBe(before + 1);
  await fireEvent.click(await screen.findByTestId('try-show'));
  expect(app.route).toEqual({ view: 'session', id: app.rows[0]?.id });
});

test('what is watched is the call, where a message that waited was sent just before it', async () => {
  const { app, backend } = await tool('grep');
  const { call } = backend.tools;
  backend.tools.call = async (session, ...what) => {
    await backend.messages.send(session, 'grep is what I mean: hello');
    return call(session, ...what);
  };
  await write('field-pattern', 'patent');
  await submit();
  await screen.findByTestId('try-outcome');
  backend.world.settle();
  await waitFor(() => expect(screen.getByTestId('try-outcome').textContent).toContain('worked'));
  const turns = app.session?.state.turns ?? (await app.attend(app.rows[0]?.id ?? '')).state.turns;
  expect(turns.map((one) => one.message)).toEqual([
    'grep is what I mean: hello',
    'grep {"pattern":"patent"}',
  ]);
});

test('what is needed is asked for at its field, and nothing is called before', async () => {
  const { app } = await tool('grep');
  const before = app.rows.length;
  await submit();
  expect(screen.getByTestId('field-pattern').getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('This is needed.')).toBeTruthy();
  await write('field-pattern', 'x');
  expect(screen.getByTestId('field-pattern').getAttribute('aria-invalid')).toBe('false');
  expect(app.rows.length).toBe(before);
});

test('what was wrong gets the focus, wherever it stands in the form, and is read out so', async () => {
  await tool('create_file');
  const call = screen.getByTestId('try-call');
  const focused = () => (document.activeElement as HTMLElement).dataset['testid'];
  await write('field-path', 'a.txt');
  call.focus();
  await submit();
  await waitFor(() => expect(focused()).toBe('field-content'));
  const fault = document.activeElement?.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '';
  expect(document.getElementById(fault)?.textContent).toBe('This is needed.');
  await fireEvent.click(screen.getByTestId('try-switch'));
  await write('try-json', '{');
  for (const [press, act] of [
    ['try-call', submit],
    ['try-switch', () => fireEvent.click(screen.getByTestId('try-switch'))],
  ] as const) {
    screen.getByTestId(press).focus();
    await act();
    await waitFor(() => expect(focused()).toBe('try-json'));
  }
});

test('arguments are written as JSON too, and what the engine refuses is told', async () => {
  await tool('create_file');
  await write('field-path', 'a.txt');
  await fireEvent.click(screen.getByTestId('try-switch'));
  expect(JSON.parse((screen.getByTestId('try-json') as HTMLTextAreaElement).value)).toEqual({
    path: 'a.txt',
  });
  for (const wrong of ['[1]', '{', '"text"']) {
    await write('try-json', wrong);
    await submit();
    expect([wrong, screen.getByText('This is no JSON object.').textContent]).toBeTruthy();
  }
  await write('try-json', '{"path":"a.txt"}');
  await submit();
  expect((await screen.findByTestId('try-problem')).textContent).toContain('create_file needs content');
});

test('what was written as JSON stands in the form again, and what is no object stays to be mended', async () => {
  await tool('create_file');
  await fireEvent.click(screen.getByTestId('try-switch'));
  await write('try-json', '{"path": ');
  await fireEvent.click(screen.getByTestId('try-switch'));
  expect(screen.getByText('This is no JSON object.')).toBeTruthy();
  expect((screen.getByTestId('try-json') as HTMLTextAreaElement).value).toBe('{"path": ');
  await write('try-json', '{"path": "b.txt", "content": "x"}');
  await fireEvent.click(screen.getByTestId('try-switch'));
  expect((screen.getByTestId('field-path') as HTMLInputElement).value).toBe('b.txt');
  expect((screen.getByTestId('field-content') as HTMLTextAreaElement).value).toBe('x');
});

test('nothing is lost between form and JSON: not an argument without a field, nor what a field does not take', async () => {
  await tool('create_file');
  await fireEvent.click(screen.getByTestId('try-switch'));
  await write('try-json', '{"path": "b.txt", "content": "x", "extra": 1}');
  await fireEvent.click(screen.getByTestId('try-switch'));
  expect((screen.getByTestId('field-extra') as HTMLInputElement).value).toBe('1');
  await write('field-extra', '1a');
  await fireEvent.click(screen.getByTestId('try-switch'));
  expect((screen.getByTestId('field-extra') as HTMLInputElement).value).toBe('1a');
  await write('field-extra', '2');
  await fireEvent.click(screen.getByTestId('try-switch'));
  const json = (screen.getByTestId('try-json') as HTMLTextAreaElement).value;
  expect(JSON.parse(json)).toEqual({ path: 'b.txt', content: 'x', extra: 2 });
});

test('no call is made with a number of more digits than can be sent', async () => {
  const { app } = await tool('bash');
  const before = app.rows.length;
  await fireEvent.click(screen.getByTestId('try-switch'));
  await write('try-json', '{"command": "sleep 9007199254740993", "timeout": 9007199254740993}');
  for (const act of [submit, () => fireEvent.click(screen.getByTestId('try-switch'))]) {
    await act();
    expect(screen.getByText(/each digit is kept/)).toBeTruthy();
    expect(screen.getByTestId('try-json').getAttribute('aria-invalid')).toBe('true');
  }
  expect(app.rows.length).toBe(before);
  await write('try-json', '{"command": "sleep 9007199254740993", "timeout": 9}');
  await submit();
  await waitFor(() => expect(app.rows.length).toBe(before + 1));
});

test('a call that asks first says so, and leads to its question', async () => {
  const { backend } = await tool('delete_file');
  await write('field-path', 'old.txt');
  await submit();
  await screen.findByTestId('try-outcome');
  backend.world.settle();
  expect((await screen.findByTestId('try-waits')).textContent).toContain('It waits for your word');
});

test('what is not needed can be left empty, and what was written stays while the tool is folded', async () => {
  const { app, backend } = await tool('glob');
  const called = vi.spyOn(backend.tools, 'call');
  expect((screen.getByTestId('field-max_results') as HTMLInputElement).value).toBe('1000');
  await write('field-pattern', '**/*.md');
  await write('field-max_results', '');
  const details = screen.getByTestId('tool') as HTMLDetailsElement;
  for (const open of [false, true]) {
    details.open = open;
    await fireEvent(details, new Event('toggle'));
  }
  const value = (id: string) => (screen.getByTestId(id) as HTMLInputElement).value;
  expect([value('field-pattern'), value('field-max_results')]).toEqual(['**/*.md', '']);
  await submit();
  await waitFor(() => expect(called).toHaveBeenCalled());
  expect(called.mock.calls[0]?.slice(1)).toEqual(['glob', { pattern: '**/*.md' }]);
  expect(app.rows[0]?.title).toBe('glob {"pattern":"**/*.md"}');
});
