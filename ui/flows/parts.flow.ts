import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, startBrowser } from './browser';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Waits until nothing is fetched any more by itself. */
const complete = (page: Page) =>
  page.waitForFunction(() => performance.getEntriesByName('complete').length > 0);

test('once the first view stands, the code of all others is there: none of them waits when it is called up', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  const loaded = () =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.js')).length,
    );
  await complete(page);
  const before = await loaded();
  for (const [way, view] of Object.entries({
    inbox: 'inbox',
    plans: 'library',
    tools: 'tools',
    settings: 'settings',
  })) {
    await page.getByTestId(`nav-${way}`).click();
    expect([view, await page.getByTestId(view).count()]).toEqual([view, 1]);
  }
  expect(await loaded()).toBe(before);
  expect(complaints).toEqual([]);
  await close();
});

test('a part whose code does not come says so and offers to load the window again; everything else works', async () => {
  const { page, close } = await open(browser, { scene: 'sample', without: /Settings-[^/]*\.js$/ });
  await complete(page);
  await page.getByTestId('nav-settings').click();
  await page.getByTestId('part-missing').waitFor();
  await expect
    .poll(() => page.getByTestId('part-missing').innerText())
    .toContain('This part of the window could not be loaded');
  await page.getByTestId('nav-tools').click();
  await page.getByTestId('tools').waitFor();
  // Called up again, it is asked for again; that is to fail, too.
  const again = page.waitForEvent('requestfailed');
  await page.getByTestId('nav-settings').click();
  await again;
  await page.unrouteAll();
  await page.getByTestId('load-again').click();
  await page.getByTestId('new-request').waitFor();
  await page.getByTestId('nav-settings').click();
  await page.getByTestId('settings').waitFor();
  await close();
});
