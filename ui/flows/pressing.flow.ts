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

test('by key: a plan of which the chat shows nothing, or not the end, is shown before it is approved', async () => {
  const { page, complaints, close } = await proposed();
  const card = page.getByTestId('plan-card');
  const status = () => card.getAttribute('data-status');
  // As much above it as a long message takes.
  await page.getByTestId('message').evaluate((message) => (message.style.paddingBottom = '900px'));
  await page.getByTestId('composer').focus();
  await settled(page);
  const scroll = (to: 'below' | 'begun') =>
    page.evaluate((to) => {
      const frame = document.querySelector('[data-testid="turns"]') as HTMLElement;
      const card = document.querySelector('[data-plan]') as HTMLElement;
      const beyond = card.getBoundingClientRect().top - frame.getBoundingClientRect().bottom;
      frame.scrollTop += beyond + (to === 'below' ? -10 : 60);
    }, to);
  for (const to of ['below', 'begun'] as const) {
    // Who goes elsewhere is not led back to what was shown before.
    await page.mouse.move(700, 300);
    await page.mouse.wheel(0, -1);
    await settled(page);
    await scroll(to);
    await settled(page);
    const edge = await page.getByTestId('turns').boundingBox();
    const top = (await card.boundingBox())?.y ?? 0;
    // In the window it is, behind where one writes.
    expect(top).toBeLessThan(page.viewportSize()?.height ?? 0);
    expect(top > (edge?.y ?? 0) + (edge?.height ?? 0)).toBe(to === 'below');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => page.getByTestId('said-now').textContent()).toContain('is shown now');
    await settled(page);
    expect([to, await status()]).toEqual([to, 'proposed']);
  }
  const approve = await page.getByTestId('approve').boundingBox();
  const frame = await page.getByTestId('turns').boundingBox();
  expect((approve?.y ?? 0) + (approve?.height ?? 0)).toBeLessThanOrEqual(
    (frame?.y ?? 0) + (frame?.height ?? 0),
  );
  await page.keyboard.press('Control+Enter');
  await expect.poll(status).toBe('approved');
  expect(complaints).toEqual([]);
  await close();
});

test('by key from a field: the plan is approved as it stands, with lines as they are and with no tool that nobody chose', async () => {
  const { page, complaints, close } = await proposed();
  const lines = 'Use grep -c\nnever grep -l';
  await page.getByTestId('step').nth(1).click();
  await page
    .locator('details')
    .filter({ has: page.getByTestId('edit-instructions') })
    .locator('summary')
    .click();
  const further = page.getByTestId('edit-instructions');
  const height = async () => (await further.boundingBox())?.height ?? 0;
  const outcome = await page.getByTestId('edit-outcome').boundingBox();
  expect([await height(), outcome?.height]).toEqual([32, 32]);
  await further.focus();
  await page.keyboard.type('Use grep -c');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('never grep -l');
  expect(await height()).toBeGreaterThan(40);
  await page.keyboard.press('Enter');
  await page.getByText('plan v1, changed').waitFor();
  await page.getByTestId('tool-input').focus();
  await page.getByTestId('tool-option').first().waitFor();
  const tools = await page.getByTestId('remove-tool').count();
  await page.keyboard.press('Enter');
  await settled(page);
  expect(await page.getByTestId('remove-tool').count()).toBe(tools);
  await further.focus();
  const status = () => page.getByTestId('plan-card').getAttribute('data-status');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.getByTestId('said-now').textContent()).toContain('is shown now');
  await settled(page);
  const beyond = await page.getByTestId('turns').boundingBox();
  const adds = await page.getByTestId('adds').boundingBox();
  expect((adds?.y ?? 0) + (adds?.height ?? 0)).toBeLessThanOrEqual((beyond?.y ?? 0) + (beyond?.height ?? 0));
  expect([await status(), await further.evaluate((one) => one === document.activeElement)]).toEqual([
    'proposed',
    true,
  ]);
  await page.keyboard.press('Control+Enter');
  await expect.poll(status).toBe('approved');
  const approved = await engine(page, (world) => [...world.plans.values()].at(-1)?.at(-1)?.plan);
  expect([approved?.version, approved?.steps[1]?.instructions]).toEqual([2, lines]);
  expect(approved?.steps[1]?.requiredTools).toHaveLength(tools);
  expect(complaints).toEqual([]);
  await close();

  const other = await proposed();
  await other.page.getByTestId('step').nth(1).click();
  await other.page.getByTestId('tool-input').focus();
  await other.page.getByTestId('tool-option').first().waitFor();
  await other.page.keyboard.press('Control+Enter');
  await expect.poll(() => other.page.getByTestId('said-now').textContent()).toContain('is shown now');
  await settled(other.page);
  await other.page.keyboard.press('Control+Enter');
  await expect.poll(() => other.page.getByTestId('plan-card').getAttribute('data-status')).toBe('approved');
  const last = await engine(other.page, (world) => [...world.plans.values()].at(-1)?.at(-1)?.plan.version);
  expect(last).toBe(1);
  await other.close();
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
