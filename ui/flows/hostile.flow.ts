import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, startBrowser } from './browser';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** What the tests touch of the scripted engine. */
interface Scripted {
  opened: string[];
  silent: boolean;
  failures: { code: string; message: string }[];
  tell(signal: object): void;
}
const engine = <T>(page: Page, act: (world: Scripted) => T) =>
  page.evaluate(
    (body) =>
      (new Function('world', `return (${body})(world)`) as (world: unknown) => T)(
        (window as never)['scripted'],
      ),
    act.toString(),
  );
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
  await expect
    .poll(() => page.evaluate(() => (window as never as { scripted: Scripted }).scripted.opened))
    .toEqual(['https://example.org/page']);
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
  expect((await shown()).length).toBe(40_001);
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
  await expect.poll(() => page.getByText('Message 4321:').isVisible()).toBe(true);
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
  await page.getByTestId('zoom-in').click();
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
  await page.getByTestId('composer').fill('Do something large');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('session-error').innerText()).toContain('the disk is full');
  await expect.poll(() => page.getByTestId('composer').inputValue()).toBe('Do something large');
  await close();
});

test('without a model a request fails with what to do, and a plan is approved for later', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'offline' });
  await page.getByText('Patents in the licences').first().click();
  await page.getByTestId('offline').waitFor();
  expect(await page.getByTestId('approve').count()).toBe(0);
  await page.getByTestId('approve-later').click();
  await expect
    .poll(() => page.getByTestId('decided').innerText())
    .toContain('Approved by you. Approved, not run yet');
  await page.getByTestId('composer').fill('Do something else');
  await page.keyboard.press('Enter');
  await advance();
  await expect
    .poll(() => page.getByTestId('turn-failed').innerText())
    .toContain('Fetch a model in the settings');
  expect(complaints).toEqual([]);
  await close();
});

test('after falling behind, everything that was missed is read', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await page.getByText('Patents in the licences').first().click();
  await page.getByTestId('plan-card').waitFor();
  type Muted = Scripted & { tell: unknown; advance(): void };
  await page.evaluate(() => {
    const { scripted } = window as never as { scripted: Muted };
    Object.assign(scripted, { told: scripted.tell, tell: () => undefined });
  });
  await page.keyboard.press('Control+Enter');
  await engine(page, (world) => {
    const muted = world as Scripted & { told(signal: object): void; settle(): void };
    muted.settle();
    muted.tell = muted.told;
    muted.tell({ type: 'behind', after: 0 });
  });
  await page.getByTestId('request').waitFor();
  expect(complaints).toEqual([]);
  await close();
});
