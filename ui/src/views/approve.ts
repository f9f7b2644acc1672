import type { PlanId } from '../backend/bindings';

const CARD = '[data-plan]';
const ready = '[data-approve]:not([aria-disabled])';

/**
 * Approves by key: the card in which the focus is, else the one plan that waits; where several wait, none. A field of
 * the card is left first, so that what was written there is part of what is approved: the card makes the change before
 * it approves, and approves nothing when the change is refused. Text that is written elsewhere keeps the key from
 * approving anything.
 */
export function approveByKey(page: Document, waiting: readonly PlanId[]): void {
  const focused = page.activeElement instanceof HTMLElement ? page.activeElement : page.body;
  const own = focused.closest<HTMLElement>(CARD);
  if (own) {
    if (isText(focused)) focused.blur();
    own.querySelector<HTMLElement>(ready)?.click();
    return;
  }
  if (isText(focused) && focused.value.trim() !== '') return;
  const [only, ...others] = waiting;
  if (only === undefined || others.length > 0) return;
  const card = [...page.querySelectorAll<HTMLElement>(CARD)].find((one) => one.dataset['plan'] === only);
  card?.querySelector<HTMLElement>(ready)?.click();
}

function isText(element: HTMLElement): element is HTMLInputElement | HTMLTextAreaElement {
  return (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !/^(checkbox|radio|button|submit)$/.test(element.type))
  );
}
