import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, settled, startBrowser } from './browser';
import { engine } from './engine';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const elements = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length);

test('what a model writes does nothing: no script runs, nothing is fetched, links lead out by the engine only', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'hostile' });
  await page.getByTestId('session').first().click();
  await page.getByTestId('answer').first().waitFor();
  expect(await page.evaluate(() => 'broken' in window)).toBe(false);
  expect(await page.locator('img, form input[name=key], .markdown script').count()).toBe(0);
  const links = await page
    .locator('.markdown a')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  expect(links.filter((link) => !link?.startsWith('https://example.org'))).toEqual([]);
  await page.getByText('a real link').click();
  await expect.poll(() => engine(page, (world) => world.opened)).toEqual(['https://example.org/page']);
  await expect.poll(() => page.evaluate(() => location.search)).toContain('scene=hostile');
  expect(complaints).toEqual([]);
  await close();
});

test('a line of a megabyte shows its beginning, and more of it when asked', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'hostile' });
  await page.getByTestId('session').first().click();
  const shown = () => page.getByTestId('answer').last().locator('pre').innerText();
  await page.getByTestId('show-more').waitFor();
  expect((await shown()).length).toBe(20_001);
  await page.getByTestId('show-more').click();
  await expect.poll(async () => (await shown()).length).toBe(40_001);
  expect(complaints).toEqual([]);
  await close();
});

test('ten thousand messages: the newest is shown, few elements stand in the document, any message can be reached', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'long' });
  await page.getByTestId('session').first().click();
  await page.getByText('Message 10000:').waitFor();
  expect(await elements(page)).toBeLessThan(2000);
  await page.getByTestId('turns').evaluate((frame) => frame.scrollTo(0, 0));
  await page.getByText('Message 1:').waitFor();
  expect(await elements(page)).toBeLessThan(2000);
  await page.getByTestId('to-end').click();
  await page.getByText('Message 10000:').waitFor();
  await page.getByTestId('session-filter').fill('4321');
  await page.keyboard.press('Enter');
  await page.getByTestId('hit').first().click();
  const found = page.getByTestId('message').filter({ hasText: 'Message 4321:' });
  await expect.poll(() => found.isVisible()).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});

test('five hundred steps: few elements, an edit in the middle of them, the graph goes along', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'large' });
  await page.getByTestId('session').first().click();
  await page.getByTestId('step').first().waitFor();
  expect(await elements(page)).toBeLessThan(2000);
  await page.getByTestId('step').nth(4).click();
  await page.getByTestId('edit-description').fill('Look at the fifth part only');
  await page.keyboard.press('Enter');
  await page.getByText('plan v1, changed').waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: '5 Look at the fifth part only' }).count())
    .toBe(1);
  const percent = async () => Number.parseInt(await page.getByTestId('zoom-percent').innerText());
  await settled(page);
  const before = await percent();
  await page.getByTestId('zoom-in').click();
  await expect.poll(percent).toBe(Math.round(before * 1.25));
  await page.getByTestId('zoom-out').click();
  await expect.poll(percent).toBe(before);

  await page.getByTestId('zoom-fit').click();
  await expect.poll(percent).toBeLessThan(15);
  const sheet = await page.getByTestId('graph').boundingBox();
  const buttons = await page.getByTestId('zoom-fit').boundingBox();
  if (!sheet || !buttons) throw new Error('the graph has no place');
  for (const node of ['s1', 's500']) {
    const place = await page.locator(`[data-node="${node}"]`).boundingBox();
    if (!place) throw new Error(`${node} is not drawn`);
    expect(place.y).toBeGreaterThanOrEqual(sheet.y);
    expect(place.y + place.height).toBeLessThanOrEqual(buttons.y);
    expect(place.x).toBeGreaterThanOrEqual(sheet.x);
    expect(place.x + place.width).toBeLessThanOrEqual(sheet.x + sheet.width);
  }
  await settled(page);
  const whole = await percent();
  await page.getByTestId('zoom-out').click();
  await expect.poll(percent).toBe(whole);
  await page.getByTestId('zoom-in').click();
  await expect.poll(percent).toBeGreaterThanOrEqual(whole);
  expect(complaints).toEqual([]);
  await close();
});

test('an engine that stops answering is told of after a while, and not before', async () => {
  const { page, close } = await open(browser, { scene: 'sample', frozen: true });
  await engine(page, (world) => void (world.silent = true));
  await page.getByTestId('session').first().click();
  await page.clock.runFor(5000);
  expect(await page.getByTestId('silent').count()).toBe(0);
  await page.clock.runFor(3000);
  await expect
    .poll(() => page.getByTestId('silent').innerText())
    .toContain('Assent’s engine has not answered for');
  await close();
});

