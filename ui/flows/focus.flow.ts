import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, settled, startBrowser, type Look } from './browser';
import { engine } from './engine';
import { focused, reach } from './keys';
import { patents, session } from './screen';

/* The focus is never nowhere: whatever goes while it has the focus hands it on. */

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

async function shown(look: Look, go: (page: Page) => Promise<void> = patents) {
  const opened = await open(browser, look);
  await go(opened.page);
  await settled(opened.page);
  return { ...opened, has: (testid: string) => expect.poll(() => focused(opened.page)).toBe(testid) };
}
const within = (page: Page, testid: string) =>
  page.getByTestId(testid).evaluate((element) => element.contains(document.activeElement));
const card = (page: Page) => page.getByTestId('plan-card');

test('Enter takes what a field of a plan holds and leaves the focus there: Ctrl+Z takes it back, Escape closes the editor', async () => {
  const { page, complaints, close, has } = await shown({ scene: 'proposed' });
  const title = page.getByTestId('plan-title');
  const version = () => page.getByTestId('plan-version').innerText();
  const before = await title.inputValue();
  await title.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Another title');
  await page.keyboard.press('Enter');
  await expect.poll(version).toBe('plan v1, changed');
  await has('plan-title');
  await page.keyboard.press('Control+z');
  await expect.poll(() => title.inputValue()).toBe(before);
  await expect.poll(version).toBe('plan v1');
  await page.keyboard.press('Control+y');
  await expect.poll(() => title.inputValue()).toBe('Another title');
  await page.keyboard.press('Control+z');
  await expect.poll(version).toBe('plan v1');

  await page.getByTestId('step').nth(1).focus();
  await page.keyboard.press('Enter');
  for (const field of ['edit-description', 'edit-outcome']) {
    const held = page.getByTestId(field);
    const old = await held.inputValue();
    await held.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('By their length');
    // What nobody has taken yet is the field's own to undo.
    await page.keyboard.press('Control+z');
    expect(await version()).toBe('plan v1');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('By their length');
    await page.keyboard.press('Enter');
    await expect.poll(version).toBe('plan v1, changed');
    await has(field);
    await page.keyboard.press('Control+z');
    await expect.poll(() => held.inputValue()).toBe(old);
    await expect.poll(version).toBe('plan v1');
    await has(field);
  }
  await page.keyboard.press('Escape');
  await has('step');
  expect(await page.getByTestId('step-editor').count()).toBe(0);
  expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset['step'])).toBe('s2');
  expect(complaints).toEqual([]);
  await close();
});

test('a value of the plan that was written or left gives the focus back to where it was begun', async () => {
  const { page, complaints, close } = await shown({ scene: 'proposed' });
  const chip = page.locator('[data-value]').first();
  const key = await chip.getAttribute('data-value');
  for (const leave of ['Enter', 'Escape']) {
    await chip.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('TEXTAREA');
    await page.keyboard.press(leave);
    await expect
      .poll(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset['value']))
      .toBe(key);
  }
  expect(complaints).toEqual([]);
  await close();
});

test('a note that is not sent leaves the focus on what it was begun with, on a narrow card on the menu', async () => {
  for (const width of [1440, 700]) {
    const { page, complaints, close, has } = await shown({ scene: 'proposed', width });
    for (const kind of ['approve-note', 'again', 'reject']) {
      const narrow = !(await page.getByTestId(kind).isVisible());
      for (const leave of ['Escape', 'Cancel']) {
        if (narrow) {
          await page.getByTestId('more').focus();
          await page.keyboard.press('Enter');
          await page.getByTestId(`more-${kind}`).focus();
        } else await page.getByTestId(kind).focus();
        await page.keyboard.press('Enter');
        await has('note');
        if (leave === 'Cancel') await page.getByRole('button', { name: 'Cancel' }).focus();
        await page.keyboard.press(leave === 'Cancel' ? 'Enter' : 'Escape');
        await has(narrow ? 'more' : kind);
      }
    }
    expect(complaints).toEqual([]);
    await close();
  }
});

test('a plan that was approved or rejected has the focus itself, and Tab goes on into it', async () => {
  const acts: Record<string, (page: Page) => Promise<void>> = {
    approved: async (page) => {
      await page.getByTestId('approve').focus();
      await page.keyboard.press('Enter');
    },
    rejected: async (page) => {
      await page.getByTestId('reject').focus();
      await page.keyboard.press('Enter');
      await page.getByTestId('note').waitFor();
      await page.keyboard.press('Enter');
    },
  };
  for (const [status, act] of Object.entries(acts)) {
    const { page, complaints, close, has } = await shown({ scene: 'proposed' });
    await act(page);
    await expect.poll(() => card(page).getAttribute('data-status')).toBe(status);
    await has('plan-card');
    await page.keyboard.press('Tab');
    expect([status, await within(page, 'plan-card')]).toEqual([status, true]);
    expect(complaints).toEqual([]);
    await close();
  }
});

