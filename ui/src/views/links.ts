/**
 * Keeps the window on its page: a link is opened outside whichever button it is clicked with, and what is dropped leads
 * nowhere. A text that is dropped into a field goes in.
 */
export function keepLinksOut(page: Document, open: (address: string) => void): () => void {
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element | null)?.closest?.<HTMLAnchorElement>('a[href]');
    if (!link || event.button === 2 || event.defaultPrevented) return;
    event.preventDefault();
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
  for (const click of ['click', 'auxclick'] as const)
    page.addEventListener(click, follow, { signal: leave.signal });
  for (const drop of ['dragenter', 'dragover', 'drop'] as const)
    page.addEventListener(drop, refuse, { signal: leave.signal });
  return () => leave.abort();
}
