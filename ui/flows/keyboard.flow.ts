import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, settled, startBrowser } from './browser';
import { engine } from './engine';
import { focused, reach } from './keys';
import { patents } from './screen';

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

/** The plan of a session that waits, in the browser. */
async function proposed(size: { width?: number; height?: number } = {}) {
  const opened = await open(browser, { scene: 'proposed', ...size });
  await patents(opened.page);
  await opened.page.getByTestId('plan-card').waitFor();
  await settled(opened.page);
  const status = () => opened.page.getByTestId('plan-card').first().getAttribute('data-status');
  return { ...opened, status };
}

/** Holds a key down: it comes again until it is let go. Between, what came of it is drawn. */
async function hold(page: Page, key: string, times = 4): Promise<void> {
  const keys = key.split('+');
  for (const one of keys.slice(0, -1)) await page.keyboard.down(one);
  for (let at = 0; at < times; at += 1) {
    await page.keyboard.down(keys.at(-1) ?? '');
    await settled(page);
    await settled(page);
  }
  for (const one of keys.reverse()) await page.keyboard.up(one);
}

test('held, Ctrl+Enter approves nothing after what it has sent: an objection, a comment, or that a plan be shown', async () => {
  const one = await proposed();
  await one.page.getByTestId('composer').fill('Wait: leave out the GPL before you do anything');
  await hold(one.page, 'Control+Enter');
  await expect.poll(() => one.page.getByTestId('message').count()).toBe(2);
  expect(await one.status()).toBe('proposed');
  await one.close();

  const two = await proposed();
  await two.page.getByTestId('step').nth(1).focus();
  await two.page.keyboard.press('Shift+F10');
  await two.page.getByTestId('step-menu-comment').click();
  await two.page.getByTestId('comment-input').fill('Only June');
  await hold(two.page, 'Control+Enter');
  await expect.poll(() => two.page.getByTestId('step').nth(1).innerText()).toContain('Only June');
  expect(await two.status()).toBe('proposed');
  await two.close();

  const three = await proposed({ width: 640, height: 410 });
  await three.page.getByTestId('turns').evaluate((frame) => frame.scrollTo(0, 0));
  await three.page.getByTestId('composer').focus();
  await settled(three.page);
  await hold(three.page, 'Control+Enter');
  await expect.poll(() => three.page.getByTestId('said-now').textContent()).toContain('is shown now');
  expect(await three.status()).toBe('proposed');
  await three.page.keyboard.press('Control+Enter');
  await expect.poll(three.status).toBe('approved');
  await three.close();
});

test('held, Enter sends a note once, opens a menu and chooses nothing of it', async () => {
  const { page, complaints, close, status } = await proposed();
  await page.getByTestId('again').click();
  await page.getByTestId('note').fill('leave out the GPL');
  await hold(page, 'Enter');
  const asked = () =>
    engine(
      page,
      (world) => [...world.events.values()].flat().filter(({ kind }) => kind === 'message_received').length,
    );
  const before = await asked();
  await expect.poll(() => page.getByTestId('renewing').count()).toBe(1);
  expect(await page.getByTestId('note').count()).toBe(0);
  await hold(page, 'Enter');
  expect([await asked(), await page.getByTestId('note').count()]).toEqual([before, 1]);
  expect(await status()).toBe('proposed');
  expect(complaints).toEqual([]);
  await close();

  const narrow = await proposed({ width: 700 });
  await narrow.page.getByTestId('more').focus();
  await hold(narrow.page, 'Enter');
  expect(await narrow.page.getByRole('menu').count()).toBe(1);
  expect(await narrow.status()).toBe('proposed');
  await narrow.close();
});

test('held, Delete removes one step, and Backspace what was written and no tool', async () => {
  const { page, complaints, close } = await proposed();
  await page.getByTestId('step').first().focus();
  await hold(page, 'Delete');
  await expect.poll(() => page.getByTestId('step').count()).toBe(3);
  await page.getByTestId('step').first().click();
  const tools = () => page.getByTestId('remove-tool').count();
  await page.getByTestId('tool-input').fill('shell');
  await page.keyboard.press('Enter');
  await expect.poll(tools).toBeGreaterThan(0);
  const before = await tools();
  await page.getByTestId('tool-input').pressSequentially('ab');
  await hold(page, 'Backspace', 5);
  expect([await page.getByTestId('tool-input').inputValue(), await tools()]).toEqual(['', before]);
  await page.keyboard.press('Backspace');
  await expect.poll(tools).toBe(before - 1);
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
