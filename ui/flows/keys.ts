import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Tab, or Shift with Tab, until something with this test id has the focus; it has to be seen that it has. */
export async function reach(
  page: Page,
  testid: string,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
  most = 60,
): Promise<void> {
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press(key);
    const at = await page.evaluate(() => {
      const { activeElement: element } = document;
      const shown = element?.matches(':focus-visible') ?? false;
      return { testid: element?.getAttribute('data-testid') ?? element?.id ?? '', shown };
    });
    if (at.testid !== testid) continue;
    expect(at.shown).toBe(true);
    return;
  }
  throw new Error(`${most} times ${key} do not lead to ${testid}`);
}

/** The test id of what has the focus, else its tag. */
export const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('data-testid') ?? document.activeElement?.tagName);
