import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
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
