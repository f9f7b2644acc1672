import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, settled, startBrowser } from './browser';
import { engine } from './engine';
import { focused, reach } from './keys';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('by keyboard alone: a request is written, its plan approved, its confirmation answered, its run replayed', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await reach(page, 'nav-plans');
  await page.keyboard.press('Enter');
  await page.getByTestId('library').waitFor();
  await page.keyboard.press('Control+n');
  await expect.poll(() => focused(page)).toBe('composer');
  await page.keyboard.type('Which licences mention patents? Ask me before you write.');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await advance();
  await page.getByTestId('approve').waitFor();
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.getByTestId('plan-card').getAttribute('data-status')).toBe('approved');
  await advance();

  await page.getByTestId('request').waitFor();
  await reach(page, 'request-approve');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('request').count()).toBe(0);
  await advance();
  await page.getByTestId('answer').waitFor();

  await reach(page, 'replay-slider');
  const place = () => page.getByTestId('replay-place').innerText();
  const [last] = /\d+$/.exec(await place()) ?? ['0'];
  expect(Number(last)).toBeGreaterThan(10);
  const events = () =>
    engine(page, (world) => [...world.events.values()].reduce((sum, all) => sum + all.length, 0));
  const recorded = await events();
  await page.keyboard.press('Home');
  await expect.poll(() => place()).toBe(`1 / ${last}`);
  const nodes = () =>
    page.getByTestId('node').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
  const proven = async () => (await nodes()).filter((label) => label.includes('proven')).length;
  await expect.poll(proven).toBe(0);
  for (let times = 0; times < 4; times += 1) await page.keyboard.press('ArrowRight');
  await expect.poll(() => place()).toBe(`5 / ${last}`);
  await expect
    .poll(() => page.getByTestId('replay-slider').getAttribute('aria-valuetext'))
    .toContain(`event 5 of ${last}`);
  await page.keyboard.press('End');
  await expect.poll(() => page.getByTestId('replay-now').innerText()).toContain('As it ended');
  await expect.poll(proven).toBeGreaterThan(1);
  expect(await events()).toBe(recorded);
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard alone: a question is answered in the inbox, a step is inspected, every part of the inspector is reached', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'question' });
  await reach(page, 'nav-inbox');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('inbox-item').count()).toBe(2);
  await reach(page, 'option');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('inbox-item').count()).toBe(1);

  await reach(page, 'inbox-open');
  await page.keyboard.press('Enter');
  await page.getByTestId('turns').waitFor();
  await reach(page, 'inspector-tab-graph');
  for (const id of ['changes', 'tools', 'trace', 'steps']) {
    await page.keyboard.press(id === 'steps' ? 'Home' : 'ArrowRight');
    await page.getByTestId(`panel-${id}`).waitFor();
    await expect.poll(() => focused(page)).toBe(`inspector-tab-${id}`);
  }
  await reach(page, 'inspect-step');
  await page.keyboard.press('Enter');
  await page.getByTestId('step-detail').waitFor();
  await expect
    .poll(() => page.getByTestId('expected').innerText())
    .toContain('a count for each licence file');
  await expect
    .poll(() => page.getByTestId('checks').innerText())
    .toContain('every required tool was called successfully');
  await reach(page, 'show-sent');
  await page.keyboard.press('Enter');
  await page.getByTestId('sent').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard alone: a session is found, settings are reached, and Escape leads back', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await page.keyboard.press('Control+k');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('session-filter');
  await page.keyboard.type('invoice');
  await reach(page, 'session');
  await page.keyboard.press('Enter');
  await page.getByTestId('turns').waitFor();
  await expect.poll(() => page.title()).toBe('Weekly invoice check · Assent');
  await page.keyboard.press('Control+,');
  await page.getByTestId('settings').waitFor();
  await reach(page, 'settings-tab-models');
  await page.keyboard.press('ArrowRight');
  await page.getByTestId('choice-policy').waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('turns').waitFor();
  await page.keyboard.press('Control+/');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard: everything becomes larger and smaller, also above a dialog, and it is kept', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  const zoom = () => engine(page, (world) => world.zoom);
  await page.keyboard.press('Control++');
  await expect.poll(zoom).toBe(110);
  await page.keyboard.press('Control+/');
  await page.getByTestId('keys').waitFor();
  await page.keyboard.press('Control+-');
  await page.keyboard.press('Control+-');
  await expect.poll(zoom).toBe(90);
  await expect.poll(() => page.getByTestId('dialog-said').textContent()).toContain('90');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByTestId('keys').count()).toBe(0);
  await page.keyboard.press('Control+,');
  await expect.poll(() => page.getByTestId('settings').count()).toBe(1);
  await page.keyboard.press('Control+0');
  await expect.poll(zoom).toBe(100);
  expect(complaints).toEqual([]);
  await close();
});

test('things move for who has nothing against it, and stand still for who has', async () => {
  const moving = (page: Page) =>
    page.evaluate(() => {
      const all = document.getAnimations().filter((one) => one.playState === 'running');
      return all.filter((one) => one.effect?.getComputedTiming().iterations === Infinity).length;
    });
  for (const moves of [true, false]) {
    const { page, complaints, close } = await open(browser, { scene: 'running', moves });
    await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
    await page.getByTestId('strip').waitFor();
    if (moves) await expect.poll(() => moving(page)).toBeGreaterThan(0);
    else {
      await expect
        .poll(() => page.evaluate(() => document.getAnimations().filter((one) => one.pending).length))
        .toBe(0);
      expect(await moving(page)).toBe(0);
    }
    const lasts = await page
      .getByTestId('stop-run')
      .evaluate((button) => getComputedStyle(button).transitionDuration);
    expect(Number.parseFloat(lasts) > 0).toBe(moves);
    expect(complaints).toEqual([]);
    await close();
  }
});

test('the end of a run moves nothing that a person is about to press in the inspector', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'confirm' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('inspector-tab-steps').click();
  await page.getByTestId('inspect-step').first().click();
  const place = () => page.getByTestId('step-back').boundingBox();
  await page.getByTestId('step-back').waitFor();
  await expect.poll(() => page.getByTestId('replay-slider').isDisabled()).toBe(true);
  await expect.poll(() => page.getByTestId('replay-now').innerText()).toContain('Can be replayed once');
  await settled(page);
  const before = await place();
  await page.getByTestId('request-approve').click();
  await advance();
  await expect.poll(() => page.getByTestId('replay-slider').isDisabled()).toBe(false);
  await expect.poll(() => page.getByTestId('replay-now').innerText()).toContain('As it ended');
  expect(await place()).toEqual(before);
  expect(complaints).toEqual([]);
  await close();
});
