import { soughtWithin } from '../shared/sought';

/** What is marked, for `::highlight()` in the styles. */
const NAME = 'sought';

/**
 * Marks words wherever they stand in what may be searched, also in what comes into it later. The document stays as it is:
 * only how it is drawn changes.
 */
export function markSought(page: Document, words: string): () => void {
  if (typeof Highlight === 'undefined') return () => undefined;
  const { highlights } = CSS;
  let frame = 0;
  const mark = () => {
    frame = 0;
    const marked = new Highlight();
    for (const root of page.querySelectorAll('[data-searched]'))
      for (const place of soughtWithin(root, words)) marked.add(new StaticRange(place));
    highlights.set(NAME, marked);
  };
  const observer = new MutationObserver(() => (frame ||= requestAnimationFrame(mark)));
  observer.observe(page.body, { childList: true, subtree: true, characterData: true });
  mark();
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
    highlights.delete(NAME);
  };
}
