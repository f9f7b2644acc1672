import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe';
import { open, startBrowser } from './browser';
import { engine } from './engine';
import { focused, reach } from './keys';
import { go, look, session, type Screen } from './screen';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('by keyboard: one step is planned anew with a comment; the plan stays until the next version is there', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'proposed' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('step').nth(1).focus();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Plan this step anew' }).click();
  await expect.poll(() => focused(page)).toBe('rework-input');
  await page.keyboard.type('the longest first');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('reworking').innerText()).toContain('being planned anew');
  await expect.poll(() => page.getByTestId('rework-input').count()).toBe(0);
  await expect.poll(() => focused(page)).toBe('step');
  await expect.poll(() => page.getByTestId('plan-version').innerText()).toBe('plan v1');
  await advance();
  await expect.poll(() => page.getByTestId('plan-version').innerText()).toBe('plan v2');
  await expect
    .poll(() => page.getByTestId('step').nth(1).innerText())
    .toContain('draft the table: the longest first');
  await expect.poll(() => page.getByTestId('reworking').count()).toBe(0);
  await expect
    .poll(() => page.getByTestId('said').textContent())
    .toContain('Step 2 was planned anew. Version 2 waits for your word.');
  await page.getByTestId('approve').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a step is not planned anew over unsaved changes, and says why', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('plan-title').fill('Another title');
  await page.getByTestId('plan-title').press('Enter');
  await expect.poll(() => page.getByTestId('plan-version').innerText()).toBe('plan v1, changed');
  await page.getByTestId('step').nth(1).focus();
  await page.keyboard.press('Shift+F10');
  const item = page.getByRole('menuitem', { name: 'Plan this step anew' });
  await expect.poll(() => item.getAttribute('aria-disabled')).toBe('true');
  // As a mouse would: it is there, and does nothing.
  await item.click({ force: true });
  expect(await page.getByTestId('rework-input').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard: who stands below whom, with which tools and from where, and through whom the work goes now', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'handed' });
  await page.getByTestId('session').filter({ hasText: 'Bring the archive in order' }).first().click();
  await page.getByTestId('trail-step').first().waitFor();
  await page.getByTestId('nav-tools').click();
  const told = async () =>
    (await page.getByTestId('heap-entry').allInnerTexts()).map((one) => one.replace(/\s+/g, ' '));
  const busy = async () =>
    (await told()).filter((one) => one.includes('at work now')).map((one) => one.split(' ')[0]);
  await expect.poll(busy).toEqual(['general', 'archive']);
  const part = page.getByTestId('heap-entry').filter({ hasText: 'archive__part1' });
  const above = page.getByTestId('heap-entry').filter({ hasText: 'from your pack mine' });
  const [inner, outer] = [await part.boundingBox(), await above.boundingBox()];
  expect((inner?.x ?? 0) > (outer?.x ?? 0)).toBe(true);
  expect(await part.innerText()).toContain('grep');
  await page.getByText('At most 8 tools each beside those that ask you').waitFor();
  expect(await violations(page)).toEqual([]);
  await reach(page, 'heap-form');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await told()).some((one) => one.startsWith('archive '))).toBe(false);
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard: the studio is opened, what it brings is there at once, and goes when it is closed', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('nav-tools').click();
  await page.getByTestId('studio').waitFor();
  const made = () => page.getByTestId('tool').filter({ hasText: 'create_agent' }).count();
  const makers = () => page.getByText('Makes and changes agents.').count();
  expect([await page.getByTestId('studio').isChecked(), await made(), await makers()]).toEqual([false, 0, 0]);
  await reach(page, 'studio');
  await page.keyboard.press('Space');
  await expect.poll(() => page.getByTestId('said').textContent()).toContain('The studio is open');
  await expect.poll(made).toBe(1);
  await expect.poll(makers).toBe(1);
  await page.keyboard.press('Space');
  await expect.poll(made).toBe(0);
  await expect.poll(makers).toBe(0);
  await engine(page, (world) =>
    world.failures.push({ code: 'invalid', message: 'the studio cannot be opened: there is no folder' }),
  );
  await page.keyboard.press('Space');
  await expect.poll(() => page.getByTestId('studio').isChecked()).toBe(false);
  await page.getByText('the studio cannot be opened').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard: a folder of one’s own is looked at, becomes a pack once nothing is wrong with it, and is removed', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('nav-tools').click();
  await page.getByTestId('add-own-pack').waitFor();
  await reach(page, 'add-own-pack');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('pack-folder');
  await page.keyboard.type('/home/ada/broken');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('pack-fault').count()).toBe(2);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('/home/ada/letters');
  await page.keyboard.press('Enter');
  await page.getByTestId('pack-fine').waitFor();
  expect(await page.getByTestId('pack-files').innerText()).toContain('agents/reader.toml');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('add-own-pack');
  const own = page.getByTestId('pack').filter({ hasText: 'letters' });
  expect(await own.innerText()).toContain('your own');
  await own.getByTestId('remove-pack').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('remove-pack-no');
  await reach(page, 'remove-pack-yes');
  await page.keyboard.press('Enter');
  await expect.poll(() => own.count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard: a source gets the key for its host, which is never shown, and forgets it', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('nav-tools').click();
  await page.getByTestId('add-source').click();
  await page.getByTestId('source-folder').fill('/home/ada/tickets');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('source-key').innerText()).toContain('tickets.example.com no key');
  await reach(page, 'give-key');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('source-key-input');
  await page.keyboard.type('tk-12345');
  expect(await page.getByTestId('source-key-input').getAttribute('type')).toBe('password');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('source-key').innerText()).toContain('key in the keyring');
  await expect.poll(() => focused(page)).toBe('give-key');
  expect(await page.content()).not.toContain('tk-12345');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('source-key-input').inputValue()).toBe('');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('give-key');
  await page.getByTestId('forget-key').click();
  await expect.poll(() => focused(page)).toBe('forget-no');
  expect(await violations(page)).toEqual([]);
  await page.getByTestId('forget-yes').click();
  await expect.poll(() => page.getByTestId('source-key').innerText()).toContain('no key');
  await expect.poll(() => page.getByTestId('forget-key').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

const heap = (scene: string, title?: string): Screen => ({
  scene,
  go: async (page) => {
    if (title) await session(title)(page);
    await go(page, 'tools');
    await page.getByTestId('heap-entry').first().waitFor();
    await page.getByTestId('heap-entry').first().scrollIntoViewIfNeeded();
  },
});
const pack = (folder: string, shown: string): Screen => ({
  scene: 'sample',
  go: async (page) => {
    await go(page, 'tools');
    await page.getByTestId('add-own-pack').click();
    await page.getByTestId('pack-folder').fill(folder);
    await page.keyboard.press('Enter');
    await page.getByTestId(shown).first().waitFor();
    await page.getByTestId(shown).first().scrollIntoViewIfNeeded();
  },
});
look({
  'a folder of tools with keys is to go': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'tools');
      await page.getByTestId('add-source').click();
      await page.getByTestId('source-folder').fill('/home/ada/tickets');
      await page.keyboard.press('Enter');
      await page.getByTestId('remove-source').click();
      await page.getByTestId('forget-secret').waitFor();
    },
  },
  'a pack of one’s own is to go': {
    scene: 'sample',
    go: async (page) => {
      await page.getByTestId('nav-tools').click();
      await page.getByTestId('add-own-pack').click();
      await page.getByTestId('pack-folder').fill('/home/ada/letters');
      await page.keyboard.press('Enter');
      await page.getByTestId('pack-fine').waitFor();
      await page.keyboard.press('Enter');
      const own = page.getByTestId('pack').filter({ hasText: 'letters' });
      await own.getByTestId('remove-pack').click();
      await page.getByTestId('remove-pack-asked').waitFor();
    },
  },
  'a step of nobody in particular': {
    scene: 'discovery',
    go: async (page) => {
      await session('The list on the web')(page);
      await page.getByTestId('inspector-tab-steps').click();
      await page.getByTestId('inspect-step').first().click();
      await page.getByTestId('step-way').scrollIntoViewIfNeeded();
    },
  },
  'why a part was handed on': {
    scene: 'handed',
    go: async (page) => {
      await session('Bring the archive in order')(page);
      await page.getByTestId('inspector-tab-steps').click();
      await page.getByTestId('inspect-step').filter({ hasText: 'Ask for the year of' }).click();
      await page.getByText('the only one').waitFor();
      await page.getByTestId('step-way').scrollIntoViewIfNeeded();
    },
  },
  'the heap at work': heap('handed', 'Bring the archive in order'),
  'a pack with faults': pack('/home/ada/broken', 'pack-fault'),
  'a pack that can be added': pack('/home/ada/letters', 'pack-fine'),
  'a pack with something to note': pack('/home/ada/instead', 'pack-note'),
  'a pack with faults, narrow': { ...pack('/home/ada/broken', 'pack-fault'), width: 480, height: 900 },
});
