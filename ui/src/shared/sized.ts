import type { Attachment } from 'svelte/attachments';

/**
 * Tells how large an element is inside: once everything that comes with it stands, then whenever it changes. All that are
 * made together are measured together, so that the page is laid out once for them.
 */
export function sized(tell: (size: { width: number; height: number }) => void): Attachment<HTMLElement> {
  return (element) => {
    let known = { width: -1, height: -1 };
    let gone = false;
    const look = () => {
      const now = { width: element.clientWidth, height: element.clientHeight };
      if (gone || (now.width === known.width && now.height === known.height)) return;
      known = now;
      tell(now);
    };
    queueMicrotask(look);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      gone = true;
      observer.disconnect();
    };
  };
}
