import type { Attachment } from 'svelte/attachments';

/** What waits to be measured first: each measures, and says what it then has to tell. */
let waiting: (() => () => void)[] = [];

/** All are measured before anybody is told, because what is told changes the page. */
function measureAll(): void {
  const measured = waiting.map((measure) => measure());
  waiting = [];
  for (const tell of measured) tell();
}

/**
 * Tells how large an element is inside: once what is drawn together with it stands, then whenever it changes. All that
 * are made in one go are measured together after it, so that the page is laid out once for them.
 */
export function sized(tell: (size: { width: number; height: number }) => void): Attachment<HTMLElement> {
  return (element) => {
    let known = { width: -1, height: -1 };
    let gone = false;
    const measure = () => {
      const now = { width: element.clientWidth, height: element.clientHeight };
      return () => {
        if (gone || (now.width === known.width && now.height === known.height)) return;
        known = now;
        tell(now);
      };
    };
    if (waiting.length === 0) setTimeout(measureAll);
    waiting.push(measure);
    const observer = new ResizeObserver(() => measure()());
    observer.observe(element);
    return () => {
      gone = true;
      observer.disconnect();
    };
  };
}
