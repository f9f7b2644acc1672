import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, settled, startBrowser } from './browser';
import { engine } from './engine';
import { focused, reach } from './keys';
import { go, session } from './screen';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('a question is answered by an option, as by a message, and the run goes on: nothing is said to be planned', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'question' });
  await page.getByTestId('session').filter({ hasText: 'Patents with a question' }).first().click();
  await page.getByTestId('request').waitFor();
  await expect
    .poll(() => page.getByTestId('said-now').textContent())
    .toContain('Assent asks: Should the table');
  await page.getByTestId('option').nth(1).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('request').count()).toBe(0);
  await advance(1);
  await expect.poll(() => page.getByTestId('message').count()).toBe(2);
  await expect.poll(() => page.getByTestId('stop').innerText()).toBe('Stop');
  expect(await page.getByTestId('thinking').count()).toBe(0);
  await advance();
  await page.getByTestId('answer').waitFor();
  await expect.poll(() => page.getByTestId('ledger').innerText()).toContain('by you');
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard: a question is declined with a reason, and Escape leaves the reason; what was written of it is there wherever the question is shown', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'question' });
  const kept = () =>
    engine(page, (world) => [...world.requests.values()].find((row) => row.request.kind === 'question'));
  const toQuestion = async () => {
    await page.getByTestId('session').filter({ hasText: 'Patents with a question' }).first().click();
    await page.getByTestId('request').waitFor();
  };
  await toQuestion();
  await page.getByTestId('option').first().focus();
  await reach(page, 'request-decline');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('decline-reason');
  await page.keyboard.type('no table, just the names');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('request-decline');
  await expect.poll(async () => (await kept())?.draft ?? null).toBe(null);
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await kept())?.draft).toEqual({ reason: 'no table, just the names' });
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('decline-send');
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('decline-cancel');

  await page.getByTestId('nav-inbox').click();
  const inInbox = page.getByTestId('inbox-request').filter({ has: page.getByTestId('decline-reason') });
  await expect
    .poll(() => inInbox.getByTestId('decline-reason').inputValue())
    .toBe('no table, just the names');
  await toQuestion();
  await page.getByTestId('decline-reason').press('Enter');
  await expect.poll(() => page.getByTestId('request').count()).toBe(0);
  expect((await kept())?.answer).toEqual({ type: 'reject', reason: 'no table, just the names' });
  await advance();
  await page.getByText('I stopped where you said no').waitFor();
  await page.getByTestId('inspector-tab-steps').click();
  await page.getByTestId('inspect-step').nth(1).click();
  await expect.poll(() => page.getByTestId('step-detail').innerText()).toContain('no table, just the names');
  expect(complaints).toEqual([]);
  await close();
});

test('a confirmation shows its full arguments, takes changed ones, and its words are kept while they are written', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'confirm' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).click();
  await page.getByTestId('request').waitFor();
  await expect
    .poll(() => page.getByTestId('arguments').innerText())
    .toContain('A table of 5 licences, 9 lines.');
  await page.getByTestId('answer-text').fill('keep the order');
  const kept = () => engine(page, (world) => [...world.requests.values()][0]);
  await expect.poll(async () => (await kept())?.draft).toEqual({ text: 'keep the order' });
  await page.getByTestId('edit-arguments').click();
  await page.getByTestId('field-action').fill('Write table.md');
  await page.getByTestId('request-approve').click();
  await expect.poll(() => page.getByTestId('request').count()).toBe(0);
  expect((await kept())?.answer).toEqual({
    type: 'approve',
    arguments: { action: 'Write table.md', details: 'A table of 5 licences, 9 lines.' },
    note: 'keep the order',
  });
  await advance();
  await page.getByTestId('answer').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a request that goes on below what is in sight shows it by a line, until its end is', async () => {
  for (const [height, actions] of [
    [560, true],
    [430, false],
  ] as const) {
    const { page, complaints, close } = await open(browser, { scene: 'change', width: 900, height });
    await session('Bring the notes up to date')(page);
    const stack = page.getByTestId('request-stack');
    await stack.waitFor();
    const line = () =>
      stack.evaluate((one, sticky) => {
        const drawn = sticky
          ? getComputedStyle(one.querySelector('.actions') as Element).borderTopStyle
          : getComputedStyle(one, '::after').borderBottomStyle;
        return drawn === 'solid';
      }, actions);
    await expect.poll(line).toBe(true);
    await stack.evaluate((one) => one.scrollTo(0, one.scrollHeight));
    await expect.poll(line).toBe(false);
    expect(complaints).toEqual([]);
    await close();
  }
});

