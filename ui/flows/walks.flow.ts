import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, startBrowser } from './browser';
import { focused, reach } from './keys';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('by keyboard alone: the first start leads to a model that is fetched, stopped, gone on with and used', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'first' });
  await page.getByTestId('welcome').waitFor();
  await reach(page, 'pull');
  await page.keyboard.press('Enter');
  await page.getByText('480.4 MB of 1.1 GB').waitFor();
  await expect.poll(() => focused(page)).toBe('stop-pull');
  await page.keyboard.press('Enter');
  await page.getByText('What came is kept').waitFor();
  await expect.poll(() => focused(page)).toBe('pull');
  await page.keyboard.press('Enter');
  await page.getByText('670.4 MB of 1.1 GB').waitFor();
  await advance(1);
  await page.getByText('Ready: Qwen2.5-Coder 1.5B Instruct plans and works.').waitFor();
  await expect.poll(() => focused(page)).toBe('test-model');

  await reach(page, 'welcome-keys');
  await page.keyboard.press('Enter');
  await reach(page, 'add-endpoint');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('endpoint-name');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('add-endpoint');
  expect(await page.getByTestId('endpoint-form').count()).toBe(0);

  await reach(page, 'welcome-go');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('composer');
  await reach(page, 'example');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('composer');
  await expect.poll(() => page.getByTestId('composer').inputValue()).toContain('For each licence here');
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard alone: an endpoint is added, mended, tried, used, given a key and removed; Escape leaves a form and then the settings', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('plan-card').waitFor();
  await page.keyboard.press('Control+,');
  await reach(page, 'add-endpoint');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('endpoint-name');
  await page.keyboard.type('mine');
  await reach(page, 'endpoint-address');
  await page.keyboard.type('https://models.invalid/v1');
  await reach(page, 'protocol-openai');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toBe('protocol-anthropic');
  await page.keyboard.press('ArrowUp');
  await reach(page, 'model-name');
  await page.keyboard.type('large');
  await page.keyboard.press('Enter');
  await page.getByText('nobody answers at https://models.invalid/v1').waitFor();
  await expect.poll(() => focused(page)).toBe('endpoint-address');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('https://models.example/v1');
  await reach(page, 'key-input');
  await page.keyboard.type('sk-secret');
  await page.keyboard.press('Enter');
  await page.getByTestId('use-endpoint').waitFor();
  await reach(page, 'use-endpoint');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('add-endpoint');
  await expect.poll(() => page.getByTestId('role-default').inputValue()).toBe('mine/large');

  await reach(page, 'edit-key');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('key-input');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('edit-key');
  await page.getByTestId('remove-endpoint').waitFor();
  await reach(page, 'remove-endpoint');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('remove-no');
  await reach(page, 'remove-yes');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('remove-endpoint').count()).toBe(0);
  await expect.poll(() => focused(page)).not.toBe('BODY');
  await page.keyboard.press('Escape');
  await page.getByTestId('turns').waitFor();
  await expect.poll(() => focused(page)).toBe('composer');
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard alone: a tool is found, its form filled and mended, called, shown in its session, and left by Escape', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await reach(page, 'nav-tools');
  await page.keyboard.press('Enter');
  await page.getByTestId('tool').first().waitFor();
  await reach(page, 'tool-search');
  await page.keyboard.type('search the text of files');
  await expect.poll(() => page.getByTestId('tool').first().locator('code').first().innerText()).toBe('grep');
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('SUMMARY');
  await page.keyboard.press('Enter');
  await reach(page, 'try');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('field-pattern');
  await reach(page, 'try-call');
  await page.keyboard.press('Enter');
  await page.getByText('This is needed.').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('try');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('field-pattern');
  await page.keyboard.type('patent');
  await reach(page, 'try-call');
  await page.keyboard.press('Enter');
  await page.getByTestId('try-outcome').waitFor();
  await advance();
  await page.getByText('"GPL-3": 57').waitFor();
  await reach(page, 'try-show');
  await page.keyboard.press('Enter');
  await page.getByTestId('ledger-call').waitFor();
  await expect.poll(() => focused(page)).toBe('composer');
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard alone: a plan file is mended at its faults and taken; Escape leaves the dialog and gives the focus back', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'question' });
  await reach(page, 'nav-plans');
  await page.keyboard.press('Enter');
  await page.getByTestId('library-plan').first().waitFor();
  await reach(page, 'import');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('import-again');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('import');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('import-again');
  // The folder is shown, and another one is chosen without leaving the dialog.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await expect.poll(() => focused(page)).toBe('workspace');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitemradio').first().waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('workspace');
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByTestId('import-fault').first().waitFor();
  await reach(page, 'import-fault');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('import-text');
  await page.keyboard.press('Control+a');
  const mended = {
    format: 'assent.plan/1',
    title: 'From a file',
    steps: [{ id: 's1', description: 'Count' }],
  };
  await page.keyboard.type(JSON.stringify(mended));
  await reach(page, 'import-again');
  await page.keyboard.press('Enter');
  await page.getByTestId('plan-card').waitFor();
  await expect.poll(() => focused(page)).toBe('composer');
  expect(complaints).toEqual([]);
  await close();
});
