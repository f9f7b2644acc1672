const acts = new Set<() => void>();

/** Calls when the page may be about to go: it is closed, left, or hidden. What it returns ends that. */
export function onLeaving(act: () => void): () => void {
  const hidden = () => document.visibilityState === 'hidden' && act();
  window.addEventListener('pagehide', act);
  document.addEventListener('visibilitychange', hidden);
  acts.add(act);
  return () => {
    window.removeEventListener('pagehide', act);
    document.removeEventListener('visibilitychange', hidden);
    acts.delete(act);
  };
}

/** Has everything done now that is done when the page may be about to go. */
export function leave(): void {
  for (const act of acts) act();
}

/**
 * Has the field that is being written in take what stands there as if it were left, without taking the focus from it.
 * What is ticked or chosen was taken when it was: to be told of it once more would be another choice.
 */
export function takeWritten(): void {
  const { activeElement } = document;
  if (activeElement && isText(activeElement))
    activeElement.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Has fields that show something else than what was taken of them last give it: it was not left yet, or not made. */
export function takeShown(within: ParentNode): void {
  for (const field of within.querySelectorAll('[data-taken]'))
    if (isText(field) && field.value !== shownIn(field, field.dataset['taken'] ?? ''))
      field.dispatchEvent(new Event('change', { bubbles: true }));
}

/** What a field shows of a text: it knows one kind of line breaks, or none where it has one line. */
function shownIn(field: HTMLInputElement | HTMLTextAreaElement, text: string): string {
  return field instanceof HTMLTextAreaElement ? text.replace(/\r\n?/g, '\n') : text.replace(/[\r\n]/g, '');
}

/** Whether somebody writes in it. */
export function isText(element: Element): element is HTMLInputElement | HTMLTextAreaElement {
  return (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !/^(checkbox|radio|button|submit)$/.test(element.type))
  );
}
