import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, startBrowser } from './browser';
import { engine } from './engine';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('from a session that was found a button leads back to what was found; one that is opened by itself has none', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'done' });
  await page.getByTestId('session').first().click();
  await page.getByTestId('turns').waitFor();
  expect(await page.getByTestId('back-to-found').count()).toBe(0);
  await page.getByTestId('session-filter').fill('patents');
  await page.keyboard.press('Enter');
  const hits = page.getByTestId('hit');
  await hits.first().waitFor();
  const all = await hits.count();
  await hits.last().click();
  await page.getByTestId('turns').waitFor();
  await page.getByTestId('back-to-found').click();
  await expect.poll(() => hits.count()).toBe(all);
  expect(await page.getByTestId('search-input').inputValue()).toBe('patents');
  expect(complaints).toEqual([]);
  await close();
});

/** The words that are marked on the screen, and those of them that are in sight. */
const marked = (page: Page) =>
  page.evaluate(() => {
    const places = [...(CSS.highlights.get('sought') ?? [])].map((one) => {
      const range = document.createRange();
      range.setStart(one.startContainer, one.startOffset);
      range.setEnd(one.endContainer, one.endOffset);
      return range;
    });
    const frame = document.querySelector('[data-testid="turns"]')?.getBoundingClientRect();
    const seen = places.filter((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return frame && top >= frame.top && bottom <= frame.bottom;
    });
    return { all: places.map(String), seen: seen.map(String) };
  });

test('a place far down in a long message is shown, and the newest is not offered where it is seen', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.keyboard.press('Control+n');
  await page.getByTestId('composer').fill('And an airship?');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').waitFor();
  const look = async (words: string, hits = 1) => {
    await page.keyboard.press('Control+f');
    await page.getByTestId('search-within').waitFor();
    await page.getByTestId('search-input').fill(words);
    await expect.poll(() => page.getByTestId('hit').count()).toBe(hits);
    await page.getByTestId('hit').last().click();
  };
  await look('airship');
  await expect.poll(() => marked(page)).toEqual({ all: ['airship'], seen: ['airship'] });
  expect(await page.getByTestId('to-end').count()).toBe(0);
  await engine(page, (world) => {
    const session =
      [...world.events].find(([, events]) => JSON.stringify(events).includes('airship'))?.[0] ?? '';
    const text = `${'Many words. '.repeat(3000)}A zeppelin over the lake. ${'More words. '.repeat(3000)}`;
    world.commit({ session, turn: 'long' }, { kind: 'message_received', text });
    world.commit({ session, turn: 'again' }, { kind: 'message_received', text });
    for (let at = 0; at < 20; at += 1)
      world.commit({ session, turn: `later ${at}` }, { kind: 'message_received', text: `And now, ${at}?` });
  });
  // What was tried again is told in one line, until something is looked for in it.
  await look('zeppelin lake', 2);
  await expect.poll(() => marked(page)).toMatchObject({ seen: ['zeppelin', 'lake'] });
  await page.getByTestId('to-end').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('Ctrl+F looks within the session that is shown; what is found far down in a long answer is in sight and marked until Escape', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'done' });
  await engine(page, (world) => {
    const [versions] = [...world.plans.values()];
    const session = versions?.at(-1)?.plan.sessionId ?? '';
    const place = { session, turn: 'long' };
    const lines = Array.from(
      { length: 300 },
      (_, at) => `Line ${at}${at === 200 ? ' of a *zeppelin*' : ''}.`,
    );
    world.commit(place, { kind: 'message_received', text: 'Everything?' });
    // As the engine has it, and far enough from the end that nobody has read it.
    const text = lines.join('\n\n');
    world.blobs.set('long', text);
    world.commit(place, {
      kind: 'answered',
      text: { blob: 'long', bytes: text.length, preview: text.slice(0, 200) },
    });
    world.commit(place, { kind: 'turn_ended', status: 'answered' });
    for (let at = 0; at < 40; at += 1)
      world.commit({ session, turn: `later ${at}` }, { kind: 'message_received', text: `And now, ${at}?` });
  });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByText('And now, 39?').waitFor();
  await page.keyboard.press('Control+f');
  await page.getByTestId('search-within').waitFor();
  await page.keyboard.type('zepp');
  const hits = page.getByTestId('hit');
  await expect.poll(() => hits.count()).toBe(1);
  await page.keyboard.press('Control+f');
  await page.keyboard.type('zeppelin');
  expect(await page.getByTestId('search-input').inputValue()).toBe('zeppelin');
  await hits.click();
  await expect.poll(() => marked(page)).toEqual({ all: ['zeppelin'], seen: ['zeppelin'] });
  await page.keyboard.press('Escape');
  await expect.poll(() => marked(page)).toEqual({ all: [], seen: [] });
  expect(complaints).toEqual([]);
  await close();
});
