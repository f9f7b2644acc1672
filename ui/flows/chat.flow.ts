import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { violations } from './axe';
import { followed, open, startBrowser } from './browser';
import { engine } from './engine';
import { focused } from './keys';
import { look } from './screen';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A finished plan of which a later message asks for more. */
async function goneOnFrom(page: Page): Promise<void> {
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('answer').waitFor();
  await engine(page, (world) => {
    const [id, versions] =
      [...world.plans].find(([, all]) => all.at(-1)?.plan.title.includes('patent')) ?? [];
    const before = versions?.at(-1);
    if (!id || !before) throw new Error('the scene has a plan');
    const version = before.plan.version + 1;
    const reference = { id, version, digest: 'd' };
    world.plans.set(id, [
      ...(versions ?? []),
      { plan: { ...before.plan, version }, reference, status: 'proposed' },
    ]);
    const place = { session: before.plan.sessionId, turn: 'later' };
    world.commit(place, { kind: 'message_received', text: 'Sort it by name, too.' });
    world.commit(place, { kind: 'plan_proposed', plan: reference });
    world.commit(place, { kind: 'turn_ended', status: 'asked' });
  });
  await page.getByTestId('plan-below').waitFor();
  await page.getByTestId('plan-below').scrollIntoViewIfNeeded();
}

test('a request: its plan appears step by step, is approved by key, waits for a word, and is answered', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('composer').fill('Which licences mention patents?');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await advance(3);
  await page.getByText('Find every mention').waitFor();
  expect(await page.getByText('Write the table to patents.md').count()).toBe(0);
  await advance();
  await page.getByTestId('plan-card').waitFor();
  await expect.poll(() => page.getByTestId('step').count()).toBe(4);
  await expect
    .poll(async () => (await page.getByTestId('may').innerText()).replace(/\s+/g, ' '))
    .toBe('May read the whole folder and write patents.md. No network, no commands. About 7 model calls.');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('decided').waitFor();
  await advance(3);
  await page.getByTestId('progress').waitFor();
  await advance(14);
  await expect.poll(() => page.getByTestId('strip').innerText()).toContain('of 4');
  await expect.poll(() => page.getByTestId('said').textContent()).toMatch(/^[12] of 4 done: /);
  expect(complaints).toEqual([]);
  await close();
});

test('after an approval by the mouse what comes stays in sight, and the plan can be changed while its run waits', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample', height: 620 });
  await page.getByTestId('composer').fill('Which licences mention patents?');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await advance();
  await page.getByTestId('approve').click();
  await page.getByTestId('decided').waitFor();
  await advance();
  await page.getByTestId('request').waitFor();
  const beyond = () =>
    page.getByTestId('turns').evaluate((frame) => frame.scrollHeight - frame.scrollTop - frame.clientHeight);
  await expect.poll(beyond).toBeLessThan(32);
  expect(await page.getByTestId('to-end').count()).toBe(0);
  await page.getByTestId('reopen').click();
  await page.getByTestId('approve').waitFor();
  // The run still waits, is told of, and can be stopped.
  await page.getByTestId('ends-run').waitFor();
  expect(await page.getByTestId('stop-run').count()).toBe(1);
  expect(await page.getByTestId('decided').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('an example stands in the place of what was being written, which Ctrl+Z brings back', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  const composer = page.getByTestId('composer');
  const kept = () => page.evaluate(() => Object.values(localStorage).join('\n'));
  const mine = 'My long request that took a while\nand has two lines';
  await composer.fill(mine);
  const words = await page.getByTestId('example').nth(2).locator('.text').innerText();
  await page.getByTestId('example').nth(2).click();
  expect(await composer.inputValue()).toBe(words);
  await expect.poll(() => focused(page)).toBe('composer');
  await expect.poll(kept).toContain(words);
  await page.keyboard.press('Control+z');
  await expect.poll(() => composer.inputValue()).toBe(mine);
  await expect.poll(kept).toContain('took a while');
  // What was kept from before the window was opened comes back as well.
  await page.reload();
  await expect.poll(() => composer.inputValue()).toBe(mine);
  await page.getByTestId('example').first().click();
  await expect.poll(() => composer.inputValue()).not.toBe(mine);
  await page.keyboard.press('Control+z');
  await expect.poll(() => composer.inputValue()).toBe(mine);
  expect(complaints).toEqual([]);
  await close();
});

test('sessions: found by a word, renamed by F2, archived, taken back, deleted after a question', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  const titles = () => page.getByTestId('session').allInnerTexts();
  await page.getByTestId('session-filter').fill('csv sales');
  await expect
    .poll(async () => (await titles()).map((title) => title.split('\n')[0]))
    .toEqual(['Compare the two CSVs']);
  await page.getByTestId('session-filter').fill('');
  const first = page.getByTestId('session').first();
  await first.focus();
  await page.keyboard.press('F2');
  await page.getByTestId('rename-input').fill('News of example.org');
  await page.keyboard.press('Enter');
  await page.getByText('News of example.org').first().waitFor();
  /** The words of the row that has the focus. */
  const at = () => page.evaluate(() => document.activeElement?.closest('li')?.innerText.split('\n')[0]);
  const said = () => page.getByTestId('said').textContent();
  await expect.poll(at).toBe('News of example.org');
  await expect.poll(said).toContain('Renamed to News of example.org');
  await page.keyboard.press('F2');
  await page.getByTestId('rename-input').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(at).toBe('News of example.org');

  await page.getByTestId('session').first().hover();
  await page.getByTestId('session-menu').first().click();
  await page.getByTestId('session-menu-archive').click();
  await expect.poll(() => titles()).toHaveLength(3);
  await expect.poll(at).toBe('Weekly invoice check');
  await expect.poll(said).toContain('News of example.org archived');
  await page.getByTestId('session').last().focus();
  await page.keyboard.press('Delete');
  await expect.poll(() => focused(page)).toBe('delete-no');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('delete-session').count()).toBe(0);
  await expect.poll(() => titles()).toHaveLength(3);
  await expect.poll(at).toBe('Compare the two CSVs');
  await page.keyboard.press('Delete');
  await page.getByTestId('delete-yes').click();
  await expect.poll(() => titles()).toHaveLength(2);
  await expect.poll(at).toBe('Group the TODOs by file');
  await expect.poll(said).toContain('Compare the two CSVs deleted');
  await page.getByTestId('toggle-archived').click();
  await expect.poll(() => titles()).toHaveLength(1);
  await page.getByTestId('session').first().focus();
  await page.keyboard.press('Delete');
  await page.getByTestId('delete-yes').click();
  await expect.poll(() => titles()).toHaveLength(0);
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('session-filter');
  await page.getByTestId('toggle-archived').click();
  await expect.poll(() => titles()).toHaveLength(2);
  expect(complaints).toEqual([]);
  await close();
});

