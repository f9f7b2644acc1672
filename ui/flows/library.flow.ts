import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe';
import { open, startBrowser } from './browser';
import { engine } from './engine';
import { focused, reach } from './keys';
import { go, look } from './screen';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const WORDS =
  'Which of these licences mention warranty? Count the mentions per file and write the table to warranty.md.';

test('by keyboard: a message that resembles an old one is offered its plan, which is adapted and waits', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'kept' });
  await go(page, 'new');
  await reach(page, 'composer');
  await page.keyboard.type(WORDS);
  const offer = page.getByTestId('saved-offer');
  await offer.waitFor();
  expect(await offer.innerText()).toContain('Patents per licence');
  await expect.poll(() => page.getByTestId('said').textContent()).toContain('Patents per licence');
  expect(await violations(page)).toEqual([]);
  // Above the message: one step back from it.
  await page.keyboard.press('Shift+Tab');
  await expect.poll(() => focused(page)).toBe('offer-ignore');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await expect.poll(() => focused(page)).toBe('offer-adapt');
  await page.keyboard.press('Enter');
  const card = page.getByTestId('plan-card');
  await card.waitFor();
  expect(await card.getAttribute('data-status')).toBe('proposed');
  expect(await card.innerText()).toContain('warranty.md');
  expect(await card.innerText()).not.toContain('patents.md');
  await expect.poll(() => page.getByTestId('composer').inputValue()).toBe('');
  expect(await engine(page, (world) => world.runs.size)).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('what is ignored is planned anew', async () => {
  const { page, complaints, advance, close } = await open(browser, { scene: 'kept' });
  await go(page, 'new');
  await page.getByTestId('composer').fill(WORDS);
  await page.getByTestId('offer-ignore').click();
  await expect.poll(() => focused(page)).toBe('composer');
  expect(await page.getByTestId('saved-offer').count()).toBe(0);
  await page.keyboard.press('Enter');
  await advance();
  await page.getByTestId('plan-card').waitFor();
  expect(await engine(page, (world) => [...world.saved.values()].map((one) => one.uses))).toEqual([0, 0, 0]);
  expect(complaints).toEqual([]);
  await close();
});

/** A message that is sent before anybody could look for what it resembles. */
const pasted = async (page: Parameters<typeof go>[0]) => {
  await go(page, 'new');
  // In one task: nothing is looked up between the two, however slow the machine is.
  await page.getByTestId('composer').evaluate((field, words) => {
    (field as HTMLTextAreaElement).value = words;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  }, WORDS);
  await page.getByTestId('message').waitFor();
  await page.getByTestId('saved-offer').waitFor();
};

test('by keyboard: what is pasted and sent at once is offered its plan while it is planned, which that takes the place of', async () => {
  const { page, complaints, advance, close } = await open(browser, { scene: 'kept' });
  await pasted(page);
  const offer = page.getByTestId('saved-offer');
  expect(await offer.innerText()).toContain('What you sent resembles a plan you saved: Patents per licence');
  await expect.poll(() => page.getByTestId('said').textContent()).toContain('Patents per licence');
  expect(await page.getByTestId('thinking').count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await reach(page, 'offer-adapt');
  await page.keyboard.press('Enter');
  const card = page.getByTestId('plan-card');
  await card.waitFor();
  expect(await card.innerText()).toContain('warranty.md');
  await page.getByTestId('turn-stopped').waitFor();
  expect(await offer.count()).toBe(0);
  await advance();
  expect(await card.count()).toBe(1);
  expect(complaints).toEqual([]);
  await close();
});

test('an offer that comes with the planning is put away, and goes by itself once the plan is there', async () => {
  const { page, complaints, advance, close } = await open(browser, { scene: 'kept' });
  await pasted(page);
  await page.getByTestId('offer-ignore').click();
  await expect.poll(() => focused(page)).toBe('composer');
  expect(await page.getByTestId('saved-offer').count()).toBe(0);
  await advance();
  await page.getByTestId('plan-card').waitFor();
  await pasted(page);
  await advance();
  await page.getByTestId('plan-card').waitFor();
  await expect.poll(() => page.getByTestId('saved-offer').count()).toBe(0);
  expect(await engine(page, (world) => [...world.saved.values()].map((one) => one.uses))).toEqual([0, 0, 0]);
  expect(complaints).toEqual([]);
  await close();
});

test('a plan is saved from its card, found in the library, and used in a new session', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('save-plan').click();
  await expect.poll(() => focused(page)).toBe('saved-name');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Patents');
  await page.keyboard.press('Tab');
  await page.keyboard.type('law, notes');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('save-dialog').count()).toBe(0);
  await expect.poll(() => focused(page)).toBe('save-plan');

  await go(page, 'plans');
  await page.getByTestId('library-tab-all').focus();
  await page.keyboard.press('ArrowRight');
  await page.getByTestId('saved-plan').waitFor();
  expect(await page.getByTestId('saved-plan').innerText()).toContain('#law');
  expect(await violations(page)).toEqual([]);
  await page.getByTestId('saved-open').click();
  await page.getByTestId('saved-step').first().waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByTestId('saved-use').click();
  await page.getByTestId('plan-card').waitFor();
  expect(await page.getByTestId('plan-card').getAttribute('data-status')).toBe('proposed');
  expect(complaints).toEqual([]);
  await close();
});

test('a fault of a plan file that is pointed at has its contrast, in both themes', async () => {
  for (const theme of ['light', 'dark'] as const) {
    const { page, complaints, close } = await open(browser, { scene: 'kept', theme });
    await go(page, 'plans');
    await page.getByTestId('import').click();
    await page.getByTestId('import-text').fill('{"a": 1 "b": 2}');
    await page.getByTestId('import-again').click();
    await page.getByTestId('import-fault').hover();
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  }
});

const offered = async (page: Parameters<typeof go>[0]) => {
  await go(page, 'new');
  await page.getByTestId('composer').fill(WORDS);
  await page.getByTestId('saved-offer').waitFor();
};
const kept = async (page: Parameters<typeof go>[0]) => {
  await go(page, 'plans');
  await page.getByTestId('library-tab-saved').click();
  await page.getByTestId('saved-plan').first().waitFor();
};
const saved = (act: 'change' | 'remove') => async (page: Parameters<typeof go>[0]) => {
  await kept(page);
  await page.getByTestId('saved-menu').first().click();
  await page.getByTestId(`saved-menu-${act}`).click();
  await page.getByTestId(`${act}-saved`).waitFor();
};
look({
  'a saved plan is changed': { scene: 'kept', go: saved('change') },
  'a saved plan is to go': { scene: 'kept', go: saved('remove') },
  'a saved plan is looked at': {
    scene: 'kept',
    go: async (page) => {
      await kept(page);
      await page.getByTestId('saved-open').first().click();
      await page.getByTestId('saved-step').first().waitFor();
    },
  },
  'a saved plan that is offered': { scene: 'kept', go: offered },
  'a saved plan that is offered in a narrow window': { scene: 'kept', width: 480, height: 900, go: offered },
  'a saved plan that is offered while planning': { scene: 'kept', go: pasted },
  'a saved plan that is offered while planning, narrow': {
    scene: 'kept',
    width: 480,
    height: 900,
    go: pasted,
  },
  'the saved plans': { scene: 'kept', go: kept },
  'the saved plans in a narrow window': { scene: 'kept', width: 480, height: 900, go: kept },
});
