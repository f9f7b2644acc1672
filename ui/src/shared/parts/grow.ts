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
      area.style.height = 'auto';
      // Without text it is as high as its rows, and nothing has to be laid out to know that.
      if (area.value === '') return;
      area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
    };
    fit();
    let width = 0;
    const observer = new ResizeObserver(() => {
      if (area.clientWidth === width) return;
      width = area.clientWidth;
      fit();
    });
    observer.observe(area);
    return () => observer.disconnect();
  };
}
