import { soughtWithin } from '../shared/sought';

/** What is marked, for `::highlight()` in the styles. */
const NAME = 'sought';
/** What comes is marked so soon: not with every word of an answer that is being written. */
const SOON_MS = 150;

/**
 * Marks words wherever they stand in what may be searched, also in what comes into it later. The document stays as it is:
 * only how it is drawn changes.
 */
export function markSought(page: Document, words: string): () => void {
  if (typeof Highlight === 'undefined') return () => undefined;
  const { highlights } = CSS;
  let soon: ReturnType<typeof setTimeout> | undefined;
  const mark = () => {
    soon = undefined;
    const marked = new Highlight();
    for (const root of page.querySelectorAll('[data-searched]'))
      for (const { text, start, end } of soughtWithin(root, words))
        marked.add(
          new StaticRange({ startContainer: text, startOffset: start, endContainer: text, endOffset: end }),
        );
    highlights.set(NAME, marked);
  };
  const observer = new MutationObserver(() => (soon ??= setTimeout(mark, SOON_MS)));
  observer.observe(page.body, { childList: true, subtree: true, characterData: true });
  mark();
  return () => {
    observer.disconnect();
    clearTimeout(soon);
    highlights.delete(NAME);
  };
}
