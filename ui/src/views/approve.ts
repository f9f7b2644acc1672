import type { PlanId } from '../backend/bindings';
import { isText, takeWritten } from '../shared/leaving';
import { text } from '../shared/text';

const CARD = '[data-plan]';
const APPROVE = '[data-approve]';
/** What stands at the end of a card: what approving it and what its changes allow, and what does so, or a note in its place. */
const MAY = '[data-may]';
const DECIDE = `${APPROVE}, [data-note]`;

/**
 * Approves by key: the card in which the focus is, else the one plan in sight that waits; where several are, none. What
 * stands in a field of the card is taken first, so that it is part of what is approved: the card makes the change before
 * it approves, and approves nothing when the change is refused. Text that is written elsewhere keeps the key from
 * approving anything. What is nowhere on the page, or of which the foot is not in sight, is not approved unseen: `show` has
 * the one with the focus shown, which it keeps, or else the newest. What cannot be approved says why; so does a note on
 * something else that is open in the card.
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
    // Of what is scrolled away nothing is taken; of the rest it is before the foot is shown, which tells what it allows.
    const isSeen = isInSight(own);
    if (isSeen) takeWritten();
    const plan = own.dataset['plan'];
    const isWhole = isSeen && isFootInSight(own);
    if (plan === undefined || !own.querySelector(APPROVE) || isWhole) return press(own, say);
    show(plan);
    return say(text.plan.shownFirst);
  }
  if (isText(focused) && focused.value.trim() !== '') return;
  const waits = ({ dataset }: HTMLElement) => waiting.includes(dataset['plan'] ?? '');
  const cards = [...page.querySelectorAll<HTMLElement>(CARD)];
  const [card, ...others] = cards.filter((one) => waits(one) && isInSight(one));
  if (card && others.length === 0 && isFootInSight(card)) return press(card, say);
  const newest = waiting.at(-1);
  if (newest === undefined) return;
  show(newest);
  say(waiting.length > 1 ? text.plan.severalWait(waiting.length) : text.plan.shownFirst);
}

/** So many frames a card that was called up may take until it stands where it stays; seen for so many, it does. */
const MOST_FRAMES = 60;
const STILL_FRAMES = 4;

/**
 * Brings the foot of a card into sight, once the card is there: of a long one its beginning alone may be shown. A person
 * who goes elsewhere meanwhile is not held.
 */
export async function showFoot(page: Document, plan: PlanId): Promise<void> {
  let still = 0;
  const left = new AbortController();
  for (const moved of ['wheel', 'pointerdown'] as const)
    page.addEventListener(moved, () => left.abort(), { capture: true, passive: true, signal: left.signal });
  for (let times = 0; times < MOST_FRAMES && still < STILL_FRAMES; times += 1) {
    await new Promise(requestAnimationFrame);
    if (left.signal.aborted) return;
    const card = page.querySelector<HTMLElement>(`[data-plan="${CSS.escape(plan)}"]`);
    const isThere = card !== null && isFootInSight(card);
    still = isThere ? still + 1 : 0;
    if (!isThere) card?.scrollIntoView({ block: 'end' });
  }
  left.abort();
}

/** Whether any of it is seen. What lies beneath a drawer is not. */
function isInSight(card: HTMLElement): boolean {
  if (card.closest('[inert]')) return false;
  const { top, bottom } = card.getBoundingClientRect();
  const seen = frameOf(card);
  return bottom >= seen.top && top <= seen.bottom && seen.top <= seen.bottom;
}

/** Whether the end of it is seen: half a line of that is enough to read what it is. */
function isFootInSight(card: HTMLElement): boolean {
  // What is allowed is seen once the last of it is.
  const may = [...card.querySelectorAll<HTMLElement>(MAY)].slice(-1);
  const foot = [...card.querySelectorAll<HTMLElement>(DECIDE), ...may];
  return (foot.length > 0 ? foot : [card]).some((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    const seen = frameOf(one);
    const middle = (top + bottom) / 2;
    return middle >= seen.top && middle <= seen.bottom;
  });
}

/** From where to where it is not cut off: by the window, and by all that scrolls or ends around it. */
function frameOf(element: HTMLElement): { top: number; bottom: number } {
  let [top, bottom] = [0, window.innerHeight];
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (!/auto|scroll|hidden|clip/.test(getComputedStyle(around).overflowY)) continue;
    const box = around.getBoundingClientRect();
    [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
  }
  return { top, bottom };
}

/** Approves a card, or says why it cannot be. */
function press(card: HTMLElement, say: (words: string) => void): void {
  const button = card.querySelector<HTMLElement>(APPROVE);
  if (!button && card.querySelector('[data-note]')) say(text.plan.noteOpen);
  const why = button?.getAttribute('aria-description');
  if (!button?.ariaDisabled) button?.click();
  else if (why) say(why);
}
