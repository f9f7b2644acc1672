import type { Attachment } from 'svelte/attachments';

/** What is said of an element while the pointer rests on it, or once the keyboard has reached it. */
export interface Tip {
  words: string;
  /** The key that does the same, as people write it. */
  hint?: string | undefined;
}

/** How long the pointer rests before a tip comes; the next one comes at once while one has just been there. */
const REST_MS = 450;
const WARM_MS = 600;

class Tips {
  shown = $state.raw<{ tip: Tip; at: DOMRect } | null>(null);
  #element: Element | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #gone = -Infinity;

  /** Shows the tip of an element, soon or at once. */
  come(element: Element, tip: Tip, soon: boolean): void {
    this.go();
    this.#element = element;
    const warm = performance.now() - this.#gone < WARM_MS;
    const show = () => (this.shown = { tip, at: element.getBoundingClientRect() });
    if (soon || warm) show();
    else this.#timer = setTimeout(show, REST_MS);
  }

  /** Takes the tip away: that of one element, or whichever is shown. */
  go(element?: Element): void {
    if (element && element !== this.#element) return;
    clearTimeout(this.#timer);
    if (this.shown) this.#gone = performance.now();
    this.shown = null;
    this.#element = null;
  }
}

export const tips = new Tips();

/** Gives an element a tip. It adds to what the element is called and never stands in for it. */
export function tip(of: Tip | null | undefined): Attachment<HTMLElement | SVGElement> {
  return (element) => {
    if (!of?.words) return;
    const enter = (event: Event) => {
      if ((event as PointerEvent).pointerType !== 'touch') tips.come(element, of, false);
    };
    const focus = () => element.matches(':focus-visible') && tips.come(element, of, true);
    const leave = () => tips.go(element);
    const comings = [
      ['pointerenter', enter],
      ['focus', focus],
    ] as const;
    const goings = ['pointerleave', 'pointerdown', 'blur', 'keydown'];
    for (const [name, act] of comings) element.addEventListener(name, act);
    for (const name of goings) element.addEventListener(name, leave);
    return () => {
      leave();
      for (const [name, act] of comings) element.removeEventListener(name, act);
      for (const name of goings) element.removeEventListener(name, leave);
    };
  };
}
