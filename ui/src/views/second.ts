/**
 * Keeps the second button from pressing anything: where the menu that it stands for is not shown, some engines tell of a
 * click of the first one.
 */
export function keepSecondQuiet(page: Document): () => void {
  let isSecond = false;
  const leave = new AbortController();
  const first = { capture: true, signal: leave.signal };
  page.addEventListener('mousedown', ({ button }) => (isSecond = button === 2), first);
  // Its click, if there is one, comes at once.
  page.addEventListener('mouseup', () => setTimeout(() => (isSecond = false)), first);
  page.addEventListener(
    'click',
    (event) => {
      if (!isSecond) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    first,
  );
  return () => leave.abort();
}
