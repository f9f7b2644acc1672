import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe';
import { open, settled, startBrowser } from './browser';
import { focused } from './keys';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const show = (page: Page, title: string) =>
  page.getByTestId('session').filter({ hasText: title }).first().click();

/** Opens the field for a comment on a step, by keys. */
async function comment(page: Page, step: number): Promise<void> {
  await page.getByTestId('step').nth(step).focus();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Comment' }).click();
  await expect.poll(() => focused(page)).toBe('comment-input');
}

test('a comment, a step to add and a reason that are half written are there again: over another view, and in another window', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await show(page, 'Patents in the licences');
  await comment(page, 1);
  await page.keyboard.type('The longest first');
  await page.getByTestId('add-step').click();
  await expect.poll(() => focused(page)).toBe('add-input');
  await page.keyboard.type('Tell me the sum');
  await page.getByTestId('reject').click();
  await expect.poll(() => focused(page)).toBe('note');
  await page.keyboard.type('Too many steps');

  const there = async () => {
    await expect.poll(() => page.getByTestId('comment-input').inputValue()).toBe('The longest first');
    await expect.poll(() => page.getByTestId('add-input').inputValue()).toBe('Tell me the sum');
    await expect.poll(() => page.getByTestId('note').inputValue()).toBe('Too many steps');
  };
  await page.keyboard.press('Control+,');
  await page.getByTestId('settings').waitFor();
  await page.keyboard.press('Escape');
  await there();
  await page.reload();
  await show(page, 'Patents in the licences');
  await there();
  expect(['comment-input', 'add-input', 'note']).not.toContain(await focused(page));
  expect(await violations(page)).toEqual([]);

  await page.getByTestId('comment-input').press('Enter');
  await expect.poll(() => page.getByTestId('comment-input').count()).toBe(0);
  await expect.poll(() => page.getByTestId('step').nth(1).innerText()).toContain('The longest first');
  await page.getByTestId('note').press('Escape');
  await page.getByTestId('reject').click();
  await expect.poll(() => page.getByTestId('note').inputValue()).toBe('Too many steps');
  await page.getByTestId('decide').click();
  await expect.poll(() => page.getByTestId('decided').innerText()).toContain('Too many steps');
  await page.reload();
  await show(page, 'Patents in the licences');
  await page.getByTestId('plan-card').waitFor();
  await expect.poll(() => page.getByTestId('comment-input').count()).toBe(0);
  await expect.poll(() => page.getByTestId('note').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('a comment that is half written in a long list is there again once its step is', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'large' });
  await show(page, 'A plan of 500 steps');
  await comment(page, 1);
  await page.keyboard.type('Not this one');
  // The step that keys reach stays in the document, wherever the list is scrolled: that is another one now.
  await page.getByTestId('step').nth(4).focus();
  await page.getByTestId('composer').focus();
  const list = page.locator('.long');
  await list.evaluate((frame) => (frame.scrollTop = frame.scrollHeight));
  await expect.poll(() => page.getByTestId('comment-input').count()).toBe(0);
  await list.evaluate((frame) => (frame.scrollTop = 0));
  await expect.poll(() => page.getByTestId('comment-input').inputValue()).toBe('Not this one');
  expect(await focused(page)).not.toBe('comment-input');
  expect(complaints).toEqual([]);
  await close();
});

test('a field of a step that is left by a key for another view has changed the step, once', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await show(page, 'Patents in the licences');
  await page.getByTestId('step').nth(1).click();
  await expect.poll(() => focused(page)).toBe('edit-description');
  await page.getByTestId('edit-description').fill('Rank the files, the longest first');
  await page.keyboard.press('Control+,');
  await page.getByTestId('settings').waitFor();
  await page.keyboard.press('Escape');
  await expect
    .poll(() => page.getByTestId('step').nth(1).innerText())
    .toContain('Rank the files, the longest first');
  await expect.poll(() => page.getByTestId('plan-version').innerText()).toBe('plan v1, changed');
  await page.getByTestId('undo').click();
  await expect.poll(() => page.getByTestId('step').nth(1).innerText()).toContain('draft the table');
  await expect.poll(() => page.getByTestId('undo').getAttribute('aria-disabled')).toBe('true');
  expect(complaints).toEqual([]);
  await close();
});

test('a value of the plan and a number of the settings that are left by a key for another view are taken, one left by Escape is not', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await show(page, 'Patents in the licences');
  const value = page.locator('[data-value="output"]');
  const write = async (words: string) => {
    await value.click();
    await expect.poll(() => focused(page)).toBe('TEXTAREA');
    await page.keyboard.type(words);
  };
  await write('mine.md');
  await page.keyboard.press('Control+,');
  await page.getByTestId('tool-budget').fill('1234');
  await page.keyboard.press('Control+n');
  await page.getByTestId('new-request').waitFor();
  await page.keyboard.press('Control+,');
  await expect.poll(() => page.getByTestId('tool-budget').inputValue()).toBe('1234');

  await show(page, 'Patents in the licences');
  await expect.poll(() => value.innerText()).toContain('mine.md');
  await expect.poll(() => page.getByTestId('plan-version').innerText()).toBe('plan v1, changed');
  await write('theirs.md');
  await page.keyboard.press('Escape');
  await expect.poll(() => value.innerText()).toContain('mine.md');
  await page.getByTestId('undo').click();
  await expect.poll(() => page.getByTestId('plan-version').innerText()).toBe('plan v1');
  await expect.poll(() => page.getByTestId('undo').getAttribute('aria-disabled')).toBe('true');
  expect(complaints).toEqual([]);
  await close();
});

test('who reads a plan while its run ends keeps their place; it is folded when they come back', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'confirm', height: 420 });
  await show(page, 'Patents in the licences');
  const steps = page.getByTestId('step');
  await page.getByTestId('request-approve').click();
  await expect.poll(() => page.getByTestId('request').count()).toBe(0);
  const turns = page.getByTestId('turns');
  await turns.evaluate((frame) => (frame.scrollTop = 0));
  await page.getByTestId('to-end').waitFor();
  const place = async () => Math.round((await steps.nth(1).boundingBox())?.y ?? 0);
  await expect.poll(() => steps.count()).toBe(4);
  await settled(page);
  const before = await place();
  await advance();
  await expect.poll(() => page.getByTestId('progress').innerText()).toBe('4 of 4');
  await expect.poll(() => page.getByTestId('replay-now').innerText()).toContain('As it ended');
  expect([await steps.count(), await place()]).toEqual([4, before]);
  await show(page, 'Weekly invoice check');
  await expect.poll(() => page.getByTestId('answer').innerText()).toContain('add up');
  await show(page, 'Patents in the licences');
  await page.getByTestId('answer').filter({ hasText: 'patents.md' }).waitFor();
  await expect.poll(() => steps.count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});
