import { fireEvent, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { text } from '../../shared/text';
import ChangeSaved from './ChangeSaved.svelte';
import Saved from './Saved.svelte';

const names = () => screen.queryAllByTestId('saved-open').map((one) => one.textContent);
const choose = async (row: number, id: string) => {
  const menu = screen.getAllByTestId('saved-menu')[row];
  if (!menu) throw new Error(`there is no row ${row}`);
  await fireEvent.click(menu);
  await fireEvent.click(screen.getByTestId(`saved-menu-${id}`));
};

test('saved plans are found by words and by tags', async () => {
  const { app } = await appOn('kept');
  mounted(Saved, { wrote: () => undefined }, app);
  await screen.findAllByTestId('saved-plan');
  expect(names().length).toBe(3);
  await fireEvent.input(screen.getByTestId('saved-search'), { target: { value: 'licence patents' } });
  expect(names()).toEqual(['Patents per licence']);
  await fireEvent.input(screen.getByTestId('saved-search'), { target: { value: 'moon' } });
  expect(screen.getByText(text.plan.kept.noMatch)).toBeTruthy();
  await fireEvent.input(screen.getByTestId('saved-search'), { target: { value: '' } });
  const tags = screen.getAllByTestId('saved-tag');
  expect(tags.map((one) => one.textContent.trim())).toEqual([text.plan.kept.everyTag, '#law', '#weekly']);
  await fireEvent.click(tags[2] as HTMLElement);
  expect(names()).toEqual(['Weekly report']);
  expect(tags[2]?.getAttribute('aria-pressed')).toBe('true');
});

test('a saved plan is looked at, changed, and removed once that is confirmed', async () => {
  const { app } = await appOn('kept');
  mounted(Saved, { wrote: () => undefined }, app);
  await screen.findAllByTestId('saved-plan');
  await fireEvent.click(screen.getByText('Patents per licence'));
  await vi.waitFor(() => expect(screen.getAllByTestId('saved-step').length).toBeGreaterThan(1));
  expect(screen.getByTestId('saved-message').textContent).toContain('patents');
  await fireEvent.click(screen.getByTestId('dialog-close'));

  const at = names().indexOf('Patents per licence');
  await choose(at, 'change');
  await fireEvent.input(screen.getByTestId('saved-name'), { target: { value: 'Weekly report' } });
  screen.getByTestId('change-yes').focus();
  await fireEvent.click(screen.getByTestId('change-yes'));
  await vi.waitFor(() => expect(screen.getByTestId('saved-name').getAttribute('aria-invalid')).toBe('true'));
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('saved-name')));
  await fireEvent.input(screen.getByTestId('saved-name'), { target: { value: 'Lines' } });
  await fireEvent.input(screen.getByTestId('saved-tags'), { target: { value: 'new' } });
  await fireEvent.click(screen.getByTestId('change-yes'));
  await vi.waitFor(() => expect(names()).toContain('Lines'));
  expect(screen.getAllByTestId('saved-tag').map((one) => one.textContent.trim())).toContain('#new');

  await choose(names().indexOf('Lines'), 'remove');
  await fireEvent.click(screen.getByTestId('remove-no'));
  expect(names()).toContain('Lines');
  await choose(names().indexOf('Lines'), 'remove');
  await fireEvent.click(screen.getByTestId('remove-yes'));
  await vi.waitFor(() => expect(names()).not.toContain('Lines'));
});

test('a saved plan is used in a new session of the folder that is shown, where it waits for a word', async () => {
  const { app, backend } = await appOn('kept');
  mounted(Saved, { wrote: () => undefined }, app);
  await screen.findAllByTestId('saved-plan');
  const before = backend.world.sessions.size;
  await choose(names().indexOf('Patents per licence'), 'use');
  expect(screen.getByTestId('into-folder').textContent).toContain(app.folder);
  const other = app.workspaces.find((one) => one.usable && one.path !== app.folder)?.path ?? '';
  await fireEvent.click(screen.getByTestId('workspace'));
  await fireEvent.click(screen.getByTestId(`workspace-${other}`));
  expect([
    screen.getByTestId('into-folder').textContent.includes(other),
    backend.world.sessions.size,
  ]).toEqual([true, before]);
  expect(document.activeElement).toBe(screen.getByTestId('workspace'));
  await fireEvent.click(screen.getByTestId('saved-use'));
  await vi.waitFor(() => expect(app.session?.waiting.length).toBe(1));
  expect(backend.world.sessions.size).toBe(before + 1);
  expect(app.route.view).toBe('session');
  expect(backend.world.session(app.session?.id ?? '').workspace).toBe(other);
});

test('who leaves it while a change is being kept is told in the window where that was refused', async () => {
  const { app, backend } = await appOn('kept');
  const [row] = await backend.library.list();
  let refuse = () => {};
  backend.library.tag = () => new Promise((_, fail) => (refuse = () => fail(new Error('the disk is full'))));
  const changed = vi.fn();
  const { unmount } = mounted(ChangeSaved as never, { row, close: () => undefined, changed }, app);
  await fireEvent.click(screen.getByTestId('change-yes'));
  unmount();
  refuse();
  await vi.waitFor(() => expect(app.error?.message).toBe('the disk is full'));
  expect(changed).toHaveBeenCalledOnce();
});

test('a saved plan that was left before it could be read closes no other one', async () => {
  const { app, backend } = await appOn('kept');
  const { get } = backend.library;
  let refuse = (_: Error) => {};
  backend.library.get = () => new Promise((_, no) => (refuse = no));
  mounted(Saved, { wrote: () => undefined }, app);
  await screen.findAllByTestId('saved-plan');
  await fireEvent.click(screen.getByText('Patents per licence'));
  await fireEvent.click(screen.getByTestId('dialog-close'));
  backend.library.get = get;
  await fireEvent.click(screen.getByText('Weekly report'));
  await screen.findAllByTestId('saved-step');
  refuse(new Error('the disk is gone'));
  await vi.waitFor(() => expect(app.error?.message).toBe('the disk is gone'));
  await Promise.resolve();
  expect(screen.queryByTestId('saved-dialog')).not.toBe(null);
});
