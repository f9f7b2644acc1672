import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe';
import { open, settled, startBrowser, type Opened } from './browser';
import { beyond } from './edges';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A screen: the scene it begins with, how a person gets there, and in which width. */
export interface Screen {
  scene: string;
  width?: number;
  height?: number;
  /** Which files of the page are not there. */
  without?: RegExp;
  go?: (page: Page, opened: Opened) => Promise<void>;
}

export const session = (title: string) => async (page: Page) => {
  if (!(await page.getByTestId('sidebar').isVisible())) await page.getByTestId('toggle-sidebar').click();
  await page.getByTestId('session').filter({ hasText: title }).click();
  await page.getByTestId('turns').waitFor();
  await settled(page);
};
export const patents = session('Patents in the licences');
export const view = (id: string) => (page: Page) => page.getByTestId(`nav-${id}`).click();
export const tab = (id: string) => async (page: Page) => {
  await patents(page);
  await page.getByTestId(`inspector-tab-${id}`).click();
  await page.getByTestId(`panel-${id}`).waitFor();
};

/** Opens one of the views that the list of sessions leads to. */
export const go = async (page: Page, id: string) => {
  if (!(await page.getByTestId('sidebar').isVisible())) await page.getByTestId('toggle-sidebar').click();
  await view(id)(page);
};
/** Set to a folder, pictures of all screens are put there. */
const pictures = process.env['SCREENS'];

/** A test of each screen. */
export function look(screens: Record<string, Screen>): void {
  for (const [name, { scene, width, height, without, go }] of Object.entries(screens)) {
    test(`${name}: nothing for axe to say in either theme, nothing refused by the policy, nothing beyond the edges`, async () => {
      const opened = await open(browser, {
        scene,
        ...(width && { width }),
        ...(height && { height }),
        ...(without && { without }),
      });
      const { page, complaints, close } = opened;
      await go?.(page, opened);
      await settled(page);
      const picture = async (theme: string) => {
        if (pictures)
          await page.screenshot({ path: `${pictures}/${name.replace(/\W+/g, '-')}-${theme}.png` });
      };
      expect(await violations(page)).toEqual([]);
      await picture('light');
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await violations(page)).toEqual([]);
      await picture('dark');
      expect(await beyond(page)).toEqual([]);
      if (!without) expect(complaints).toEqual([]);
      await close();
    });
  }
}
