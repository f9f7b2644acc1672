import type { Page } from 'playwright-core';

/**
 * What is cut off or reaches out of its pane, as short lines. The panes hide what is wider than they are, so that the
 * page as a whole is never too wide: it is asked of each element whether it holds more than it shows, and of what can
 * be pressed or written in whether it stands in its pane.
 */
export function beyond(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const PANES = 'main, nav, aside, dialog';
    /** What is drawn around what has the focus may stand out by so many pixels. */
    const RING = 2;
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} ${element.getAttribute('data-testid') ?? ''} “${(element.textContent ?? '').trim().slice(0, 40)}”`;
    const scrolls = (style: CSSStyleDeclaration) => ['auto', 'scroll'].includes(style.overflowX);
    const found: string[] = [];
    for (const pane of document.querySelectorAll(PANES)) {
      const edges = pane.getBoundingClientRect();
      for (const element of pane.querySelectorAll<HTMLElement>('*')) {
        if (!(element instanceof HTMLElement) || element.closest(PANES) !== pane) continue;
        if (element.closest('.hidden-text, [role="separator"], [role="menu"], [data-testid="graph"]'))
          continue;
        const style = getComputedStyle(element);
        const more = element.scrollWidth - element.clientWidth;
        const shows = scrolls(style) || style.textOverflow === 'ellipsis' || style.display === 'inline';
        const isField = element.matches('input, select, textarea');
        if (element.clientWidth > 0 && more > RING && !shows && !isField)
          found.push(`${name(element)} holds ${more} pixels more than it shows`);
        if (!element.matches('button, input, select, textarea, a[href]')) continue;
        let within: Element | null = element.parentElement;
        while (within && within !== pane && !scrolls(getComputedStyle(within))) within = within.parentElement;
        if (within !== pane && within?.matches('pre, table, .table')) continue;
        const { left, right, width } = element.getBoundingClientRect();
        if (width > 1 && (left < edges.left - RING || right > edges.right + RING))
          found.push(`${name(element)} reaches out of its pane`);
      }
    }
    return found;
  });
}
