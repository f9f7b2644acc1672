import type { Attachment } from 'svelte/attachments';

/** The room between a box and what hangs from it, and to the edges of the window. */
const GAP = 4;
const EDGE = 8;

/**
 * Hangs a list from a box, below it or, where there is more room, above, as wide as the box; it stays there while
 * something scrolls. The list has to be `position: fixed`, so that no frame cuts it off.
 */
export function anchored(box: () => HTMLElement | undefined, most: number): Attachment<HTMLElement> {
  return (list) => {
    const place = () => {
      const at = box()?.getBoundingClientRect();
      if (!at) return;
      const below = window.innerHeight - at.bottom - GAP - EDGE;
      const above = at.top - GAP - EDGE;
      list.style.maxHeight = 'none';
      const wanted = Math.min(most, list.scrollHeight + 2);
      const up = below < wanted && above > below;
      const height = Math.min(wanted, up ? above : below);
      list.style.maxHeight = `${height}px`;
      list.style.left = `${at.left}px`;
      list.style.width = `${at.width}px`;
      list.style.top = `${up ? at.top - GAP - height : at.bottom + GAP}px`;
    };
    place();
    const observer = new MutationObserver(place);
    observer.observe(list, { childList: true });
    window.addEventListener('scroll', place, { capture: true, passive: true });
    window.addEventListener('resize', place);
    return () => {
      observer.disconnect();
      window.removeEventListener('scroll', place, { capture: true });
      window.removeEventListener('resize', place);
    };
  };
}
