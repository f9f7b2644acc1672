import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { inject } from 'vitest';

/**
 * The page in a real browser, on the scripted backend. It has the content security policy of the window and reports
 * what breaks it; nothing may be fetched from anywhere else.
 */

/** What differs between the pages that a test opens. */
export interface Look {
  scene: string;
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** Whether time stands still until the test moves it. */
  frozen?: boolean;
  /** Which files of the page are not there. */
  without?: RegExp;
  /** Whether things move; as most tests want it, nothing does. */
  moves?: boolean;
}

/** The names of the program; the first one on the path is taken. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
];

const HOUR_MS = 3_600_000;

/**
 * Waits until what is drawn was measured, and what follows from its size is drawn as well: until then a card has all of
 * its buttons, a drawing no size, a list no more than its first rows. Not for a page whose time stands still.
 */
export function settled(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((done) => {
        const next = (left: number) =>
          left === 0 ? done() : requestAnimationFrame(() => setTimeout(() => next(left - 1)));
        next(3);
      }),
  );
}

/** Every text and name that an element of a test id has from now on, however briefly. */
export async function followed(page: Page, testid: string): Promise<() => Promise<string[]>> {
  await page.evaluate((testid) => {
    const shown: string[] = [];
    Object.assign(window, { [`shown-${testid}`]: shown });
    const look = () => {
      for (const one of document.querySelectorAll<HTMLElement>(`[data-testid="${testid}"]`))
        shown.push(one.innerText, one.ariaLabel ?? '');
    };
    new MutationObserver(look).observe(document.body, {
      attributes: true,
      characterData: true,
      childList: true,
      subtree: true,
    });
  }, testid);
  return () => page.evaluate((testid) => (window as never)[`shown-${testid}`] as string[], testid);
}

/** A browser for one file of tests. */
export function startBrowser(): Promise<Browser> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) =>
    existsSync(file),
  );
  if (!found) throw new Error(`these tests need ${NAMES.join(' or ')}; scripts/setup test installs it`);
  return chromium.launch({ executablePath: found, args: FLAGS });
}

/** An open page, with what went wrong in it without a test looking: errors, refused resources, requests elsewhere. */
export interface Opened {
  page: Page;
  complaints: string[];
  /** Makes `times` things happen in the engine; without a number, everything that can without a person. */
  advance(times?: number): Promise<void>;
  close(): Promise<void>;
}

/** The page that a test of a browser has left as good as new: to begin another takes longer than most tests. */
const left = new WeakMap<Browser, Page>();

/** A page that nothing is known of. */
async function blank(browser: Browser): Promise<Page> {
  const page = left.get(browser);
  left.delete(browser);
  if (page) return page;
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  return context.newPage();
}

/** Leaves a page to the next test, without anything that this one has done to it. */
async function leave(browser: Browser, page: Page): Promise<void> {
  for (const event of ['pageerror', 'console', 'request'] as const) page.removeAllListeners(event);
  await page.unrouteAll();
  await page.mouse.move(-1, -1);
  const origin = new URL(inject('address')).origin;
  // What a page has just kept is on its way to the browser, and may come there after all was cleared: so it goes the same
  // way, and the last words of the page are not kept.
  if (page.url().startsWith(origin))
    await page.evaluate(() => {
      localStorage.clear();
      Storage.prototype.setItem = () => undefined;
    });
  await page.goto('about:blank');
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
  left.set(browser, page);
}

/** Opens a page on a scene and waits until the window stands. */
export async function open(
  browser: Browser,
  { scene, width = 1440, height = 860, theme = 'light', frozen = false, without, moves = false }: Look,
): Promise<Opened> {
  const address = inject('address');
  const page = await blank(browser);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: moves ? 'no-preference' : 'reduce' });
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith('data:')) complaints.push(`request: ${url}`);
  });
  const begin = Date.now();
  if (frozen) await page.clock.install({ time: begin });
  if (without) await page.route(without, (route) => route.abort());
  await page.goto(`${address}?by=hand&scene=${scene}`);
  await page.getByTestId('main').or(page.getByTestId('not-started')).waitFor();
  // Only a clock that is stopped stands still: one that is merely installed goes on with the time of the machine.
  if (frozen) await page.clock.pauseAt(begin + HOUR_MS);
  await page.evaluate(() => document.fonts.ready);
  return {
    page,
    complaints,
    advance: (times) =>
      page.evaluate((count) => {
        const { scripted } = window as unknown as { scripted: { advance(): boolean; settle(): void } };
        if (count === undefined) scripted.settle();
        else for (let at = 0; at < count; at += 1) scripted.advance();
      }, times),
    // A clock that was put in stays there.
    close: () => (frozen ? page.context().close() : leave(browser, page)),
  };
}