test('where changes of a plan were dropped the focus is on what brings them back', async () => {
  const { page, complaints, close, has } = await shown({ scene: 'proposed' });
  const steps = await card(page).getByTestId('step').count();
  await page.getByTestId('step').first().focus();
  await page.keyboard.press('Delete');
  await page.getByTestId('discard').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('discard').count()).toBe(0);
  await expect.poll(() => card(page).getByTestId('step').count()).toBe(steps);
  await has('undo');
  await page.keyboard.press('Enter');
  await expect.poll(() => card(page).getByTestId('step').count()).toBe(steps - 1);
  expect(complaints).toEqual([]);
  await close();
});

test('a plan that is approved by key from one of its fields has what stands there, and its step the focus', async () => {
  const { page, complaints, close, has } = await shown({ scene: 'proposed' });
  await page.getByTestId('step').nth(1).click();
  await has('edit-description');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Rank the files by their length');
  // What stands at its end is seen first; the focus stays.
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.getByTestId('said-now').textContent()).toContain('is shown now');
  await page.getByText('plan v1, changed').waitFor();
  await settled(page);
  await has('edit-description');
  expect(await card(page).getAttribute('data-status')).toBe('proposed');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => card(page).getAttribute('data-status')).toBe('approved');
  await expect.poll(() => card(page).innerText()).toContain('Rank the files by their length');
  await has('step');
  expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset['step'])).toBe('s2');
  expect(complaints).toEqual([]);
  await close();
});

test('an answered question leaves the focus where one writes, or on the next question', async () => {
  const one = await shown({ scene: 'confirm' });
  await one.page.getByTestId('request-approve').focus();
  await one.page.keyboard.press('Enter');
  await one.has('composer');
  await one.close();

  const two = await shown({ scene: 'question' }, (page) => page.getByTestId('nav-inbox').click());
  await two.page.getByTestId('option').first().focus();
  await two.page.keyboard.press('Space');
  await two.page.keyboard.press('Enter');
  await expect.poll(() => two.page.getByTestId('inbox-item').count()).toBe(1);
  expect(await within(two.page, 'inbox')).toBe(true);
  await two.close();
});

test('messages that wait hand the focus on to each other, the last one to where one writes', async () => {
  const { page, complaints, close, has } = await shown({ scene: 'running' });
  for (const words of ['One', 'Two']) {
    await page.getByTestId('composer').fill(words);
    await page.keyboard.press('Enter');
  }
  await expect.poll(() => page.getByTestId('queued').count()).toBe(2);
  await page.getByTestId('queued-edit').first().focus();
  await page.keyboard.press('Enter');
  await has('queued-input');
  await page.keyboard.press('Escape');
  await has('queued-edit');
  await page.getByTestId('queued-remove').first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('queued').allInnerTexts()).toHaveLength(1);
  await has('queued-remove');
  await page.keyboard.press('Enter');
  await has('composer');
  expect(complaints).toEqual([]);
  await close();
});

test('who has a run carried on goes on writing', async () => {
  const { page, complaints, close, has } = await shown({ scene: 'abandoned' });
  await page.getByTestId('carry-on').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByTestId('carry-on').count()).toBe(0);
  await has('composer');
  expect(complaints).toEqual([]);
  await close();
});

test('a pane that lies over the middle takes the focus, keeps it from what is beneath, and gives it back', async () => {
  const { page, complaints, close, has } = await shown({ scene: 'done', width: 640, height: 410 });
  await page.getByTestId('composer').focus();
  for (const [key, pane] of [
    ['Control+i', 'inspector'],
    ['Control+b', 'sidebar'],
  ] as const) {
    for (const leave of ['Escape', key]) {
      await page.keyboard.press(key);
      await has(pane);
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => document.activeElement?.closest('main')?.tagName ?? '');
        expect([pane, at]).toEqual([pane, '']);
      }
      await page.keyboard.press(leave);
      await has('composer');
    }
  }
  // From one pane to the other, and from there back.
  await page.keyboard.press('Control+b');
  await page.keyboard.press('Control+i');
  await has('inspector');
  await page.keyboard.press('Escape');
  await has('composer');
  await page.keyboard.press('Control+b');
  await has('sidebar');
  await reach(page, 'session');
  await page.keyboard.press('Enter');
  await has('composer');
  expect(complaints).toEqual([]);
  await close();
});

