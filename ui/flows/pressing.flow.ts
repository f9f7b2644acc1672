import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, settled, startBrowser } from './browser';
import { engine } from './engine';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

async function proposed() {
  const opened = await open(browser, { scene: 'proposed' });
  await opened.page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await opened.page.getByTestId('plan-card').waitFor();
  await settled(opened.page);
  return opened;
}

/** Presses a button slowly: everything that comes of leaving a field is drawn before it is let go. */
async function press(page: Page, testid: string): Promise<void> {
  const place = async () => {
    const box = await page.getByTestId(testid).boundingBox();
    if (!box) throw new Error(`${testid} has no place`);
    return box;
  };
  await page.getByTestId(testid).scrollIntoViewIfNeeded();
  const before = await place();
  await page.mouse.move(before.x + 12, before.y + 6);
  await page.mouse.down();
  await settled(page);
  await settled(page);
  expect(await place()).toEqual(before);
  await page.mouse.up();
}

const approved = async (page: Page, title: string) => {
  await expect.poll(() => page.getByTestId('plan-card').getAttribute('data-status')).toBe('approved');
  const last = await engine(page, (world) => {
    const { plan, status } = [...world.plans.values()].at(-1)?.at(-1) ?? {};
    return [plan?.title, plan?.version, status];
  });
  expect(last).toEqual([title, 2, 'approved']);
};

test('a title that is left by pressing Approve is part of what is approved, by that one press', async () => {
  const { page, complaints, close } = await proposed();
  await page.getByTestId('plan-title').fill('Patents, counted');
  await press(page, 'approve');
  await approved(page, 'Patents, counted');
  expect(complaints).toEqual([]);
  await close();
});

test('a step that is left by pressing Approve is part of what is approved, by that one press', async () => {
  const { page, complaints, close } = await proposed();
  const title = await page.getByTestId('plan-title').inputValue();
  await page.getByTestId('step').nth(1).click();
  await page.getByTestId('edit-description').fill('Count them once more');
  await press(page, 'approve');
  await approved(page, title);
  const step = await engine(page, (world) => [...world.plans.values()].at(-1)?.at(-1)?.plan.steps[1]);
  expect(step?.description).toBe('Count them once more');
  expect(complaints).toEqual([]);
  await close();
});

test('a value that is left by pressing Approve stays where it is until the button is let go', async () => {
  const { page, complaints, close } = await proposed();
  const title = await page.getByTestId('plan-title').inputValue();
  const chip = page.getByTestId('context').locator('[data-value]').first();
  const key = (await chip.getAttribute('data-value')) ?? '';
  await chip.click();
  const field = page.getByRole('textbox', { name: key, exact: true });
  await field.fill('others.md');
  await press(page, 'approve');
  await approved(page, title);
  const values = await engine(
    page,
    (world) => [...world.plans.values()].at(-1)?.at(-1)?.plan.extractedContext,
  );
  expect(values?.[key]).toBe('others.md');
  expect(complaints).toEqual([]);
  await close();
});

test('a plan that was decided about and is not changed yet can be left as it is; what can only fail says why', async () => {
  const { page, complaints, close } = await proposed();
  const card = page.getByTestId('plan-card');
  await page.getByTestId('approve-later').click();
  await page.getByTestId('decided').waitFor();
  await page.getByTestId('reopen').click();
  const why = async (id: string) => {
    const button = card.getByTestId(id);
    return [await button.getAttribute('aria-disabled'), await button.getAttribute('aria-description')];
  };
  await card.getByTestId('approve').waitFor();
  await settled(page);
  for (const id of ['approve', 'approve-later', 'approve-note'])
    expect(await why(id)).toEqual(['true', 'This version was decided about: change something first']);
  expect(await why('reject')).toEqual(['true', 'This version was decided about already']);
  expect(await card.getByTestId('save').count()).toBe(0);
  await card.getByTestId('leave-decided').click();
  await expect.poll(() => card.getByTestId('approve').count()).toBe(0);
  await expect.poll(() => page.evaluate(() => document.activeElement?.id.split('-')[0])).toBe('reopen');

  // Changes that are thrown away leave it as it was decided about as well.
  await card.getByTestId('reopen').click();
  await card.getByTestId('plan-title').fill('Another title');
  await page.keyboard.press('Enter');
  await page.getByText('plan v1, changed').waitFor();
  expect((await why('approve'))[0]).toBe(null);
  expect((await why('reject'))[0]).toBe('true');
  await card.getByTestId('discard').click();
  await expect.poll(() => card.getByTestId('approve').count()).toBe(0);
  await card.getByTestId('decided').waitFor();
  expect(complaints).toEqual([]);
  await close();
});
