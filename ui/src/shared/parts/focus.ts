const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** What had the focus, and each element around it with its place among what can have the focus there. */
interface Held {
  element: HTMLElement;
  around: { element: HTMLElement; place: number }[];
}

/** Keeps the focus from falling to nowhere: when what has it goes, what stands in its place takes it. */
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
  const observer = new MutationObserver(() => {
    if (!held || held.element.isConnected) return;
    const { around } = held;
    held = null;
    if (document.activeElement !== document.body) return;
    for (const { element, place } of around) {
      const all = element.isConnected ? focusable(element) : [];
      const next = all[Math.min(place, all.length - 1)];
      if (!next) continue;
      next.focus();
      return;
    }
  });

  container.addEventListener('focusin', came);
  container.addEventListener('focusout', left);
  observer.observe(container, { childList: true, subtree: true });
  return () => {
    container.removeEventListener('focusin', came);
    container.removeEventListener('focusout', left);
    observer.disconnect();
  };
}

function surroundings(target: HTMLElement, container: HTMLElement): Held['around'] {
  const around: Held['around'] = [];
  for (let element = target.parentElement; element; element = element.parentElement) {
    around.push({ element, place: focusable(element).indexOf(target) });
    if (element === container) break;
  }
  return around;
}

function focusable(within: HTMLElement): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((one) => one.checkVisibility());
}
