import { fireEvent, screen } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import Sidebar from './Sidebar.svelte';

beforeEach(() => localStorage.clear());

async function shown() {
  const { app } = await appOn('sample');
  app.go({ view: 'inbox' });
  mounted(Sidebar as never, { filter: '', showKeys: () => undefined }, app);
  const field = screen.getByTestId<HTMLInputElement>('session-filter');
  const write = (value: string) => fireEvent.input(field, { target: { value } });
  return { app, field, write };
}

test('an Enter or Escape that an input method takes neither searches nor empties the filter', async () => {
  const { app, field, write } = await shown();
  await write('計画');
  await fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
  await fireEvent.keyDown(field, { key: 'Escape', keyCode: 229 });
  expect([app.route, field.value]).toEqual([{ view: 'inbox' }, '計画']);
  await fireEvent.keyDown(field, { key: 'Enter' });
  expect(app.route).toEqual({ view: 'search', text: '計画' });
});

test('Escape empties the filter and leads elsewhere only from an empty one', async () => {
  const { field, write } = await shown();
  const led = vi.fn<(event: KeyboardEvent) => void>();
  window.addEventListener('keydown', led);
  await write('tax');
  await fireEvent.keyDown(field, { key: 'Escape' });
  expect([field.value, led.mock.calls.length]).toEqual(['', 0]);
  await fireEvent.keyDown(field, { key: 'Escape' });
  expect(led.mock.calls.length).toBe(1);
  window.removeEventListener('keydown', led);
});
