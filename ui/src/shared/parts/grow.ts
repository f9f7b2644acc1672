import type { Attachment } from 'svelte/attachments';

/** Keeps a text area as high as its text, up to what its style sheet allows. Attach it anew for each text. */
export function grow(_text: string): Attachment<HTMLTextAreaElement> {
  return (area) => {
    // The engine that can do it by itself needs no layout for it in between.
    if ('fieldSizing' in area.style) {
      area.style.setProperty('field-sizing', 'content');
      return;
    }
    const fit = () => {
      // Without text it is as high as its rows, and nothing has to be laid out to know that.
      area.style.height = area.value === '' ? 'auto' : `${heightFor(area)}px`;
    };
    fit();
    // Its text comes anew once it was taken; what is being written is told here alone.
    area.addEventListener('input', fit);
    let width = 0;
    const observer = new ResizeObserver(() => {
      if (area.clientWidth === width) return;
      width = area.clientWidth;
      fit();
    });
    observer.observe(area);
    return () => {
      area.removeEventListener('input', fit);
      observer.disconnect();
    };
  };
}

/**
 * How high a text area has to be for its text. That is measured beside it: if it were low for a moment itself, what scrolls
 * around it would lose its place.
 */
function heightFor(area: HTMLTextAreaElement): number {
  const measure = area.cloneNode() as HTMLTextAreaElement;
  for (const name of ['id', 'name', 'data-testid', 'data-taken', 'autofocus']) measure.removeAttribute(name);
  measure.value = area.value;
  measure.tabIndex = -1;
  measure.ariaHidden = 'true';
  Object.assign(measure.style, {
    position: 'absolute',
    visibility: 'hidden',
    overflow: 'hidden',
    width: `${area.offsetWidth}px`,
    // As high as its rows, which it is at least.
    height: 'auto',
  });
  area.after(measure);
  const height = measure.scrollHeight + area.offsetHeight - area.clientHeight;
  measure.remove();
  return height;
}
