import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, startBrowser } from './browser';
import { engine } from './engine';
import { focused } from './keys';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('plans that could not be read are read again when asked', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await engine(page, (world) =>
    world.failures.push({ code: 'database_locked', message: 'another program holds the database' }),
  );
  await page.getByTestId('nav-plans').click();
  await expect.poll(() => page.getByTestId('app-error').innerText()).toContain('another program holds');
  await page.getByTestId('plans-retry').click();
  await page.getByTestId('library-plan').waitFor();
  await expect.poll(() => page.getByTestId('app-error').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('a session that could not be read says so and is read when asked', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await engine(page, (world) =>
    world.failures.push({ code: 'database_locked', message: 'another program holds the database' }),
  );
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await expect
    .poll(() => page.getByTestId('session-error').innerText())
    .toContain('another program holds the database');
  expect(await page.getByTestId('turn').count()).toBe(0);
  await page.getByTestId('session-retry').click();
  await page.getByTestId('plan-card').waitFor();
  await expect.poll(() => page.getByTestId('session-error').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('nothing that was written is lost: a new request over other views and a reload, a field that is not left when the window goes', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed' });
  await page.getByTestId('composer').fill('Which files are doubled?');
  await page.getByTestId('nav-plans').click();
  await page.getByTestId('library').waitFor();
  await page.keyboard.press('Control+n');
  await expect.poll(() => page.getByTestId('composer').inputValue()).toBe('Which files are doubled?');
  await page.reload();
  await expect.poll(() => page.getByTestId('composer').inputValue()).toBe('Which files are doubled?');

  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('step').nth(1).click();
  await page.getByTestId('edit-description').fill('Rank the files, the longest first');
  const kept = () => engine(page, (world) => JSON.stringify([...world.drafts.values()]));
  expect(await kept()).toBe('[]');
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await expect.poll(kept).toContain('Rank the files, the longest first');

  const titles = () => engine(page, (world) => [...world.sessions.values()].map((one) => one.title));
  await page.getByTestId('session').filter({ hasText: 'Weekly invoice check' }).dblclick();
  await expect.poll(() => focused(page)).toBe('rename-input');
  await page.keyboard.type('Invoices of June');
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await expect.poll(titles).toContain('Invoices of June');
  expect(complaints).toEqual([]);
  await close();
});

test('a call of which nobody knows how it ended is made again on a person’s word, by keys', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'unknown' });
  await page.getByTestId('session').filter({ hasText: 'Copy the notes' }).first().click();
  await page.getByTestId('request').waitFor();
  await page.getByTestId('option').first().focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => page.getByTestId('option').nth(1).isChecked()).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('request').count()).toBe(0);
  await advance();
  await page.getByText('The notes are copied.').waitFor();
  await expect.poll(() => page.getByTestId('ledger-call').count()).toBe(2);
  expect(complaints).toEqual([]);
  await close();
});

test('at a limit a person lets the step go on, or stops it', async () => {
  for (const [option, answer] of [
    ['keep going', 'Nothing mentions “patnet”.'],
    ['stop here', 'I stopped at a limit.'],
  ] as const) {
    const { page, advance, complaints, close } = await open(browser, { scene: 'capped' });
    await page.getByTestId('session').filter({ hasText: 'Find the patnets' }).first().click();
    await expect.poll(() => page.getByTestId('request').innerText()).toContain('gave the same result');
    await page.getByRole('radio', { name: option }).check();
    await page.getByTestId('request-answer').click();
    await expect.poll(() => page.getByTestId('request').count()).toBe(0);
    await advance();
    await page.getByText(answer).waitFor();
    expect(complaints).toEqual([]);
    await close();
  }
});

test('who changes the plan at a limit is led to its card, and the next version is carried out and shown', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'capped' });
  await page.getByTestId('session').filter({ hasText: 'Find the patnets' }).first().click();
  await page.getByRole('radio', { name: 'change the plan' }).check();
  await page.getByTestId('request-answer').click();
  await page.getByTestId('plan-title').waitFor();
  await advance();
  await page.getByTestId('step').click();
  await page.getByTestId('edit-description').fill('Find every mention of “patent” in the folder');
  await page.keyboard.press('Enter');
  const version = () => page.getByTestId('plan-version').innerText();
  await expect.poll(version).toBe('plan v1, changed');
  await page.getByTestId('approve').click();
  await expect.poll(version).toBe('plan v2');
  await advance();
  await expect.poll(() => page.getByTestId('plan-card').innerText()).toContain('completed');
  expect(complaints).toEqual([]);
  await close();
});

