import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, settled, startBrowser } from './browser';
import { engine } from './engine';
import { focused, reach } from './keys';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const titles = async (page: Page) =>
  (await page.getByTestId('plan-card').getByTestId('step').allInnerTexts()).map(
    (words) => words.split('\n')[1] ?? '',
  );

async function proposed() {
  const opened = await open(browser, { scene: 'proposed' });
  await opened.page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await opened.page.getByTestId('plan-card').waitFor();
  await settled(opened.page);
  return opened;
}

test('by keyboard alone: a move that breaks a dependency is refused with the reason; one that does not is made, undone, redone', async () => {
  const { page, complaints, close } = await proposed();
  const before = await titles(page);
  await page.getByTestId('step').nth(1).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect
    .poll(() => page.getByTestId('refused').innerText())
    .toContain('Step 2 needs step 1, which would come after it; remove that dependency first');
  await expect.poll(() => page.getByTestId('said-now').textContent()).toContain('Not possible');
  expect(await titles(page)).toEqual(before);

  await page.keyboard.press('Enter');
  await page.getByTestId('edit-needs').click();
  await page.getByTestId('need-1').click();
  await page.getByTestId('edit-done').click();
  await page.getByTestId('step').nth(1).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('plan v1, changed').waitFor();
  const moved = [before[1], before[0], before[2], before[3]];
  await expect.poll(() => titles(page)).toEqual(moved);
  await page.keyboard.press('Control+z');
  await expect.poll(() => titles(page)).toEqual(before);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(() => titles(page)).toEqual(moved);
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard alone: the menu of a step opens, and a step is commented and another inserted after it', async () => {
  const { page, complaints, close } = await proposed();
  await reach(page, 'step');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+F10');
  await expect.poll(() => focused(page)).toBe('step-menu-edit');
  await page.keyboard.press('Escape');
  const chosen = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset['step']);
  await expect.poll(chosen).toBe('s2');

  await page.keyboard.press('ContextMenu');
  await page.keyboard.press('c');
  await expect.poll(() => focused(page)).toBe('step-menu-comment');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('comment-input');
  await page.keyboard.type('Only the longer ones');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('step').nth(1).innerText()).toContain('Only the longer ones');
  await expect.poll(chosen).toBe('s2');

  await page.keyboard.press('Shift+F10');
  await page.keyboard.press('i');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('add-input');
  await page.keyboard.type('Leave out what is doubled');
  await page.keyboard.press('Enter');
  await page.getByTestId('step-editor').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await titles(page))[2]).toBe('Leave out what is doubled');
  await expect.poll(chosen).toBe('s5');
  expect(complaints).toEqual([]);
  await close();
});

test('by key: a plan that waits far above is shown and told of first, and approved by the same key then', async () => {
  const { page, complaints, close } = await proposed();
  await engine(page, (world) => {
    const session = [...world.plans.values()].at(-1)?.at(-1)?.plan.sessionId ?? '';
    for (let at = 0; at < 60; at += 1) {
      const turn = world.id('turn');
      const answer = { inline: `Answer ${at}` };
      world.commit({ session, turn }, { kind: 'message_received', text: `Message ${at}` });
      world.commit({ session, turn }, { kind: 'answered', text: answer });
      world.commit({ session, turn }, { kind: 'turn_ended', status: 'answered' });
    }
  });
  await expect.poll(() => page.getByTestId('plan-card').count()).toBe(0);
  await page.getByTestId('composer').focus();
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.getByTestId('said-now').textContent()).toContain('is shown now');
  const approve = page.getByTestId('plan-card').getByTestId('approve');
  await expect.poll(() => approve.isVisible()).toBe(true);
  expect(await page.getByTestId('plan-card').getAttribute('data-status')).toBe('proposed');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.getByTestId('plan-card').getAttribute('data-status')).toBe('approved');
  expect(complaints).toEqual([]);
  await close();
});

