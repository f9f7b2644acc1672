import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe';
import { open, settled, startBrowser, type Opened } from './browser';
import { engine } from './engine';
import { reach } from './keys';
import { look, patents, type Screen } from './screen';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A message that failed: what the planner wrote twice could not be read, and then it was away. */
const fail = (page: Page) =>
  engine(page, (world) => {
    const [session] = [...world.sessions.values()]
      .filter((row) => row.title.startsWith('Patents'))
      .map(({ id }) => id);
    if (!session) throw new Error('the scene has no such session');
    const reply = {
      kind: 'model_replied',
      purpose: 'plan',
      model: 'Qwen2.5-Coder-1.5B',
      recipe: { inline: '(recipe)' },
      usage: { input: 940, cached: 812, output: 148 },
      durationMs: 9400,
    } as const;
    const error =
      'The planner wrote twice what is no plan, and could not be asked a third time. Send the message again, or choose a larger model in the settings.';
    world.commit(
      { session, turn: 'later' },
      {
        kind: 'message_received',
        text: 'Do the same for the texts of the other folder, and say which are new.',
      },
      {
        ...reply,
        text: { inline: 'Sure! Here is what I would do: first look at the folder, then …' },
        faults: [{ stage: 'parse', path: [], message: 'the reply holds no JSON object' }],
      },
      {
        ...reply,
        text: { inline: '{"title": "The other folder", "steps": []}' },
        faults: [{ stage: 'parse', path: [], message: 'the plan has no steps' }],
      },
      {
        kind: 'model_failed',
        purpose: 'plan',
        model: 'Qwen2.5-Coder-1.5B',
        error: 'it did not answer within 60 s',
        retrying: false,
      },
      { kind: 'turn_ended', status: 'failed', error },
    );
  });

/** Sends a message that is answered without a plan. */
async function greet({ page, advance }: Pick<Opened, 'page' | 'advance'>): Promise<void> {
  await page.getByTestId('composer').fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await advance();
  await page.getByTestId('answer').waitFor();
}

test('by keyboard: how an answer without a plan came about is one press away, with what was sent', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await greet({ page, advance });
  expect(await page.getByTestId('turn-costs').innerText()).toMatch(/^1 model call · 1\.1k tokens/);
  await reach(page, 'turn-trace');
  await page.keyboard.press('Enter');
  const pane = page.getByTestId('turn-planning');
  await pane.waitFor();
  expect(await pane.innerText()).toContain('How this came about: 1 model call');
  await pane.getByTestId('show-sent').click();
  await pane.getByTestId('sent').waitFor();
  expect(await page.getByTestId('to-plan').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('why a message failed is shown beside the plan of an earlier one, which is gone back to', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'done' });
  await patents(page);
  await page.getByTestId('inspector-tab-steps').click();
  await fail(page);
  const failed = page.getByTestId('turn-failed');
  await failed.waitFor();
  expect(await page.getByTestId('turn-costs').last().innerText()).toMatch(/^2 model calls · 2\.2k tokens/);
  await failed.getByTestId('turn-trace').click();
  const pane = page.getByTestId('turn-planning');
  await expect.poll(() => pane.innerText()).toContain('the reply holds no JSON object');
  expect(await pane.innerText()).toContain('it did not answer within 60 s');
  expect(await pane.getByTestId('reply').count()).toBe(2);
  await page.getByTestId('to-plan').click();
  await page.getByTestId('planning').waitFor();
  expect(await pane.count()).toBe(0);
  await page.getByTestId('turn-trace').first().click();
  await expect.poll(() => pane.innerText()).toContain('How this came about: 1 model call');
  expect(complaints).toEqual([]);
  await close();
});

test('in a narrow window the trace of a turn lies over the chat, and the focus comes back to where it was', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample', width: 700 });
  await greet({ page, advance });
  await page.getByTestId('turn-trace').focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('turn-planning').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByTestId('turn-planning').count()).toBe(0);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-testid')))
    .toBe('turn-trace');
  expect(complaints).toEqual([]);
  await close();
});

test('a plan that waits says what it has cost by now, and nothing of that moves when it is approved', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'proposed' });
  await patents(page);
  expect(await page.getByTestId('turn-costs').innerText()).toBe('1 model call · 1.1k tokens');
  await page.getByTestId('approve').click();
  await expect.poll(() => page.getByTestId('approve').count()).toBe(0);
  expect(await page.getByTestId('turn-costs').count()).toBe(1);
  await advance();
  await page.getByTestId('request').waitFor();
  await expect.poll(() => page.getByTestId('turn-costs').innerText()).toMatch(/^[2-9] model calls · /);
  expect(complaints).toEqual([]);
  await close();
});

const failedTurn = (size: Pick<Screen, 'width' | 'height'> = {}, opens = true): Screen => ({
  scene: 'done',
  ...size,
  go: async (page) => {
    await patents(page);
    await fail(page);
    await page.getByTestId('turn-failed').waitFor();
    await page.getByTestId('turn-failed').scrollIntoViewIfNeeded();
    if (opens) {
      await page.getByTestId('turn-failed').getByTestId('turn-trace').click();
      await page.getByTestId('turn-planning').waitFor();
      await page.getByTestId('wrote').first().locator('summary').click();
    }
    await settled(page);
  },
});
look({
  'how a failed message was planned': failedTurn(),
  'a failed message, narrow': failedTurn({ width: 480, height: 900 }, false),
  'how a failed message was planned, narrow': failedTurn({ width: 480, height: 900 }),
  'how a plain answer came about': {
    scene: 'sample',
    go: async (page, opened) => {
      await greet(opened);
      await page.getByTestId('turn-trace').click();
      await page.getByTestId('turn-planning').waitFor();
    },
  },
  'what a waiting plan has cost': { scene: 'proposed', go: patents },
});
