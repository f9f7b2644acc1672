/**
 * Keeps the focus from falling to nowhere: when what has it goes, what stands in its place takes it. What goes, or an
 * element around it, may name who takes the focus instead, by ids in `data-next-focus`, the first that can.
 */
export function keepsFocus(container: HTMLElement): () => void {
  let held: Held | null = null;

  const came = ({ target }: FocusEvent) => {
    held =
      target instanceof HTMLElement ? { element: target, around: surroundings(target, container) } : null;
  };
  const left = ({ relatedTarget }: FocusEvent) => {
    // Without another element that takes it, the one that had it may just have gone.
    if (relatedTarget) held = null;
  };
  // Who presses beside everything has left it, and is not led back to anything.
  const pressed = ({ target }: PointerEvent) => {
    if (target instanceof Element && !target.closest(`${FOCUSABLE}, label`)) held = null;
  };
  const observer = new MutationObserver(() => {
    if (!held || held.element.isConnected) return;
    const { around } = held;
    held = null;
    if (document.activeElement === document.body) giveOn(around);
  });

  container.addEventListener('focusin', came);
  container.addEventListener('focusout', left);
  container.addEventListener('pointerdown', pressed);
  observer.observe(container, { childList: true, subtree: true });
  return () => {
    container.removeEventListener('focusin', came);
    container.removeEventListener('focusout', left);
    container.removeEventListener('pointerdown', pressed);
    observer.disconnect();
  };
}

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** What had the focus, and it and each element around it with its place among what can have the focus there. */
interface Held {
  element: HTMLElement;
  around: { element: HTMLElement; place: number }[];
}

function giveOn(around: Held['around']): void {
  for (const { element, place } of around) {
    const named = (element.dataset['nextFocus'] ?? '').split(' ').map((id) => document.getElementById(id));
    if (named.some((one) => one && takes(one))) return;
    if (!element.isConnected) continue;
    const all = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
    // What stands in its place, else what comes after it, else what is nearest before it.
    const next = [...all.slice(place), ...all.slice(0, place).reverse()];
    if (next.some(takes)) return;
  }
}

/** Whether an element has the focus now. */
function takes(element: HTMLElement): boolean {
  if (!element.checkVisibility()) return false;
  element.focus();
  return document.activeElement === element;
}

function surroundings(target: HTMLElement, container: HTMLElement): Held['around'] {
  // One look through the document for all of them: it is taken whenever the focus moves.
  const all = [...container.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const at = all.indexOf(target);
  const around: Held['around'] = [];
  let first = at;
  for (let element: HTMLElement | null = target; element; element = element.parentElement) {
    while (first > 0 && element.contains(all[first - 1] ?? null)) first -= 1;
    around.push({ element, place: Math.max(0, at - first) });
    if (element === container) break;
  }
  return around;
}
