import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { open, startBrowser } from './browser';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('a request: its plan appears step by step, is approved by key, waits for a word, and is answered', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('composer').fill('Which licences mention patents?');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await advance(3);
  await page.getByText('Find every mention').waitFor();
  expect(await page.getByText('Write the table to patents.md').count()).toBe(0);
  await advance();
  await page.getByTestId('plan-card').waitFor();
  expect(await page.getByTestId('step').count()).toBe(4);
  expect((await page.getByTestId('may').innerText()).replace(/\s+/g, ' ')).toBe(
    'May read the whole folder and write patents.md. No network, no commands. About 7 model calls.',
  );
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('decided').waitFor();
  await advance(3);
  await page.getByTestId('progress').waitFor();
  await advance(14);
  expect(await page.getByTestId('strip').innerText()).toContain('of 4');
  expect(complaints).toEqual([]);
  await close();
});

test('sessions: found by a word, renamed by F2, archived, taken back, deleted after a question', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  const titles = () => page.getByTestId('session').allInnerTexts();
  await page.getByTestId('session-filter').fill('csv sales');
  expect((await titles()).map((title) => title.split('\n')[0])).toEqual(['Compare the two CSVs']);
  await page.getByTestId('session-filter').fill('');
  const first = page.getByTestId('session').first();
  await first.focus();
  await page.keyboard.press('F2');
  await page.getByTestId('rename-input').fill('News of example.org');
  await page.keyboard.press('Enter');
  await page.getByText('News of example.org').first().waitFor();

  await page.getByTestId('session').first().hover();
  await page.getByTestId('session-menu').first().click();
  await page.getByTestId('session-menu-archive').click();
  await page.getByTestId('toggle-archived').click();
  expect(await titles()).toHaveLength(1);
  await page.getByTestId('session').first().focus();
  await page.keyboard.press('Delete');
  await page.getByTestId('delete-yes').click();
  await page.getByTestId('toggle-archived').click();
  expect(await titles()).toHaveLength(3);
  expect(complaints).toEqual([]);
  await close();
});

test('a plain question is answered as Markdown, as it comes, with code that can be copied', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('composer').fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await advance(6);
  await page.getByTestId('streaming').waitFor();
  await advance();
  await page.getByTestId('answer').waitFor();
  expect(await page.getByTestId('answer').locator('table td').first().innerText()).toBe('search your files');
  await page.getByTestId('copy-code').click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('grep -ci patent *\n');
  expect(await page.getByTestId('said').textContent()).toContain('Assent has answered');
  expect(complaints).toEqual([]);
  await close();
});