test('what cannot be done with a step is in its menu with the reason: the first goes no further up, one that is not saved has no comments', async () => {
  const { page, complaints, close } = await proposed();
  const reason = async (step: number, item: string) => {
    await page.getByTestId('step').nth(step).focus();
    await page.keyboard.press('Shift+F10');
    const entry = page.getByTestId(`step-menu-${item}`);
    await entry.waitFor();
    const said = [await entry.getAttribute('aria-disabled'), (await entry.innerText()).replace(/\s+/g, ' ')];
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('step');
    return said;
  };
  expect(await reason(0, 'up')).toEqual(['true', expect.stringContaining('It is the first')]);
  expect((await reason(0, 'down'))[0]).toBe(null);
  expect(await reason(3, 'down')).toEqual(['true', expect.stringContaining('It is the last')]);
  expect((await reason(3, 'comment'))[0]).toBe(null);
  await page.getByTestId('add-step').click();
  await page.getByTestId('add-input').fill('Read the table once more');
  await page.keyboard.press('Enter');
  await page.getByTestId('step-editor').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => titles(page)).toHaveLength(5);
  expect(await reason(4, 'comment')).toEqual(['true', expect.stringContaining('not saved yet')]);
  expect(complaints).toEqual([]);
  await close();
});

test('of a plan that was decided about a step can still be commented on by keyboard', async () => {
  const { page, complaints, close } = await proposed();
  await page.getByTestId('approve-later').click();
  await page.getByTestId('decided').waitFor();
  await page.getByTestId('step').first().focus();
  await page.keyboard.press('Shift+F10');
  await expect.poll(() => focused(page)).toBe('step-menu-comment');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('comment-input');
  await page.keyboard.type('Well found');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('step').first().innerText()).toContain('Well found');
  expect(complaints).toEqual([]);
  await close();
});

test('a step is described, given a tool from the picker, added and removed; saving and approving says what that allows', async () => {
  const { page, advance, complaints, close } = await proposed();
  await page.getByTestId('step').nth(1).click();
  await page.getByTestId('edit-description').fill('Rank the files with a command');
  await page.keyboard.press('Enter');
  await page.getByTestId('tool-input').fill('shell');
  await page.getByTestId('tool-option').first().waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByTestId('may').innerText()).toContain('runs commands');
  await expect
    .poll(() => page.getByTestId('adds').innerText())
    .toBe('Your changes also allow: step 2 bash, .');

  await page.getByTestId('add-step').click();
  await page.getByTestId('add-input').fill('Read the table once more');
  await page.keyboard.press('Enter');
  await page.getByTestId('step-editor').waitFor();
  await page.getByTestId('edit-done').click();
  await expect.poll(() => titles(page)).toHaveLength(5);
  await page.getByTestId('step').nth(4).focus();
  await page.keyboard.press('Delete');
  await expect.poll(async () => (await titles(page)).length).toBe(4);

  await expect.poll(() => page.getByTestId('approve').innerText()).toContain('Save and approve');
  await page.getByTestId('approve').click();
  await page.getByText('plan v2').waitFor();
  await advance(3);
  await page.getByTestId('inspector-tab-changes').click();
  await expect.poll(() => page.getByTestId('allows-more').innerText()).toContain('step 2: bash');
  await expect.poll(() => page.getByTestId('changes').innerText()).toContain('Rank the files with a command');
  expect(complaints).toEqual([]);
  await close();
});

test('steps are dragged by their handle', async () => {
  const { page, complaints, close } = await proposed();
  await page.getByTestId('step').nth(3).click();
  await page.getByTestId('edit-needs').click();
  await page.getByTestId('need-3').click();
  await page.getByTestId('edit-done').click();
  await page.getByTestId('step').nth(3).hover();
  const from = await page.getByTestId('grip').last().boundingBox();
  const to = await page.getByTestId('step').nth(0).boundingBox();
  if (!from || !to) throw new Error('the rows have no place');
  await page.mouse.move(from.x + 4, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 60, to.y + 4, { steps: 6 });
  await page.mouse.up();
  await expect.poll(async () => (await titles(page))[0]).toBe('Write the table to patents.md');
  expect(complaints).toEqual([]);
  await close();
});

test('a step is dragged through a plan that is longer than its frame', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'large' });
  await page.getByTestId('session').first().click();
  await page.getByTestId('step').nth(1).hover();
  const [from, frame] = [
    await page.getByTestId('grip').last().boundingBox(),
    await page.locator('.long').boundingBox(),
  ];
  if (!from || !frame) throw new Error('the rows have no place');
  const bottom = Math.min(frame.y + frame.height, page.viewportSize()?.height ?? 0);
  await page.mouse.move(from.x + 4, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(from.x + 8, bottom - 6, { steps: 6 });
  const marked = async () => Number(await page.locator('.item.below').getAttribute('data-at'));
  await expect.poll(marked, { timeout: 120_000 }).toBeGreaterThan(60);
  await page.mouse.up();
  // Its part of a plan of steps that need each other is moved, or refused with the reason.
  await expect
    .poll(
      async () =>
        (await page.getByTestId('refused').count()) + (await page.getByText('plan v1, changed').count()),
    )
    .toBeGreaterThan(0);
  expect(complaints).toEqual([]);
  await close();
});

