import type { PlanId } from '../backend/bindings';
import { isText, takeWritten } from '../shared/leaving';
import { text } from '../shared/text';

const CARD = '[data-plan]';

/**
 * Approves by key: the card in which the focus is, else the one plan in sight that waits; where several are, none. What
 * stands in a field of the card is taken first, so that it is part of what is approved: the card makes the change before
 * it approves, and approves nothing when the change is refused. Text that is written elsewhere keeps the key from
 * approving anything. What is nowhere on the page, or not in sight, is not approved unseen: `show` has the newest shown.
 * What cannot be approved says why; so does a note on something else that is open in the card.
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
    return press(own, say);
  }
  if (isText(focused) && focused.value.trim() !== '') return;
  const waits = ({ dataset }: HTMLElement) => waiting.includes(dataset['plan'] ?? '');
  const cards = [...page.querySelectorAll<HTMLElement>(CARD)];
  const [card, ...others] = cards.filter((one) => waits(one) && isInSight(one));
  if (card && others.length === 0) return press(card, say);
  const newest = waiting.at(-1);
  if (newest === undefined) return;
  show(newest);
  say(waiting.length > 1 ? text.plan.severalWait(waiting.length) : text.plan.shownFirst);
}

/** What lies beneath a drawer is not. */
function isInSight(card: HTMLElement): boolean {
  if (card.closest('[inert]')) return false;
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
