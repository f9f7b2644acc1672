import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { spoken } from '../../shared/announce.svelte';
import EndpointForm from './EndpointForm.svelte';

async function form(name?: string) {
  const { app, backend } = await appOn('sample');
  const view = (await backend.models.providers()).find((one) => one.provider.id === name) ?? null;
  const told = { kept: 0, closed: 0 };
  const kept = async () => void (told.kept += 1);
  mounted(EndpointForm, { view, kept, close: () => void (told.closed += 1) }, app);
  return { app, backend, told };
}

const write = (id: string, value: string) => fireEvent.input(screen.getByTestId(id), { target: { value } });
const submit = () => fireEvent.submit(screen.getByTestId('endpoint-form'));

/** What stands at a field as its fault. */
function faultAt(id: string): string {
  const field = screen.getByTestId(id);
  if (field.getAttribute('aria-invalid') !== 'true') return '';
  const ids = field.getAttribute('aria-describedby')?.split(' ') ?? [];
  return document.getElementById(ids.find((one) => one.endsWith('-fault')) ?? '')?.textContent.trim() ?? '';
}

test('an endpoint is kept with its key, tried, and used once it works; the key is not shown again', async () => {
  const { app, backend, told } = await form();
  await write('endpoint-name', 'mine');
  await write('endpoint-address', 'https://models.example/v1/');
  await write('key-input', 'sk-secret');
  await write('model-name', 'large');
  await submit();
  expect((await screen.findByTestId('test-result')).textContent).toContain('Works: answered in 1.8 s');
  const own = (await backend.models.providers()).filter((one) => one.own);
  expect(
    own.map(({ provider, key }) => [provider.id, provider.baseUrl, provider.protocol, key.place]),
  ).toEqual([['mine', 'https://models.example/v1', 'openai', 'keyring']]);
  expect((screen.getByTestId('key-input') as HTMLInputElement).value).toBe('');
  await fireEvent.click(screen.getByTestId('use-endpoint'));
  await waitFor(() => expect(told).toEqual({ kept: 1, closed: 1 }));
  expect(app.models?.chosen.default).toBe('mine/large');
});

test('what an endpoint is used for is said as it is: a role that has its own model keeps it', async () => {
  const { app, backend } = await form();
  await backend.models.choose('step', 'local/starter');
  await app.readModels();
  await write('endpoint-name', 'mine');
  await write('endpoint-address', 'https://models.example/v1/');
  await write('key-input', 'sk-secret');
  await write('model-name', 'large');
  await submit();
  const use = await screen.findByTestId('use-endpoint');
  expect(use.textContent.trim()).toBe('Use it where nothing else is chosen');
  await backend.models.choose('step', null);
  await app.readModels();
  await waitFor(() => expect(use.textContent.trim()).toBe('Use it for everything'));
});

test('what is wrong stands at the field that it is about', async () => {
  await form();
  await write('endpoint-name', 'mine');
  await write('endpoint-address', 'models.example');
  await submit();
  await waitFor(() => expect(faultAt('endpoint-address')).toContain('has to begin with http:// or https://'));

  await write('endpoint-address', 'https://models.invalid/v1');
  await write('model-name', 'large');
  await submit();
  await waitFor(() =>
    expect(faultAt('endpoint-address')).toContain('nobody answers at https://models.invalid/v1'),
  );

  await write('endpoint-address', 'https://models.example/v1');
  await submit();
  await waitFor(() => expect(faultAt('key-input')).toContain('refuses the key'));
  expect(faultAt('endpoint-address')).toBe('');

  await write('endpoint-context', '12');
  await submit();
  await waitFor(() => expect(faultAt('endpoint-context')).toContain('at least 2048'));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('endpoint-context')));
});

