import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, startBrowser } from './browser';
import { focused, reach } from './keys';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('by keyboard alone: a folder of tools is added, one of its tools is tried, and the folder is removed', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  const names = () => page.getByTestId('tool').locator('code').first().innerText();
  await reach(page, 'nav-tools');
  await page.keyboard.press('Enter');
  await reach(page, 'add-source');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('source-folder');
  await page.keyboard.type('/home/ada/tickets');
  await expect.poll(() => page.getByTestId('source-name').inputValue()).toBe('tickets');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('source').innerText()).toContain('2 tools');
  await expect.poll(() => focused(page)).toBe('add-source');
  await expect
    .poll(() => page.getByTestId('source-faults').innerText())
    .toContain('2 descriptions cannot be used');

  await page.getByTestId('filter-source').selectOption('catalogue/tickets');
  await expect.poll(() => page.getByTestId('tool').count()).toBe(2);
  await expect.poll(() => names()).toBe('tickets.create');
  await page.getByTestId('tool').first().click();
  await page.getByTestId('try').click();
  // An enumeration with a default, a list, and an object each have a field of their own.
  await expect.poll(() => page.getByTestId('field-priority').inputValue()).toBe('normal');
  await page.getByTestId('field-title').fill('The table is wrong');
  await page.getByTestId('field-labels').fill('table\nurgent');
  await page.getByTestId('field-reporter').fill('{"name": "Ada"');
  await page.getByTestId('try-call').click();
  await expect.poll(() => page.getByTestId('field-reporter').getAttribute('aria-invalid')).toBe('true');
  await page.getByTestId('field-reporter').fill('{"name": "Ada"}');
  await page.getByTestId('try-call').click();
  await advance();
  await page.getByTestId('try-show').click();
  await page.getByTestId('ledger-call').waitFor();

  await reach(page, 'nav-tools');
  await page.keyboard.press('Enter');
  await reach(page, 'remove-source');
  await page.keyboard.press('Enter');
  // Its keys go with it, which is asked first.
  await expect.poll(() => focused(page)).toBe('forget-no');
  await reach(page, 'forget-yes');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('source').count()).toBe(0);
  const sources = () => page.getByTestId('filter-source').locator('option').allInnerTexts();
  await expect.poll(sources).not.toContain('tickets');
  expect(complaints).toEqual([]);
  await close();
});

test('the meter leads to which tools a request had, what was left out and why, and what was looked for', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'discovery' });
  await page.getByTestId('session').filter({ hasText: 'The list on the web' }).first().click();
  await expect
    .poll(async () => (await page.getByTestId('tool-meter').textContent())?.replace(/\s+/g, ' ').trim())
    .toMatch(
      /^Tools: \d+\/3\.8k tokens in the newest request, of step 2\. 1 tool left out\. Show which tools, and why$/,
    );
  await reach(page, 'tool-meter');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('shown-tools').innerText()).toContain('required by the step');
  await expect.poll(() => page.getByTestId('left-out').innerText()).toContain('no tokens left in the budget');
  const searches = () => page.getByTestId('searches').innerText();
  await expect.poll(() => searches()).toContain('fetch a web page as text');
  await expect.poll(() => searches()).toMatch(/fetch_page\s+called\s+1\.30/);
  await expect.poll(() => searches()).toContain('not used');
  await expect.poll(() => searches()).toContain('Compared by words alone, not by meaning.');
  await expect.poll(() => page.getByTestId('for-message').innerText()).toContain('fetch_page');

  await page.getByTestId('nav-tools').click();
  await expect
    .poll(() => page.getByTestId('tool').filter({ hasText: 'glob' }).getByTestId('loaded').innerText())
    .toBe('in the newest request, required by the step');
  await page.getByTestId('filter-source').selectOption('In the newest request');
  await expect.poll(() => page.getByTestId('tool').count()).toBeLessThan(5);
  await expect
    .poll(async () => (await page.getByTestId('loaded').count()) === (await page.getByTestId('tool').count()))
    .toBe(true);
  expect(complaints).toEqual([]);
  await close();
});
