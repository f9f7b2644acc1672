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
 * What is ticked or chosen was taken when it was: to be told of it once more would be another choice. Nor is told what a
 * field shows of what was taken of it: nobody wrote that.
 */
export function takeWritten(): void {
  const { activeElement } = document;
  if (activeElement && isText(activeElement) && !showsTaken(activeElement))
    activeElement.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Has fields that show something else than what was taken of them last give it: it was not left yet, or not made. */
export function takeShown(within: ParentNode): void {
  for (const field of within.querySelectorAll('[data-taken]'))
    if (isText(field) && !showsTaken(field)) field.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Whether a field shows what was taken of it last, and that is known. */
export function showsTaken(field: HTMLInputElement | HTMLTextAreaElement): boolean {
  const { taken } = field.dataset;
  if (taken === undefined) return false;
  // It knows one kind of line breaks, or none where it has one line.
  const isTall = field instanceof HTMLTextAreaElement;
  return field.value === (isTall ? inLines(taken) : taken.replace(/[\r\n]/g, ''));
}

/** Whether what was written says something else than before, beside how lines are broken and what stands around it. */
export function isOther(before: string, written: string): boolean {
  return inLines(before).trim() !== inLines(written).trim();
}

/** A text with the one kind of line breaks that a field of several lines has. */
function inLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Whether somebody writes in it. */
export function isText(element: Element): element is HTMLInputElement | HTMLTextAreaElement {
  return (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !/^(checkbox|radio|button|submit)$/.test(element.type))
  );
}
