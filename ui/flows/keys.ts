import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Tab, or Shift with Tab, until something with this test id has the focus; it has to be seen that it has. */
export async function reach(
  page: Page,
  testid: string,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
  most = 60,
): Promise<void> {
  const way: string[] = [];
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press(key);
    const at = await page.evaluate(() => {
      const { activeElement: element } = document;
      return element?.getAttribute('data-testid') ?? element?.id ?? '';
    });
    way.push(at);
    if (at !== testid) continue;
    expect([testid, await looksOtherwise(page)]).toEqual([testid, true]);
    return;
  }
  throw new Error(`${most} times ${key} do not lead to ${testid}: ${way.join(' ')}`);
}

/** Whether what has the focus, or what stands around it, looks otherwise than without. */
function looksOtherwise(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const around: Element[] = [element];
    // A field without an outline has a frame that shows it; a switch is drawn by its label.
    for (let one = element.parentElement; one && around.length < 4; one = one.parentElement) around.push(one);
    around.push(...(element.nextElementSibling ? [element.nextElementSibling] : []), ...element.children);
    const looks = () =>
      around
        .map((one) => {
          const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, stroke, strokeWidth } =
            getComputedStyle(one);
          const outline =
            outlineStyle === 'none' ? 'none' : `${outlineStyle} ${outlineWidth} ${outlineColor}`;
          return [outline, boxShadow, borderColor, stroke, strokeWidth].join(' ');
        })
        .join('\n');
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { transition: none !important }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const seen = looks();
    // Nobody is told, so that what goes when it loses the focus stays.
    const quiet = (event: Event) => event.stopImmediatePropagation();
    for (const kind of ['blur', 'focus', 'focusin', 'focusout', 'change'])
      window.addEventListener(kind, quiet, true);
    element.blur();
    const unseen = looks();
    element.focus({ focusVisible: true, preventScroll: true } as FocusOptions);
    for (const kind of ['blur', 'focus', 'focusin', 'focusout', 'change'])
      window.removeEventListener(kind, quiet, true);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    return seen !== unseen;
  });
}

/** The test id of what has the focus, else its tag. */
export const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('data-testid') ?? document.activeElement?.tagName);