test('a permission is given for the whole run: the next such call does not ask, and it can be taken back; what cannot be undone is offered once', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'permit' });
  await page.getByTestId('session').filter({ hasText: 'Tidy the old tables' }).first().click();
  await page.getByTestId('reaches').waitFor();
  await page.getByTestId('reach-once').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByTestId('reach-run').isChecked()).toBe(true);
  await expect
    .poll(() => page.getByTestId('reach-means').innerText())
    .toBe('Until this run is over, bash does not ask again.');
  await page.getByTestId('request-approve').click();
  await expect.poll(() => page.getByTestId('request').count()).toBe(0);
  await advance();
  await expect.poll(() => page.getByTestId('request').innerText()).toContain('Allow delete_file?');
  expect(await page.getByTestId('reaches').count()).toBe(0);
  await page.keyboard.press('Control+,');
  await page.getByTestId('settings-tab-approval').click();
  await expect.poll(() => page.getByTestId('permission').innerText()).toContain('until its run is over');
  await page.getByTestId('revoke').click();
  await page.getByTestId('no-permissions').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a finished run is carried out again from a step: what was done before it is taken over', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'done' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).click();
  await expect.poll(() => page.getByTestId('ledger-call').count()).toBe(3);
  await page.getByTestId('inspector-tab-steps').click();
  await page.getByTestId('inspect-step').nth(3).click();
  await page.getByTestId('run-from').click();
  await advance();
  await page.getByTestId('step-back').click();
  await page.getByTestId('inspector-tab-graph').click();
  await expect.poll(() => page.getByTestId('ledger-call').count()).toBe(3);
  await page.getByTestId('inspector-tab-steps').click();
  await page.getByTestId('inspect-step').first().click();
  await expect.poll(() => page.getByTestId('step-detail').innerText()).toContain('taken over from run 1');
  expect(complaints).toEqual([]);
  await close();
});

test('every run of a plan is looked at, also once there are later ones; what is found in one is shown in that one', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'done' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).click();
  await expect.poll(() => page.getByTestId('ledger-call').count()).toBe(3);
  expect(await page.getByTestId('run-picker').count()).toBe(0);
  await page.getByTestId('inspector-tab-steps').click();
  await page.getByTestId('inspect-step').nth(3).click();
  await page.getByTestId('run-from').click();
  await advance();
  await page.getByTestId('step-back').click();
  const runs = () => page.getByTestId('run-picker').locator('option').allInnerTexts();
  await expect.poll(runs).toEqual(['Run 2 of 2, plan v1: completed', 'Run 1 of 2, plan v1: completed']);
  await expect.poll(() => page.getByTestId('ledger-call').count()).toBe(3);

  await page.getByTestId('run-picker').selectOption({ index: 1 });
  await expect.poll(() => page.getByTestId('ledger-call').count()).toBe(3);
  const last = Number((await page.getByTestId('replay-place').innerText()).split(' / ')[1]);
  await page.getByTestId('inspector-tab-trace').click();
  await expect.poll(() => page.getByTestId('trace').innerText()).toContain('Model replied');
  await page.getByTestId('replay-slider').fill('3');
  await expect.poll(() => page.getByTestId('replay-place').innerText()).toBe(`3 / ${last}`);
  await page.getByTestId('inspector-tab-steps').click();
  await page.getByTestId('inspect-step').first().click();
  // What is over for good can be looked at only.
  expect(await page.getByTestId('retry-step').count()).toBe(0);

  await page.getByTestId('run-picker').selectOption({ index: 0 });
  await expect.poll(() => page.getByTestId('step-detail').innerText()).toContain('taken over');
  await page.keyboard.press('Control+k');
  await page.getByTestId('session-filter').fill('grep');
  await page.keyboard.press('Enter');
  await page.getByTestId('hit').filter({ hasText: 'call' }).first().click();
  await expect.poll(() => page.getByTestId('step-call').innerText()).toContain('grep');
  const shown = page.getByTestId('run-picker').locator('option:checked');
  await expect.poll(() => shown.innerText()).toContain('Run 1 of 2');
  expect(complaints).toEqual([]);
  await close();
});