test('approved with a note, planned anew with a wish, rejected with a reason', async () => {
  const one = await proposed();
  await one.page.getByTestId('approve-note').click();
  await one.page.getByTestId('note').fill('leave out the drafts');
  await one.page.keyboard.press('Enter');
  await expect
    .poll(() => one.page.getByTestId('decided').innerText())
    .toContain('Approved by you: leave out the drafts');
  await one.close();

  const two = await proposed();
  await two.page.getByTestId('again').click();
  await two.page.getByTestId('note').fill('in French');
  await two.page.getByTestId('decide').click();
  await two.advance();
  await expect.poll(() => two.page.getByTestId('plan-card').count()).toBe(2);
  await two.close();

  const three = await proposed();
  await three.page.getByTestId('reject').click();
  await three.page.getByTestId('note').fill('not needed');
  await three.page.keyboard.press('Enter');
  await expect.poll(() => three.page.getByTestId('decided').innerText()).toContain('Rejected: not needed');
  await three.close();
});

test('an unsaved change is there again when one comes back to its session, and can be thrown away', async () => {
  const { page, close } = await proposed();
  await page.getByTestId('plan-title').fill('Another title');
  await page.keyboard.press('Enter');
  await page.getByText('plan v1, changed').waitFor();
  await expect.poll(() => engine(page, (world) => world.drafts.size)).toBe(1);
  // So many others are opened that the session is read anew.
  for (const title of ['Weekly', 'Crawl', 'Group', 'Compare']) {
    await page.getByTestId('session').filter({ hasText: title }).click();
    await page.getByTestId('answer').waitFor();
  }
  for (let times = 0; times < 5; times += 1) {
    const before = await page.getByTestId('session').count();
    await page.keyboard.press('Control+n');
    await page.getByTestId('composer').fill(`Hello number ${times}`);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByTestId('session').count()).toBe(before + 1);
    await page.getByTestId('message').waitFor();
  }
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).click();
  await expect.poll(() => page.getByTestId('plan-title').inputValue()).toBe('Another title');
  await page.getByText('plan v1, changed').waitFor();
  await page.getByTestId('discard').click();
  await expect.poll(() => page.getByTestId('plan-title').inputValue()).toContain('Count patent mentions');
  await close();
});

test('saved for later, changed or not, a plan says where it is, is found there and approved from there', async () => {
  const { page, complaints, close } = await proposed();
  const save = async () => {
    if (await page.getByTestId('save').isVisible()) return page.getByTestId('save').click();
    await page.getByTestId('more').click();
    await page.getByTestId('more-save').click();
  };
  await save();
  await expect.poll(() => page.getByTestId('saved').innerText()).toContain('Saved in Plans');
  await page.getByTestId('plan-title').fill('Patents, counted by licence');
  await page.keyboard.press('Enter');
  await page.getByText('plan v1, changed').waitFor();
  await expect.poll(() => page.getByTestId('saved').count()).toBe(0);
  await settled(page);
  await save();
  await page.getByText('plan v2').waitFor();
  await page.getByTestId('to-plans').click();
  await page.getByTestId('library-open').filter({ hasText: 'Patents, counted by licence' }).click();
  await page.getByTestId('plan-card').waitFor();
  await page.getByTestId('approve').click();
  await expect.poll(() => page.getByTestId('plan-card').getAttribute('data-status')).toBe('approved');
  expect(complaints).toEqual([]);
  await close();
});