test('an address over which keys would travel unencrypted is warned of, one on this machine is not', async () => {
  await form();
  for (const [address, warned] of [
    ['http://models.example/v1', true],
    ['http://127.0.0.1:8000/v1', false],
    ['http://[::1]:8000/v1', false],
    ['http://localhost.example/v1', true],
    ['https://models.example/v1', false],
  ] as const) {
    await write('endpoint-address', address);
    expect([address, screen.queryByTestId('unencrypted') !== null]).toEqual([address, warned]);
  }
});

test('a known provider asks for a key only, and its form closes once that is kept', async () => {
  const { backend, told } = await form('openai');
  expect(screen.queryByTestId('endpoint-address')).toBeNull();
  await submit();
  expect(told).toEqual({ kept: 0, closed: 0 });
  await write('key-input', 'sk-secret');
  await submit();
  await waitFor(() => expect(told).toEqual({ kept: 1, closed: 1 }));
  const openai = (await backend.models.providers()).find((one) => one.provider.id === 'openai');
  expect([openai?.key.place, openai?.own]).toEqual(['keyring', false]);
});

test('a keyring that cannot be used is told at the key, and nothing goes on from there', async () => {
  const { backend, told } = await form('openai');
  backend.world.failures.push({ code: 'no_keyring', message: 'the keyring is locked; unlock it' });
  await write('key-input', 'sk-secret');
  await submit();
  await waitFor(() => expect(faultAt('key-input')).toBe('the keyring is locked; unlock it'));
  expect(told).toEqual({ kept: 0, closed: 0 });
});

test('once something else is written, what was tried before says nothing of it: it is kept and tried anew before it is used', async () => {
  const { app, backend, told } = await form();
  const chosen = app.models?.chosen.default;
  await write('endpoint-name', 'mine');
  await write('endpoint-address', 'https://models.example/v1');
  await write('key-input', 'sk-secret');
  await write('model-name', 'large');
  const tried = async () => {
    await submit();
    await screen.findByTestId('use-endpoint');
  };
  const box = () => screen.getByRole('checkbox', { hidden: true });
  for (const change of [
    () => write('endpoint-address', 'https://other.example/v1'),
    () => write('key-input', 'sk-another'),
    () => write('endpoint-context', '4096'),
    () => write('model-name', 'small'),
    () => fireEvent.click(screen.getByTestId('protocol-anthropic')),
    () => fireEvent.click(box()),
  ]) {
    await tried();
    await change();
    expect([screen.queryByTestId('use-endpoint'), screen.queryByTestId('test-result')]).toEqual([null, null]);
  }
  expect([app.models?.chosen.default, told.closed]).toEqual([chosen, 0]);
  await tried();
  await fireEvent.click(screen.getByTestId('use-endpoint'));
  await waitFor(() => expect(told.closed).toBe(1));
  const [own] = (await backend.models.providers()).filter((one) => one.own);
  expect(own?.provider).toEqual({
    id: 'mine',
    baseUrl: 'https://other.example/v1',
    protocol: 'anthropic',
    contextTokens: 4096,
    plain: true,
  });
  expect(app.models?.chosen.default).toBe('mine/small');
});

test('what is written while it is tried is not what was tried', async () => {
  const { backend } = await form();
  let answer = () => {};
  const { test: ask } = backend.models;
  backend.models.test = async (id) => {
    await new Promise<void>((done) => (answer = done));
    return ask(id);
  };
  await write('endpoint-name', 'mine');
  await write('endpoint-address', 'http://127.0.0.1:8000/v1');
  await write('model-name', 'large');
  await submit();
  await waitFor(() => expect(screen.getByTestId('keep-key').getAttribute('aria-busy')).toBe('true'));
  await write('endpoint-address', 'http://127.0.0.1:9000/v1');
  answer();
  await waitFor(() => expect(screen.getByTestId('keep-key').getAttribute('aria-busy')).toBe(null));
  expect(screen.queryByTestId('use-endpoint')).toBe(null);
});