test('the inbox holds what every session asks; a refusal there ends the step', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'question' });
  await expect.poll(() => page.getByTestId('inbox-count').innerText()).toContain('2');
  await page.getByTestId('nav-inbox').click();
  await expect.poll(() => page.getByTestId('inbox-item').count()).toBe(2);
  await page.getByTestId('request-reject').click();
  await expect.poll(() => page.getByTestId('inbox-item').count()).toBe(1);
  await advance();
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).click();
  await page.getByText('I stopped where you said no').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('the inspector: the graph by keyboard, a step with what is proven, its calls, and what the model was sent', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'confirm' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).click();
  await page.getByTestId('node').first().waitFor();
  await settled(page);
  await page.getByTestId('node').first().focus();
  const node = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset['node']);
  await page.keyboard.press('ArrowDown');
  await expect.poll(node).toBe('s2');
  await page.keyboard.press('End');
  await expect.poll(node).toBe('s4');
  const percent = async () => Number.parseInt(await page.getByTestId('zoom-percent').innerText());
  const before = await percent();
  await page.keyboard.press('-');
  await expect.poll(percent).toBe(Math.round(before * 0.8));
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await expect.poll(percent).toBe(Math.round(before * 1.25));
  await page.keyboard.press('0');
  await expect.poll(percent).toBe(before);
  await page.keyboard.press('ArrowUp');
  await expect.poll(node).toBe('s3');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('step-detail').innerText()).toContain('Rank the files');
  await page.getByTestId('step-back').click();
  await page.getByTestId('inspect-step').first().click();
  await expect.poll(() => page.getByTestId('proofs').innerText()).toContain('grep');
  await expect.poll(() => page.getByTestId('step-call').innerText()).toContain('lines_per_file');
  await page.getByTestId('show-sent').click();
  await expect.poll(() => page.getByTestId('sent').innerText()).toContain('You carry out one step');
  await page.getByTestId('inspector-tab-trace').click();
  await expect.poll(() => page.getByTestId('trace').innerText()).toContain('Call ended');
  await page.getByTestId('ledger-call').first().click();
  await expect.poll(() => page.getByTestId('call-detail').innerText()).toContain('"pattern": "patent"');
  expect(complaints).toEqual([]);
  await close();
});

test('the names of arguments are read to their end, however long and wherever the window ends', async () => {
  for (const width of [520, 1440]) {
    const { page, complaints, close } = await open(browser, { scene: 'permit', width });
    const name = 'account_number_of_the_receiving_institution_';
    await engine(
      page,
      (world, given) => {
        for (const { request } of world.requests.values())
          request.arguments = { [`${given}primary`]: 1, [`${given}fallback`]: 2 };
      },
      name,
    );
    await go(page, 'inbox');
    await page.getByTestId('arguments').waitFor();
    const cut = await page
      .getByTestId('argument-name')
      .evaluateAll((all) => all.map((one) => [one.textContent, one.scrollWidth > one.clientWidth]));
    expect(cut).toEqual([
      [`${name}primary`, false],
      [`${name}fallback`, false],
    ]);
    expect(complaints).toEqual([]);
    await close();
  }
});
