import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { afterEach, expect, test, vi } from 'vitest';
import { appOn, mounted } from '../app/mounted.test-data';
import { spoken } from '../shared/announce.svelte';
import { copyBy } from '../shared/clipboard';
import LinkMenu from './LinkMenu.svelte';

const page = document.createElement('div');
page.innerHTML = `<p>Words <em>beside</em> <a href="https://example.org/page"><b>there</b></a></p>
  <input value="written" />`;

afterEach(() => {
  getSelection()?.removeAllRanges();
  page.remove();
});

/** The page with the menu, and what its links opened. */
async function shown() {
  const { app, backend } = await appOn('sample');
  const opened = vi.spyOn(backend.desktop, 'openLink');
  document.body.append(page);
  mounted(LinkMenu as never, {}, app);
  return { app, opened };
}

/** Whether the second button of the mouse shows the system's menu. */
const isLeft = (selector: string) => fireEvent.contextMenu(page.querySelector(selector) as Element);

test('a link has a menu that opens it outside or copies its address, and gives the focus back', async () => {
  const { opened } = await shown();
  const copied = vi.fn<(text: string) => Promise<void>>(async () => undefined);
  copyBy(copied);
  expect(await isLeft('a b')).toBe(false);
  const [open, copy] = await screen.findAllByRole('menuitem');
  expect([document.activeElement, open?.textContent]).toEqual([
    open,
    expect.stringContaining('https://example.org/page'),
  ]);
  await fireEvent.click(open as Element);
  expect(opened).toHaveBeenCalledExactlyOnceWith('https://example.org/page');
  expect([screen.queryByRole('menu'), document.activeElement]).toEqual([null, page.querySelector('a')]);
  expect(copy?.isConnected).toBe(false);

  await isLeft('a');
  await fireEvent.click(await screen.findByTestId('link-copy'));
  await waitFor(() => expect(spoken().polite).toMatch(/Copied$/));
  expect(copied).toHaveBeenCalledExactlyOnceWith('https://example.org/page');
});

test('where text is written or chosen the menu is that of the system, and nowhere that of a browser', async () => {
  await shown();
  expect(await isLeft('p em')).toBe(false);
  expect(await isLeft('input')).toBe(true);
  getSelection()?.selectAllChildren(page.querySelector('em') as Element);
  expect([await isLeft('p em'), await isLeft('a')]).toEqual([true, false]);
  expect(screen.getAllByRole('menuitem')).toHaveLength(2);
  // A word that the engine selects for its menu was not chosen.
  getSelection()?.removeAllRanges();
  const em = page.querySelector('em') as Element;
  await fireEvent.mouseDown(em, { button: 2 });
  getSelection()?.selectAllChildren(em);
  expect(await isLeft('p em')).toBe(false);
});

test('of a long address the menu tells where it leads, and of one that hides it behind a name', async () => {
  await shown();
  const link = page.querySelector('a') as HTMLAnchorElement;
  const [usual, words] = [
    link.href,
    async () => {
      await isLeft('a');
      const said = (await screen.findByTestId('link-open')).textContent.trim();
      await fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' });
      return said;
    },
  ];
  link.href = `https://example.org/${'a'.repeat(5_000)}/end`;
  expect(await words()).toMatch(/^Open\s*example\.org …a+\/end$/);
  link.href = 'https://bank.example.com@example.org/';
  expect(await words()).toMatch(/^Open\s*example\.org …/);
  link.href = 'mailto:ada@example.org';
  expect(await words()).toMatch(/^Open\s*mailto:ada@example\.org$/);
  link.href = usual;
});

test('the menu goes when another view is shown, or the focus goes elsewhere', async () => {
  const { app } = await shown();
  await isLeft('a');
  await screen.findByRole('menu');
  app.go({ view: 'plans' });
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  await isLeft('a');
  await screen.findByRole('menu');
  page.querySelector('input')?.focus();
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
});

test('a menu that something else has shown is the only one', async () => {
  await shown();
  const link = page.querySelector('a') as Element;
  link.addEventListener('contextmenu', (event) => event.preventDefault(), { once: true });
  await isLeft('a b');
  expect(screen.queryByRole('menu')).toBeNull();
});