test('who changes the plan at a limit from the inbox is led to its card, too, and not where they stop there', async () => {
  for (const option of ['change the plan', 'stop here'] as const) {
    const { page, complaints, close } = await open(browser, { scene: 'capped' });
    await page.getByTestId('nav-inbox').click();
    const asked = page.getByTestId('inbox-request').filter({ hasText: 'gave the same result' });
    await asked.getByRole('radio', { name: option }).check();
    await asked.getByTestId('request-answer').click();
    if (option === 'stop here') await expect.poll(() => asked.count()).toBe(0);
    else await page.getByTestId('step').click();
    expect(await page.getByTestId('inbox').count()).toBe(option === 'stop here' ? 1 : 0);
    expect(await page.getByTestId('edit-description').count()).toBe(option === 'stop here' ? 0 : 1);
    expect(complaints).toEqual([]);
    await close();
  }
});

test('a step of a finished run is done again: what was built on it is out of date until that is done again, too', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'done' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('inspector-tab-steps').click();
  await page.getByTestId('inspect-step').nth(1).click();
  await page.getByTestId('retry-step').click();
  await advance();
  await expect.poll(() => page.getByTestId('step-detail').innerText()).toContain('attempt 2');
  expect(await page.getByTestId('stale').count()).toBe(0);
  await page.getByTestId('step-back').click();
  const steps = page.getByTestId('inspect-step');
  const words = 'Out of date: built on something that was done again since';
  await expect.poll(() => steps.nth(2).innerText()).toContain(words);
  expect(await steps.nth(0).innerText()).not.toContain(words);
  await steps.nth(2).click();
  await expect
    .poll(() => page.getByTestId('stale').innerText())
    .toContain('Step 2 was done again after this one was done');
  await page.getByTestId('retry-step').click();
  await advance();
  await page.getByTestId('request-approve').click();
  await advance();
  await expect.poll(() => page.getByTestId('stale').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('a request from deep below says where it comes from, in its session and in the inbox, and shows its steps', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'deep' });
  await page.getByTestId('session').filter({ hasText: 'Sort the archive' }).first().click();
  const crumbs = () => page.getByTestId('trail').locator('li').allInnerTexts();
  const trail = [
    'Sort the archive by year',
    '2 Find the year of each text',
    '3 Look at the texts without a year',
    '4 Ask for the year of “Artistic”',
  ];
  await expect.poll(crumbs).toEqual(trail);
  await page.getByTestId('trail-step').nth(1).click();
  await page.getByTestId('step-detail').waitFor();
  await expect
    .poll(() => page.getByTestId('step-detail').innerText())
    .toContain('3 Look at the texts without a year');
  await page.getByTestId('nav-inbox').click();
  await page.getByTestId('inbox-item').waitFor();
  await expect.poll(crumbs).toEqual(trail);
  await expect.poll(() => page.getByTestId('inbox-open').innerText()).toContain('Sort the archive');
  expect(complaints).toEqual([]);
  await close();
});

test('what a call would change is seen before it is allowed, also with other arguments', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'change' });
  await page.getByTestId('session').filter({ hasText: 'Bring the notes up to date' }).first().click();
  await page.getByTestId('file-change').waitFor();
  const lines = () => page.getByTestId('changed-line').allInnerTexts();
  expect((await lines()).filter((line) => line.includes('55')).join('')).toContain('−');
  await page.getByTestId('edit-arguments').click();
  await page.getByTestId('field-path').fill('/etc/passwd');
  await expect.poll(() => page.getByTestId('file-change').innerText()).toContain('not in the folder');
  await page.getByTestId('edit-arguments').click();
  await expect.poll(async () => (await lines()).length).toBe(9);
  await page.getByTestId('request-approve').click();
  await advance();
  await page.getByTestId('answer').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('an answer that was begun in the inbox goes on in its session', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'question' });
  await page.getByTestId('nav-inbox').click();
  await page.getByTestId('option').nth(1).check();
  await page.getByTestId('session').filter({ hasText: 'Patents with a question' }).first().click();
  await page.getByTestId('request').waitFor();
  await expect.poll(() => page.getByTestId('option').nth(1).isChecked()).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});
