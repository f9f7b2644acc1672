import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, settled, startBrowser } from './browser';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('where the sheet was moved is for one plan only: that of another session is shown as it comes', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'question' });
  const visit = async (title: string) => {
    await page.getByTestId('session').filter({ hasText: title }).first().click();
    await page.getByTestId('node').first().waitFor();
    await settled(page);
  };
  const percent = () => page.getByTestId('zoom-percent').innerText();
  await visit('Patents with a question');
  const before = await percent();
  await visit('Patents in the licences');
  for (let times = 0; times < 5; times += 1) await page.getByTestId('zoom-out').click();
  await expect.poll(percent).not.toBe(before);
  await visit('Patents with a question');
  await expect.poll(percent).toBe(before);
  expect(complaints).toEqual([]);
  await close();
});
