import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { go, look, patents, session, type Screen } from './screen';

/* Names without a space that run over wherever they stand, and texts of a megabyte in one line. */

const job = session('session_that_goes_on');
const inspector = (tab: string) => async (page: Page) => {
  await job(page);
  await page.getByTestId('request').waitFor();
  await page.getByTestId(`inspector-tab-${tab}`).click();
  await page.getByTestId(`panel-${tab}`).waitFor();
};
/** No more of the page than of any other: of a text of a megabyte its beginning stands there. */
const isBounded = async (page: Page) => {
  const shown = await page.evaluate(() => document.body.textContent?.length ?? 0);
  expect(shown).toBeLessThan(200_000);
};

const screens: Record<string, Screen> = {
  'overlong, a question': {
    scene: 'overlong',
    go: async (page) => {
      await job(page);
      await page.getByTestId('request').waitFor();
      await isBounded(page);
    },
  },
  'overlong, at 200 percent': {
    scene: 'overlong',
    width: 640,
    height: 410,
    go: async (page) => {
      await job(page);
      await page.getByTestId('request').waitFor();
    },
  },
  'overlong, a step': {
    scene: 'overlong',
    go: async (page) => {
      await inspector('steps')(page);
      await page.getByTestId('inspect-step').first().click();
      await page.getByTestId('step-call').waitFor();
      await isBounded(page);
    },
  },
  'overlong, a call': {
    scene: 'overlong',
    go: async (page) => {
      await inspector('graph')(page);
      await page.getByTestId('ledger-call').first().click();
      await isBounded(page);
    },
  },
  'overlong, trace': { scene: 'overlong', go: inspector('trace') },
  'overlong, changes': { scene: 'overlong', go: inspector('changes') },
  'overlong, inbox': {
    scene: 'overlong',
    go: async (page) => {
      await go(page, 'inbox');
      await page.getByTestId('inbox-request').first().waitFor();
      await isBounded(page);
    },
  },
  'overlong, plans': { scene: 'overlong', go: (page) => go(page, 'plans') },
  'overlong, messages wait': {
    scene: 'running',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('composer').fill('w'.repeat(100_000));
      await page.keyboard.press('Enter');
      await page.getByTestId('queued').waitFor();
    },
  },
  'overlong, the step is edited': {
    scene: 'overlong',
    go: async (page) => {
      await job(page);
      await page.getByTestId('plan-card').waitFor();
      await page.getByTestId('stop-run').click();
      await page.getByTestId('reopen').click();
      await page.getByTestId('step').nth(1).click();
      await page.getByTestId('step-editor').waitFor();
    },
  },
  'overlong, models': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'settings');
      await page.getByTestId('add-endpoint').click();
      await page.getByTestId('endpoint-address').fill(`http://${'models.'.repeat(30)}invalid/v1`);
      await page.getByTestId('endpoint-name').fill('endpoint_'.repeat(20));
      await page.getByTestId('model-name').fill('model_'.repeat(40));
      await page.getByTestId('keep-key').click();
      await page.getByText('nobody answers').waitFor();
    },
  },
};

look(screens);
