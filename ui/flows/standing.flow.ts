import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, startBrowser } from './browser';
import { patents, view } from './screen';

/* How plans and sessions stand is seen from elsewhere: in the list of sessions, and in Plans. */

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** What the row of a session says beside its name. */
const sign = (page: Page, name: string) =>
  page
    .getByTestId('session')
    .filter({ hasText: name })
    .first()
    .locator('.status svg')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
const stands = async (page: Page, title: string, status: string) => {
  await view('plans')(page);
  const plan = page.getByTestId('library-plan').filter({ hasText: title });
  await expect.poll(() => plan.getByTestId('library-status').innerText()).toBe(status);
};
const COUNT = 'Count patent mentions';
const NAME = 'Patents in the licences';

test('a plan that waits, is approved for later, runs, asks and is done says so in the list of sessions and in Plans', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'proposed' });
  await expect.poll(() => sign(page, NAME)).toEqual(['a plan waits for your word']);
  await stands(page, COUNT, 'Waits for your word');
  await patents(page);
  await page.getByTestId('approve-later').click();
  await expect.poll(() => sign(page, NAME)).toEqual(['a plan is approved and not run yet']);
  await stands(page, COUNT, 'Approved, not run yet');
  await patents(page);
  await page.getByTestId('run-plan').click();
  await advance(3);
  await expect.poll(() => sign(page, NAME)).toEqual(['running']);
  await stands(page, COUNT, 'Running');
  await advance();
  await expect.poll(() => sign(page, NAME)).toEqual(['waits for you']);
  await expect.poll(() => page.getByTestId('library-status').first().innerText()).toContain('Waits');
  await patents(page);
  await page.getByTestId('request-approve').click();
  await advance();
  await expect.poll(() => sign(page, NAME)).toEqual([]);
  await stands(page, COUNT, 'Done');
  expect(complaints).toEqual([]);
  await close();
});

test('a message that is planned shows that in the list of sessions, and so does a plan that was rejected', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('composer').fill('Which licences mention patents?');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await expect.poll(() => sign(page, 'Which licences')).toEqual(['planning']);
  await advance();
  await expect.poll(() => sign(page, 'Which licences')).toEqual(['a plan waits for your word']);
  await page.getByTestId('reject').click();
  await page.keyboard.press('Enter');
  await expect.poll(() => sign(page, 'Which licences')).toEqual([]);
  await view('plans')(page);
  await expect.poll(() => page.getByTestId('library-status').first().innerText()).toBe('Rejected');
  expect(complaints).toEqual([]);
  await close();
});

test('a run that failed has no full bar: what is done counts, what failed has a tone of its own', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'running' });
  await patents(page);
  await page.evaluate(() => {
    interface World {
      scripts: Map<string, unknown>;
      runs: Map<string, { id: string; session: string; turn: string }>;
      commit(place: object, ...kinds: object[]): void;
    }
    const { scripted: world } = window as unknown as { scripted: World };
    world.scripts.clear();
    const [run] = [...world.runs.values()];
    const place = { session: run?.session, turn: run?.turn, run: run?.id };
    const failed = { kind: 'step_ended', status: 'failed', validation: 'failed', reason: 'nothing came' };
    world.commit({ ...place, step: 's2' }, failed);
    for (const step of ['s3', 's4'])
      world.commit(
        { ...place, step },
        { kind: 'step_ended', status: 'skipped', validation: 'skipped', because: 's2' },
      );
    world.commit(place, { kind: 'run_ended', status: 'failed' });
  });
  await expect.poll(() => page.getByTestId('plan-card').innerText()).toContain('failed');
  const red = await page
    .getByTestId('plan-card')
    .locator('.status.stop')
    .first()
    .evaluate((one) => getComputedStyle(one).color);
  const bar = page.getByTestId('progress-bar');
  await expect.poll(() => bar.getAttribute('aria-valuenow')).toBe('1');
  const widths = () => bar.locator('span').evaluateAll((all) => all.map((one) => one.style.width));
  await expect.poll(widths).toEqual(['25%', '25%', '50%']);
  // In words, too: red alone says it to nobody who cannot see red.
  const row = page.getByTestId('session').filter({ hasText: NAME }).first();
  await expect.poll(() => row.locator('.status').innerText()).toBe('failed');
  await expect.poll(() => row.locator('.status').evaluate((one) => getComputedStyle(one).color)).toBe(red);
  await stands(page, COUNT, 'Failed');
  expect(complaints).toEqual([]);
  await close();
});

test('a window that is about to go has the engine write down what stands in its fields, and says when that is done', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await patents(page);
  await page.getByTestId('step').nth(1).click();
  await page.getByTestId('edit-description').fill('Rank the files, the longest first');
  const told = await page.evaluate(async () => {
    interface World {
      drafts: Map<string, unknown>;
      goodbyes: number;
      tell(signal: object): void;
    }
    const { scripted: world } = window as unknown as { scripted: World };
    const kept = () => JSON.stringify([...world.drafts.values()]);
    const before = [kept(), world.goodbyes];
    world.tell({ type: 'closing' });
    while (world.goodbyes === 0) await new Promise((done) => setTimeout(done));
    return [before, kept()];
  });
  expect(told[0]).toEqual(['[]', 0]);
  expect(told[1]).toContain('Rank the files, the longest first');
  expect(complaints).toEqual([]);
  await close();
});