test('approved for later, nothing runs until the word is given', async () => {
  const { page, advance, complaints, close } = await proposed();
  await page.getByTestId('approve-later').click();
  await expect.poll(() => page.getByTestId('decided').innerText()).toBe('Approved by you. Not run yet.');
  await advance();
  expect(await page.getByTestId('progress').count()).toBe(0);
  await page.getByTestId('run-plan').click();
  await advance();
  await page.getByTestId('request').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('everything that can be done with a plan stands in one row, however narrow the card', async () => {
  for (const width of [1440, 1280, 1024, 700]) {
    const { page, close } = await open(browser, { scene: 'proposed', width });
    if (!(await page.getByTestId('sidebar').isVisible())) await page.getByTestId('toggle-sidebar').click();
    await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
    await page.getByTestId('plan-card').waitFor();
    await settled(page);
    const tops = await page
      .getByRole('group', { name: /^Plan:/ })
      .getByRole('button')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    expect([width, new Set(tops).size]).toEqual([width, 1]);
    if (await page.getByTestId('approve-note').isVisible()) await page.getByTestId('approve-note').click();
    else {
      await page.getByTestId('more').click();
      await page.getByTestId('more-approve-note').click();
    }
    await page.getByTestId('note').waitFor();
    await close();
  }
});

test('in a window as it comes, approving, a note, saving, a new plan and rejecting are in sight; running later is in the menu', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed', width: 1280, height: 820 });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('plan-card').waitFor();
  await settled(page);
  for (const id of ['approve', 'approve-note', 'save', 'again', 'reject'])
    await expect.poll(() => page.getByTestId(id).isVisible()).toBe(true);
  const row = page.getByRole('group', { name: /^Plan:/ });
  expect(await row.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
  await page.getByTestId('more').click();
  await page.getByTestId('more-later').click();
  await expect.poll(() => page.getByTestId('decided').innerText()).toBe('Approved by you. Not run yet.');
  expect(complaints).toEqual([]);
  await close();
});

test('of a changed plan saving and a new plan are in sight as well, in a window as it comes; a note is in the menu', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed', width: 1280, height: 820 });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('plan-title').fill('Another title');
  await page.keyboard.press('Enter');
  await page.getByText('plan v1, changed').waitFor();
  await settled(page);
  for (const id of ['approve', 'save', 'again', 'reject'])
    await expect.poll(() => page.getByTestId(id).isVisible()).toBe(true);
  const row = page.getByRole('group', { name: /^Plan:/ });
  expect(await row.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
  const tops = await row
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
  expect(new Set(tops).size).toBe(1);
  await page.getByTestId('more').click();
  await page.getByTestId('more-approve-note').click();
  await page.getByTestId('note').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('changes are taken back and made again by the buttons below the steps, which say when there is none', async () => {
  const { page, complaints, close } = await proposed();
  const before = await titles(page);
  await page.getByTestId('step').nth(3).focus();
  await page.keyboard.press('Delete');
  await expect.poll(() => titles(page)).toHaveLength(3);
  const off = (id: string) => page.getByTestId(id).getAttribute('aria-disabled');
  expect([await off('undo'), await off('redo')]).toEqual([null, 'true']);
  await page.getByTestId('undo').click();
  await expect.poll(() => titles(page)).toEqual(before);
  await expect.poll(() => off('undo')).toBe('true');
  await page.getByTestId('redo').click();
  await expect.poll(() => titles(page)).toHaveLength(3);
  await page.getByTestId('discard').click();
  await expect.poll(() => titles(page)).toEqual(before);
  expect(complaints).toEqual([]);
  await close();
});

test('panes that were made wide give way to the chat as the window becomes narrower', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed', width: 1900 });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  for (const name of ['Width of the list of sessions', 'Width of the inspector']) {
    await page.getByRole('separator', { name }).focus();
    await page.keyboard.press('End');
  }
  for (const width of [1900, 1500, 1280, 1120, 1000, 800]) {
    await page.setViewportSize({ width, height: 860 });
    await expect
      .poll(() => page.getByTestId('main').evaluate((main) => main.clientWidth))
      .toBeGreaterThanOrEqual(520);
  }
  expect(complaints).toEqual([]);
  await close();
});

test('a step that is opened stays in sight, also where its card begins above', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'proposed', width: 640, height: 410 });
  await page.getByTestId('toggle-sidebar').click();
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('step').nth(1).click();
  const inSight = async () => {
    const [list, field] = await Promise.all([
      page.getByTestId('turns').boundingBox(),
      page.getByTestId('edit-description').boundingBox(),
    ]);
    return Boolean(list && field && field.y >= list.y && field.y + field.height <= list.y + list.height);
  };
  await expect.poll(inSight).toBe(true);
  // And still once everything that grew was measured.
  await settled(page);
  expect(await inSight()).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});
