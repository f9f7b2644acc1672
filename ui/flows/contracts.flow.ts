import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe';
import { open, startBrowser } from './browser';
import { focused, reach } from './keys';
import { go, look } from './screen';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('by keyboard: a contract is searched for, read and copied, and one is opened from a specialist', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('nav-tools').click();
  await page.getByTestId('contract').first().waitFor();
  await reach(page, 'contract-search');
  await page.keyboard.type('plan_gen');
  await expect.poll(() => page.getByTestId('contract').count()).toBe(1);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const field = page.getByTestId('contract-field');
  await expect.poll(() => field.first().innerText()).toContain('required');
  const [outer, inner] = [await field.nth(2).boundingBox(), await field.nth(3).boundingBox()];
  expect((inner?.x ?? 0) > (outer?.x ?? 0)).toBe(true);
  await page.getByText('# Collected Information for https://example.com').waitFor();
  expect(await violations(page)).toEqual([]);
  await reach(page, 'copy-contract');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('said').textContent()).not.toBe('');
  await page.getByTestId('heap-tool').filter({ hasText: 'grep' }).first().click();
  await expect.poll(() => field.first().innerText()).toContain('pattern');
  await expect.poll(() => focused(page)).toBe('contract-row');
  expect(complaints).toEqual([]);
  await close();
});

const read = async (page: Parameters<typeof go>[0]) => {
  await go(page, 'tools');
  await page.getByTestId('contract-search').fill('plan_gen');
  await page.getByTestId('contract-row').first().click();
  await page.getByTestId('contract-field').first().waitFor();
  await page.getByTestId('contract').first().scrollIntoViewIfNeeded();
};
look({
  'a contract': { scene: 'sample', go: read },
  'a contract in a narrow window': { scene: 'sample', width: 480, height: 900, go: read },
});