test('a session of an earlier day that is renamed comes to those of today, and the focus goes along', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('session').last().focus();
  await page.keyboard.press('F2');
  await page.getByTestId('rename-input').fill('Two tables');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('session').first().innerText()).toContain('Two tables');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''))
    .toContain('Two tables');
  expect(complaints).toEqual([]);
  await close();
});

test('a question that comes while another view is shown is said at once, with its session; so is the end of its run', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'running' });
  await page.getByTestId('nav-plans').click();
  await page.getByTestId('library').waitFor();
  await advance();
  await expect
    .poll(() => page.getByTestId('said-now').textContent())
    .toMatch(/^In “Patents in the licences”: Assent asks: /);
  await page.getByTestId('nav-inbox').click();
  await page.getByTestId('request-reject').click();
  await expect.poll(() => page.getByTestId('inbox-item').count()).toBe(0);
  await advance();
  await expect
    .poll(() => page.getByTestId('said').textContent())
    .toContain('In “Patents in the licences”: Run completed with warnings.');
  expect(complaints).toEqual([]);
  await close();
});

test('a plain question is answered as Markdown, as it comes, with code that can be copied', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('composer').fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await advance(6);
  await page.getByTestId('streaming').waitFor();
  await advance();
  await page.getByTestId('answer').waitFor();
  await expect
    .poll(() => page.getByTestId('answer').locator('table td').first().innerText())
    .toBe('search your files');
  // Told for two seconds only.
  const [told, toldOfAnswer] = [await followed(page, 'copy-code'), await followed(page, 'copy-answer')];
  await page.getByTestId('copy-code').click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('grep -ci patent *\n');
  await expect.poll(told).toContain('Copied');
  await expect.poll(() => page.getByTestId('said').textContent()).toContain('Copied');
  await expect.poll(() => page.getByTestId('copy-code').innerText()).toBe('Copy');
  await page.getByTestId('copy-answer').click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain('| search your files |');
  await expect.poll(toldOfAnswer).toContain('Copied');
  expect(complaints).toEqual([]);
  await close();
});

