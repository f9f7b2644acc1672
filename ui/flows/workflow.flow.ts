import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, startBrowser } from './browser';
import { look, session, type Screen } from './screen';

/* A workflow: a session with one plan that is carried out again and again. */

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const report = session('weekly-report');

test('a workflow is told by its sign, each of its runs has its answer, and it is run again from its card', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'workflow' });
  const row = page.getByTestId('session').filter({ hasText: 'weekly-report' });
  await expect.poll(() => row.getByRole('img', { name: 'Workflow' }).count()).toBe(1);
  expect(await page.getByTestId('session').getByRole('img', { name: 'Workflow' }).count()).toBe(1);
  await report(page);
  await expect.poll(() => page.getByTestId('turn-run').allInnerTexts()).toHaveLength(2);
  await expect.poll(() => page.getByTestId('turn-run').first().innerText()).toMatch(/^Run of .+: completed$/);
  await expect.poll(() => page.getByTestId('answer').count()).toBe(2);
  await page.getByTestId('run-again').click();
  await advance(2);
  await expect.poll(() => page.getByTestId('turn-run').last().innerText()).toMatch(/: running$/);
  // What goes on in it is a run, not a message that is read.
  expect(await page.getByTestId('thinking').count()).toBe(0);
  await advance();
  await expect.poll(() => page.getByTestId('answer').count()).toBe(3);
  await expect.poll(() => page.getByTestId('turn-run').last().innerText()).toMatch(/: completed$/);
  await expect.poll(() => page.getByTestId('run-again').count()).toBe(1);
  expect(complaints).toEqual([]);
  await close();
});

const sizes: [string, number, number][] = [
  ['wide', 1900, 1000],
  ['the usual size', 1280, 820],
  ['middle', 900, 760],
  ['200 percent', 640, 410],
];
const screens = Object.fromEntries(
  sizes.flatMap(([name, width, height]): [string, Screen][] => [
    [`a workflow, ${name}`, { scene: 'workflow', width, height, go: report }],
  ]),
);

look(screens);
