import type { PlanId } from '../backend/bindings';
import { isText, takeWritten } from '../shared/leaving';
import { text } from '../shared/text';

const CARD = '[data-plan]';

/**
 * Approves by key: the card in which the focus is, else the one plan that waits; where several wait, none. What stands in
 * a field of the card is taken first, so that it is part of what is approved: the card makes the change before
 * it approves, and approves nothing when the change is refused. Text that is written elsewhere keeps the key from
 * approving anything. What is nowhere on the page, or not in sight, is not approved unseen: `show` has it shown. What cannot
 * be approved says why; so does a note on something else that is open in the card.
 */
export function approveByKey(
  page: Document,
  waiting: readonly PlanId[],
  show: (plan: PlanId) => void,
  say: (words: string) => void,
): void {
  const focused = page.activeElement instanceof HTMLElement ? page.activeElement : page.body;
  const own = focused.closest<HTMLElement>(CARD);
  if (own) {
    takeWritten();
    press(own, say);
    return;
  }
  if (isText(focused) && focused.value.trim() !== '') return;
  const [only, ...others] = waiting;
  if (only === undefined || others.length > 0) return;
  const card = [...page.querySelectorAll<HTMLElement>(CARD)].find((one) => one.dataset['plan'] === only);
  if (card && isInSight(card)) press(card, say);
  else show(only);
}

function isInSight(card: HTMLElement): boolean {
  const { top, bottom } = card.getBoundingClientRect();
  return bottom >= 0 && top <= window.innerHeight;
}

/** Approves a card, or says why it cannot be. */
function press(card: HTMLElement, say: (words: string) => void): void {
  const button = card.querySelector<HTMLElement>('[data-approve]');
  if (!button && card.querySelector('[data-note]')) say(text.plan.noteOpen);
  const why = button?.getAttribute('aria-description');
  if (!button?.ariaDisabled) button?.click();
  else if (why) say(why);
}