test('an answer in the middle of which something was not told is shown from its beginning, and is whole once it is there', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('composer').fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  await advance(6);
  const growing = page.getByTestId('streaming');
  await growing.waitFor();
  // As before a page was loaded anew, or a session was shown.
  await engine(page, (world) => world.tell({ type: 'behind', after: 0 }));
  await expect.poll(() => growing.innerText()).toContain('Hello.');
  await advance(9);
  await expect.poll(() => growing.innerText()).toContain('Hello. Write what');
  await advance();
  await page.getByTestId('answer').waitFor();
  await expect
    .poll(() => page.getByTestId('answer').innerText())
    .toContain('Hello. Write what you want done');
  expect(await growing.count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('a file is named by its sign while a new request is written, and Ctrl+Enter sends it as Enter does', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('composer').pressSequentially('Count the lines of @notes/l');
  await page.getByTestId('mention').first().waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.getByTestId('composer').inputValue())
    .toBe('Count the lines of "notes/last year.md" ');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('message').waitFor();
  await expect
    .poll(() => page.getByTestId('message').innerText())
    .toContain('Count the lines of "notes/last year.md"');
  expect(complaints).toEqual([]);
  await close();
});

test('while the model is loaded, the window says so and for how long; then that the request is read', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('composer').fill('Which licences mention patents?');
  await page.keyboard.press('Enter');
  await page.getByTestId('thinking').waitFor();
  const load = (state: 'loading' | 'ready', elapsedMs: number) =>
    engine(page, (world, signal) => world.tell(signal), { type: 'loading' as const, state, elapsedMs });
  await load('loading', 12_300);
  await expect.poll(() => page.getByTestId('thinking').innerText()).toContain('Loading the model… (12 s)');
  await load('ready', 30_000);
  await expect.poll(() => page.getByTestId('thinking').innerText()).toContain('Reading your request');
  expect(complaints).toEqual([]);
  await close();
});

test('a message written during a run waits in sight, is changed and removed, and is sent when the run is over', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'running' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('strip').waitFor();
  for (const words of ['Hello', 'Hi there']) {
    await page.getByTestId('composer').fill(words);
    await page.keyboard.press('Enter');
  }
  await expect.poll(() => page.getByTestId('queued').allInnerTexts()).toHaveLength(2);
  expect(await violations(page)).toEqual([]);
  await page.getByTestId('queued-remove').last().click();
  await page.getByTestId('queued-edit').click();
  await page.getByTestId('queued-input').fill('Hello, and thanks');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('message').count()).toBe(1);
  await advance();
  await page.getByTestId('request').waitFor();
  await expect.poll(() => page.getByTestId('queued').innerText()).toContain('Hello, and thanks');
  await page.getByTestId('request-approve').click();
  await expect.poll(() => page.getByTestId('request').count()).toBe(0);
  await advance();
  await expect.poll(() => page.getByTestId('queue').count()).toBe(0);
  await expect.poll(() => page.getByTestId('message').last().innerText()).toContain('Hello, and thanks');
  expect(complaints).toEqual([]);
  await close();
});

test('the next version of a plan stands below the message that asked for it, one press away from where the plan stood', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'done' });
  await goneOnFrom(page);
  expect(await page.getByTestId('turn').last().getByTestId('approve').count()).toBe(1);
  await page.getByTestId('plan-below').getByRole('button').press('Enter');
  await expect
    .poll(async () => {
      const box = await page.getByTestId('turn').last().getByTestId('approve').boundingBox();
      return box !== null && box.y < 900;
    })
    .toBe(true);
  expect(complaints).toEqual([]);
  await close();
});

test('sent at once, a message stops the run and goes first; a stop by itself holds what waits', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'running' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('strip').waitFor();
  await page.getByTestId('composer').fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByTestId('stop').click();
  await expect.poll(() => page.getByTestId('queue').innerText()).toContain('Held back');
  await expect.poll(() => page.getByTestId('message').count()).toBe(1);
  await page.getByTestId('queued-now').click();
  await expect.poll(() => page.getByTestId('message').count()).toBe(2);
  await page.getByTestId('composer').fill('Hi, rather this');
  await page.keyboard.press('Control+Shift+Enter');
  await expect.poll(() => page.getByTestId('message').last().innerText()).toContain('Hi, rather this');
  expect(complaints).toEqual([]);
  await close();
});

test('the name of a session ends in sight, also where its actions stand beside it', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  const row = page.getByTestId('session').first();
  await row.focus();
  await page.keyboard.press('F2');
  await page
    .getByTestId('rename-input')
    .fill('Everything that was ever said about Berlin in the notes of the last ten years');
  await page.keyboard.press('Enter');
  const title = page.getByTestId('session').first().locator('.title');
  // What it has no room for is cut by the browser with an ellipsis, which the menu must not cover.
  await expect.poll(() => title.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
  await page.getByTestId('session').first().hover();
  const ends = async () => {
    const boxes = await Promise.all([
      title.boundingBox(),
      page.getByTestId('session-menu').first().boundingBox(),
    ]);
    const [words, menu] = boxes;
    return words && menu ? words.x + words.width <= menu.x : null;
  };
  await expect.poll(ends).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});

look({
  'a plan that a later message goes on from': { scene: 'done', go: (page) => goneOnFrom(page) },
});