test('a name that is taken is refused at its field with what has it, and replaced by a press of its own only', async () => {
  const { backend } = await form();
  const old = { id: 'mine', baseUrl: 'https://old.example/v1', protocol: 'openai' } as never;
  await backend.models.addProvider(old, false);
  await backend.models.setKey('mine', 'sk-of-the-old-one');
  const address = async () => (await backend.models.providers()).find((one) => one.own)?.provider.baseUrl;
  await write('endpoint-name', 'mine');
  await write('endpoint-address', 'https://new.example/v1');
  for (let time = 0; time < 2; time += 1) {
    screen.getByTestId('endpoint-address').focus();
    await submit();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('endpoint-name')));
    await waitFor(() =>
      expect(faultAt('endpoint-name')).toBe(
        'mine is there already, at https://old.example/v1, and its key would go to this address. Give this one another name.',
      ),
    );
    expect(await address()).toBe('https://old.example/v1');
  }
  await write('endpoint-name', 'mine-too');
  expect([faultAt('endpoint-name'), screen.queryByTestId('replace-endpoint')]).toEqual(['', null]);
  await write('endpoint-name', 'mine');
  await fireEvent.click(screen.getByTestId('replace-endpoint'), { detail: 2 });
  expect(await address()).toBe('https://old.example/v1');
  await fireEvent.click(screen.getByTestId('replace-endpoint'), { detail: 1 });
  await waitFor(async () => expect(await address()).toBe('https://new.example/v1'));
});

test('an endpoint that is there is moved by its own form, and so is one that this form has just added', async () => {
  const { backend, told } = await form();
  await write('endpoint-name', 'mine');
  await write('endpoint-address', 'https://models.example/v1');
  await write('model-name', 'large');
  await submit();
  await waitFor(() => expect(faultAt('key-input')).not.toBe(''));
  await write('endpoint-address', 'http://127.0.0.1:8000/v1');
  await submit();
  await screen.findByTestId('use-endpoint');
  const mine = async () => (await backend.models.providers()).find((one) => one.own) ?? null;
  expect((await mine())?.provider.baseUrl).toBe('http://127.0.0.1:8000/v1');
  document.body.replaceChildren();
  const { app } = await appOn('sample');
  const close = () => void (told.closed += 1);
  mounted(
    EndpointForm,
    { view: await mine(), kept: async () => undefined, close },
    Object.assign(app, { backend }),
  );
  await write('endpoint-address', 'http://127.0.0.1:9000/v1');
  await submit();
  await waitFor(() => expect(told.closed).toBe(1));
  expect((await mine())?.provider.baseUrl).toBe('http://127.0.0.1:9000/v1');
});

test('what is wrong with an endpoint that is built in is told below, where the field that it is about is not to be changed', async () => {
  for (const [name, code] of [
    ['ollama', 'model_offline'],
    ['ollama', 'model_auth'],
    ['openai', 'model_unavailable'],
    ['openai', 'model_context_too_long'],
  ] as const) {
    const { backend } = await form(name);
    await write('model-name', 'large');
    backend.models.test = () => Promise.reject({ code, message: `${name} says ${code}` });
    await submit();
    const told = await screen.findByRole('alert');
    expect([told.textContent.trim(), document.querySelector('[aria-invalid="true"]')]).toEqual([
      `${name} says ${code}`,
      null,
    ]);
    document.body.replaceChildren();
  }
});

test('a test that fails puts the focus on the field at fault; where it is there already, what is wrong is said', async () => {
  const { backend } = await form('openai');
  await write('model-name', 'large');
  screen.getByTestId('model-name').focus();
  await submit();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('key-input')));
  expect(faultAt('key-input')).toContain('refuses the key');
  backend.models.test = () => Promise.reject({ code: 'model_missing', message: 'there is no such model' });
  screen.getByTestId('model-name').focus();
  await submit();
  await waitFor(() => expect(spoken().assertive).toBe('there is no such model'));
});
