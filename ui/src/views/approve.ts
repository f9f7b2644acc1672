import type { PlanId } from '../backend/bindings';
import { isText, takeWritten } from '../shared/leaving';

const CARD = '[data-plan]';
const ready = '[data-approve]:not([aria-disabled])';

/**
 * Approves by key: the card in which the focus is, else the one plan that waits; where several wait, none. What stands in
 * a field of the card is taken first, so that it is part of what is approved: the card makes the change before
 * it approves, and approves nothing when the change is refused. Text that is written elsewhere keeps the key from
 * approving anything.
 */
export function approveByKey(page: Document, waiting: readonly PlanId[]): void {
  const focused = page.activeElement instanceof HTMLElement ? page.activeElement : page.body;
  const own = focused.closest<HTMLElement>(CARD);
  if (own) {
    takeWritten();
    own.querySelector<HTMLElement>(ready)?.click();
    return;
  }
  if (isText(focused) && focused.value.trim() !== '') return;
  const [only, ...others] = waiting;
  if (only === undefined || others.length > 0) return;
  const card = [...page.querySelectorAll<HTMLElement>(CARD)].find((one) => one.dataset['plan'] === only);
  card?.querySelector<HTMLElement>(ready)?.click();
}
