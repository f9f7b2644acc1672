import { clearMocks, mockIPC } from '@tauri-apps/api/mocks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Signal } from './bindings';
import { BackendError } from './errors';

type Asked = { command: string; args: unknown };

let asked: Asked[];
let answer: (command: string) => unknown;

beforeEach(() => {
  vi.resetModules();
  asked = [];
  answer = () => null;
  mockIPC((command, args) => {
    asked.push({ command, args });
    return answer(command);
  });
});

afterEach(() => {
  clearMocks();
  vi.unstubAllGlobals();
});

const backend = async () => (await import('./tauri')).tauri;

/** What the shell does to send something through the channel it was given. */
function sendThrough(number: number, index: number, signals: Signal[]): void {
  const opened = asked.find((one) => one.command === 'stream_open');
  const channel = (opened?.args as { packets: { id: number } }).packets;
  const internals = window as unknown as {
    __TAURI_INTERNALS__: { runCallback: (id: number, message: unknown) => void };
  };
  internals.__TAURI_INTERNALS__.runCallback(channel.id, { index, message: { number, signals } });
}

test('a call names its command and its arguments, and leaves out what is not said', async () => {
  await (await backend()).messages.send('s', 'Hello');
  expect(asked).toEqual([
    { command: 'message_send', args: { session: 's', text: 'Hello', policy: undefined } },
  ]);
});

test('whether what is kept under a name is replaced goes along', async () => {
  const { vault, models } = await backend();
  const given = { name: 'crm', hosts: ['a.example'], tools: [], secret: 's3cret' };
  const provider = { id: 'mine', baseUrl: 'https://a.example/v1' } as never;
  await vault.add(given, false);
  await models.addProvider(provider, true);
  expect(asked).toEqual([
    { command: 'vault_add', args: { ...given, replaces: false } },
    { command: 'provider_add', args: { provider, replaces: true } },
  ]);
});

test('a refusal becomes an error with code, sentence and faults', async () => {
  const fault = { stage: 'plan', message: 'no such tool', path: ['steps', 0] };
  answer = () => Promise.reject({ code: 'plan_faults', message: 'the plan cannot run', faults: [fault] });
  const thrown = await (await backend()).plans.list().catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Error);
  expect(thrown).toMatchObject({ code: 'plan_faults', message: 'the plan cannot run', faults: [fault] });
});

test('anything else that is thrown is an internal error', async () => {
  answer = () => {
    throw new Error('the channel broke');
  };
  const thrown = await (await backend()).requests.open().catch((error: unknown) => error);
  expect(thrown).toMatchObject({ name: BackendError.name, code: 'internal', message: 'the channel broke' });
});

test('what happens is heard in order, and the shell is told that it was taken', async () => {
  const first = { sessions: [] };
  answer = (command) => (command === 'stream_open' ? first : null);
  const heard = vi.fn();
  expect(await (await backend()).open(heard)).toEqual(first);
  const signals: Signal[] = [{ type: 'work', session: 's', active: true }];
  sendThrough(1, 0, signals);
  sendThrough(2, 1, []);
  expect(heard.mock.calls).toEqual([[signals], [[]]]);
  const taken = asked.filter((one) => one.command === 'stream_taken').map((one) => one.args);
  expect(taken).toEqual([{ number: 1 }, { number: 2 }]);
});

test('a listener that fails is reported, and the shell goes on sending', async () => {
  const report = vi.fn();
  vi.stubGlobal('reportError', report);
  const defect = new Error('a defect of the page');
  await (
    await backend()
  ).open(() => {
    throw defect;
  });
  sendThrough(1, 0, []);
  expect(report.mock.calls).toEqual([[defect]]);
  expect(asked.at(-1)).toEqual({ command: 'stream_taken', args: { number: 1 } });
});

test('a window whose data cannot be opened is told why', async () => {
  answer = () => Promise.reject({ code: 'database_locked', message: 'x' });
  await expect((await backend()).open(vi.fn())).rejects.toMatchObject({ code: 'database_locked' });
});

test('what a window begins with is asked for once, and what came before anybody listened is heard', async () => {
  const first = { sessions: [] };
  answer = (command) => (command === 'stream_open' ? first : null);
  (await import('./first')).ask();
  const heard = vi.fn();
  sendThrough(1, 0, [{ type: 'work', session: 's', active: true }]);
  const { open } = await backend();
  expect(await open(heard)).toEqual(first);
  sendThrough(2, 1, []);
  expect(heard.mock.calls).toEqual([[[{ type: 'work', session: 's', active: true }]], [[]]]);
  const commands = () => asked.map((one) => one.command);
  expect(commands()).toEqual(['stream_open', 'stream_taken', 'stream_taken']);
  // A page that begins once more asks once more.
  await open(heard);
  expect(commands().filter((one) => one === 'stream_open')).toHaveLength(2);
});

test('why a window has nothing to begin with is told to who takes it, however early it was asked', async () => {
  answer = () => Promise.reject({ code: 'database_locked', message: 'x' });
  (await import('./first')).ask();
  const { open } = await backend();
  await new Promise((done) => setTimeout(done));
  await expect(open(vi.fn())).rejects.toMatchObject({ code: 'database_locked' });
});
