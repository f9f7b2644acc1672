import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, startBrowser } from './browser';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('from a session that was found a button leads back to what was found; one that is opened by itself has none', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'done' });
  await page.getByTestId('session').first().click();
  await page.getByTestId('turns').waitFor();
  expect(await page.getByTestId('back-to-found').count()).toBe(0);
  await page.getByTestId('session-filter').fill('patents');
  await page.keyboard.press('Enter');
  const hits = page.getByTestId('hit');
  await hits.first().waitFor();
  const all = await hits.count();
  await hits.last().click();
  await page.getByTestId('turns').waitFor();
  await page.getByTestId('back-to-found').click();
  await expect.poll(() => hits.count()).toBe(all);
  expect(await page.getByTestId('search-input').inputValue()).toBe('patents');
  expect(complaints).toEqual([]);
  await close();
});
