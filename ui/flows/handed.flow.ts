import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe';
import { open, startBrowser } from './browser';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('the parts of a step that was handed on stand below it, live; each is opened from the list, the graph and the trail', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'handed' });
  await page.getByTestId('session').filter({ hasText: 'Bring the archive in order' }).first().click();
  const trail = () => page.getByTestId('trail-step').allInnerTexts();
  await expect
    .poll(async () => (await trail()).map((one) => one.replace(/\s+/g, ' ')))
    .toEqual([
      '1 Bring the archive in order',
      '1.2 Ask for the years that no text names',
      '1.2.1 Ask for the year of “Artistic”',
    ]);
  await page.getByTestId('inspector-tab-steps').click();
  const rows = page.getByTestId('inspect-step');
  await expect
    .poll(() => rows.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['depth'])))
    .toEqual(['0', '1', '1', '2', '0']);
  const starts = await rows.evaluateAll((all) =>
    all.map((one) => one.children[0]?.getBoundingClientRect().x ?? 0),
  );
  const [whole = 0, part = 0, , ofPart = 0, last = 0] = starts;
  expect([part > whole, ofPart > part, last === whole]).toEqual([true, true, true]);
  await expect.poll(() => rows.nth(3).innerText()).toContain('waits');
  expect(await violations(page)).toEqual([]);
  await expect
    .poll(() => page.getByTestId('ledger-call').allInnerTexts())
    .toEqual([expect.stringContaining('grep'), expect.stringContaining('ask_user')]);

  await page.getByTestId('trail-step').nth(2).click();
  await expect
    .poll(() => page.getByTestId('step-detail').innerText())
    .toContain('1.2.1 Ask for the year of “Artistic”');
  await page.getByTestId('step-above').click();
  await expect
    .poll(() => page.getByTestId('part').allInnerTexts())
    .toEqual([expect.stringContaining('1.2.1')]);
  await page.getByTestId('step-back').click();

  await page.getByTestId('option').first().click();
  await page.getByTestId('request-answer').click();
  await expect.poll(() => page.getByTestId('request').count()).toBe(0);
  await advance();
  await expect.poll(() => rows.nth(3).innerText()).toContain('done');
  await page.getByTestId('inspector-tab-graph').click();
  await page.locator('[data-node="s1/2/1"]').focus();
  await page.keyboard.press('ArrowDown');
  await expect
    .poll(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset['node']))
    .toBe('s2');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('step-detail').innerText()).toContain('1.2.1');
  expect(complaints).toEqual([]);
  await close();
});
