/**
 * Keeps what is read where it is, while what stands above it comes, goes or grows: nobody presses what has just moved
 * under the pointer. Engines that anchor what scrolls do so by themselves. The frame scrolls one child.
 */
export function staysInSight(frame: HTMLElement): (() => void) | undefined {
  if (CSS.supports?.('overflow-anchor', 'auto')) return undefined;
  let seen: { element: Element; at: number } | null = null;

  /** Where an element stands in what scrolls, however far that is scrolled, and wherever the frame is. */
  const placeOf = (element: Element) =>
    element.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop;
  // Also when it is scrolled: what has grown since would count as scrolled over otherwise.
  const settle = () => {
    const moved = seen?.element.isConnected ? placeOf(seen.element) - seen.at : 0;
    if (Math.abs(moved) >= 1) frame.scrollTop += moved;
    const element = frame.scrollTop > 0 ? firstSeen(frame) : null;
    seen = element && { element, at: placeOf(element) };
  };
  frame.addEventListener('scroll', settle, { passive: true });
  const observer = new ResizeObserver(settle);
  for (const child of frame.children) observer.observe(child);
  return () => {
    frame.removeEventListener('scroll', settle);
    observer.disconnect();
  };
}

/** The innermost element of a frame that is the first to be seen: what is above it may change without moving it. */
function firstSeen(frame: HTMLElement): Element | null {
  const edge = frame.getBoundingClientRect().top;
  let found: Element | null = null;
  for (let children = frame.children; children.length > 0;) {
    const first = [...children].find((child) => child.getBoundingClientRect().bottom > edge);
    if (!first) return found;
    found = first;
    // One that begins in sight stands for what is in it.
    if (first.getBoundingClientRect().top >= edge) return found;
    children = first.children;
  }
  return found;
}
