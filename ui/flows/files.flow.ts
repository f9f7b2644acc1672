import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe';
import { open, startBrowser } from './browser';
import { engine } from './engine';
import { focused, reach } from './keys';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const given = (page: Page) => engine(page, ({ opened, shown }) => ({ opened, shown }));

test('a file that a run made stands under its answer; by keys it is opened in its program and shown in its folder', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'done' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await expect
    .poll(() => page.getByTestId('file').allInnerTexts())
    .toEqual([expect.stringContaining('patents.md')]);
  await expect.poll(() => page.getByTestId('file').innerText()).toMatch(/created, 5 lines/);
  expect(await page.getByTestId('file-compare').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.getByTestId('copy-answer').focus();
  await reach(page, 'file-open');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await given(page)).opened).toEqual(['patents.md']);
  await reach(page, 'file-show');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await given(page)).shown).toEqual(['patents.md']);
  expect(complaints).toEqual([]);
  await close();
});

test('a file that a run changed says what changed, and puts that away again', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'change' });
  await page.getByTestId('session').filter({ hasText: 'Bring the notes up to date' }).first().click();
  await page.getByTestId('request-approve').click();
  expect(await page.getByTestId('files').count()).toBe(0);
  await advance();
  await expect.poll(() => page.getByTestId('file').innerText()).toMatch(/patents\.md\s+changed/);
  await page.getByTestId('file-compare').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('changed-line').count()).toBe(9);
  await expect.poll(() => page.getByTestId('file-compare').getAttribute('aria-expanded')).toBe('true');
  expect(await violations(page)).toEqual([]);
  await expect.poll(() => focused(page)).toBe('file-compare');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('changed-line').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('a run that wrote nothing has no files under its answer', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'looking' });
  await page.getByTestId('session').filter({ hasText: 'Only look' }).first().click();
  await page.getByTestId('approve').click();
  await advance();
  await page.getByTestId('answer').waitFor();
  expect(await page.getByTestId('files').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});