test('what is called up over a drawer stands in front, whoever calls it up, and Escape closes a drawer and nothing else', async () => {
  const { page, complaints, close } = await shown({ scene: 'question', width: 640, height: 410 });
  const drawer = page.locator('.drawer');
  await page.keyboard.press('Control+b');
  await drawer.waitFor();
  await page.keyboard.press('Control+,');
  await page.getByTestId('settings').waitFor();
  await expect.poll(() => drawer.count()).toBe(0);

  await page.keyboard.press('Control+b');
  await drawer.waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => drawer.count()).toBe(0);
  await settled(page);
  expect(await page.getByTestId('settings').count()).toBe(1);

  await page.keyboard.press('Control+b');
  await drawer.waitFor();
  // As the tray does.
  await engine(page, (world) => world.tell({ type: 'show_inbox' }));
  await page.getByTestId('inbox').waitFor();
  await expect.poll(() => drawer.count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByTestId('turns').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a plan that waits beneath a drawer is not approved by key before it is seen', async () => {
  const { page, complaints, close } = await shown({ scene: 'proposed', width: 640, height: 410 });
  await page.keyboard.press('Control+i');
  await page.locator('.drawer').waitFor();
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.locator('.drawer').count()).toBe(0);
  await expect.poll(() => page.getByTestId('said-now').textContent()).toContain('is shown now');
  await settled(page);
  expect(await card(page).getAttribute('data-status')).toBe('proposed');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => card(page).getAttribute('data-status')).toBe('approved');
  expect(complaints).toEqual([]);
  await close();
});

test('a pane beside the middle that is hidden leaves the focus on what shows it again', async () => {
  const { page, complaints, close, has } = await shown({ scene: 'done' });
  await page.getByTestId('session-filter').focus();
  await page.keyboard.press('Control+b');
  await has('toggle-sidebar');
  await page.getByTestId('inspector-tab-graph').focus();
  await page.keyboard.press('Control+i');
  await has('toggle-inspector');
  expect(complaints).toEqual([]);
  await close();
});

test('the key of a new request leads to where it is written, also where it is shown already', async () => {
  const { page, complaints, close, has } = await shown({ scene: 'sample' }, async () => undefined);
  await page.getByTestId('composer').waitFor();
  await page.getByTestId('session-filter').focus();
  await page.keyboard.press('Control+n');
  await has('composer');
  await session('Weekly invoice check')(page);
  await page.keyboard.press('Control+n');
  await has('composer');
  expect(complaints).toEqual([]);
  await close();
});

test('five hundred steps: the last and the first are reached by keys, a new one is opened in sight, a refusal is seen', async () => {
  const { page, complaints, close, has } = await shown({ scene: 'large' }, session('A plan of 500 steps'));
  const at = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset['step']);
  const inSight = (testid: string) =>
    page.getByTestId(testid).evaluate((element) => {
      const frame = element.closest('.frame.long')?.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return Boolean(frame && top >= frame.top - 1 && bottom <= frame.bottom + 1);
    });
  await page.getByTestId('step').first().focus();
  await page.keyboard.press('End');
  await expect.poll(at).toBe('s500');
  // It needs the fifth step above it.
  for (const place of [498, 497, 496, 495]) {
    await page.keyboard.press('Alt+ArrowUp');
    await expect
      .poll(() =>
        page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-at]')?.dataset['at']),
      )
      .toBe(`${place}`);
  }
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByTestId('refused').waitFor();
  await expect.poll(() => inSight('refused')).toBe(true);
  await page.keyboard.press('Home');
  await expect.poll(at).toBe('s1');

  // From elsewhere, Tab leads to the step that was reached last, however far away it is.
  await page.keyboard.press('End');
  await expect.poll(at).toBe('s499');
  await page.getByTestId('plan-title').focus();
  await page.locator('.frame.long').evaluate((frame) => frame.scrollTo(0, 0));
  await reach(page, 'step');
  expect(await at()).toBe('s499');

  await page.locator('.frame.long').evaluate((frame) => frame.scrollTo(0, 0));
  await page.getByTestId('add-step').focus();
  await page.keyboard.press('Enter');
  await has('add-input');
  await page.keyboard.type('Put the parts together');
  await page.keyboard.press('Enter');
  await has('edit-description');
  expect(await page.getByTestId('edit-description').inputValue()).toBe('Put the parts together');
  await expect.poll(() => inSight('edit-description')).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(at).toBe('s501');
  expect(complaints).toEqual([]);
  await close();
});