test('an engine that hangs while a message is sent or a plan approved is told of; once it answers, all is as it was meant', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed', frozen: true });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('plan-card').waitFor();
  await engine(page, (world) => void (world.silent = true));
  await page.getByTestId('approve').click();
  await page.clock.runFor(8000);
  await page.getByTestId('silent').waitFor();
  await engine(page, (world) => world.speak());
  await expect.poll(() => page.getByTestId('silent').count()).toBe(0);
  await expect.poll(() => page.getByTestId('plan-card').getAttribute('data-status')).toBe('approved');

  await page.getByTestId('nav-new').click();
  await page.getByTestId('session').filter({ hasText: 'Weekly invoice check' }).click();
  await page.getByTestId('answer').waitFor();
  await engine(page, (world) => void (world.silent = true));
  await page.getByTestId('composer').fill('And those of last week?');
  await page.keyboard.press('Enter');
  await page.clock.runFor(8000);
  await page.getByTestId('silent').waitFor();
  await expect.poll(() => page.getByTestId('composer').inputValue()).toBe('And those of last week?');
  await engine(page, (world) => world.speak());
  await expect.poll(() => page.getByTestId('silent').count()).toBe(0);
  await expect
    .poll(() => page.getByTestId('message').last().innerText())
    .toContain('And those of last week?');
  await expect.poll(() => page.getByTestId('composer').inputValue()).toBe('');
  expect(complaints).toEqual([]);
  await close();
});

test('what was written is still there when it could not be sent', async () => {
  const { page, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('session').first().click();
  await page.getByTestId('answer').waitFor();
  await engine(
    page,
    (world) =>
      void world.failures.push({
        code: 'disk_full',
        message: 'the disk is full; make room and send it again',
      }),
  );
  // Too short for a saved plan to be looked for, which would meet the failure first.
  await page.getByTestId('composer').fill('Do it anew');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('session-error').innerText()).toContain('the disk is full');
  await expect.poll(() => page.getByTestId('composer').inputValue()).toBe('Do it anew');
  await close();
});

test('without a model what cannot work says why, a plan is approved for later, and a request goes once there is one', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'offline' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('offline').waitFor();
  expect(await page.getByTestId('approve').count()).toBe(0);
  await settled(page);
  const why = (button: string) => page.getByTestId(button).getAttribute('aria-description');
  if (await page.getByTestId('again').isVisible())
    await expect.poll(() => why('again')).toBe('No model can be reached');
  else {
    await page.getByTestId('more').click();
    await expect.poll(() => page.getByTestId('more-again').innerText()).toContain('No model can be reached');
    await page.keyboard.press('Escape');
  }
  await page.getByTestId('approve-later').click();
  await expect.poll(() => page.getByTestId('decided').innerText()).toBe('Approved by you. Not run yet.');
  await expect.poll(() => why('run-plan')).toBe('No model can be reached');
  await page.getByTestId('composer').fill('Do something else');
  await expect.poll(() => why('send')).toBe('No model can be reached');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('said-now').textContent()).toContain('No model can be reached');
  expect(await page.getByTestId('composer').inputValue()).toBe('Do something else');
  expect(await page.getByTestId('message').count()).toBe(1);
  await engine(page, (world) => void (world.offline = false));
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('message').count()).toBe(2);
  await expect.poll(() => page.getByTestId('offline').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('a request whose model goes away meanwhile fails with what to do', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await engine(page, (world) => void (world.offline = true));
  await page.getByTestId('composer').fill('Do something else');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await advance();
  await expect
    .poll(() => page.getByTestId('turn-failed').innerText())
    .toContain('Fetch a model in the settings');
  expect(complaints).toEqual([]);
  await close();
});

test('after falling behind, everything that was missed is read', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('plan-card').waitFor();
  await engine(page, (world) => void Object.assign(world, { told: world.tell, tell: () => undefined }));
  await page.keyboard.press('Control+Enter');
  await engine(page, (world) => {
    const muted = world as typeof world & { told: typeof world.tell };
    muted.settle();
    muted.tell = muted.told;
    muted.tell({ type: 'behind', after: 0 });
  });
  await page.getByTestId('request').waitFor();
  expect(complaints).toEqual([]);
  await close();
});
