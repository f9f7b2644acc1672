/**
 * Keeps the window on its page: a link is opened outside whichever button it is clicked with, and what is dropped leads
 * nowhere. A text that is dropped into a field goes in.
 */
export function keepLinksOut(page: Document, open: (address: string) => void): () => void {
  /** The button that was pressed last: once its menu is the page's own, some engines take the second one for the first. */
  let pressed = 0;
  const press = (event: Event) => (pressed = event instanceof MouseEvent ? event.button : 0);
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element | null)?.closest?.<HTMLAnchorElement>('a[href]');
    if (!link || event.button === 2 || event.defaultPrevented) return;
    event.preventDefault();
    if (pressed === 2) return;
    const elsewhere = link.origin !== page.location.origin;
    if (elsewhere && /^(https?|mailto):$/.test(link.protocol)) open(link.href);
  };
  const refuse = (event: DragEvent) => {
    const isField = (event.target as Element | null)?.closest?.('input, textarea');
    if (isField && !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  };
  const leave = new AbortController();
  for (const down of ['mousedown', 'keydown'] as const)
    page.addEventListener(down, press, { capture: true, signal: leave.signal });
  for (const click of ['click', 'auxclick'] as const)
    page.addEventListener(click, follow, { signal: leave.signal });
  for (const drop of ['dragenter', 'dragover', 'drop'] as const)
    page.addEventListener(drop, refuse, { signal: leave.signal });
  return () => leave.abort();
}
