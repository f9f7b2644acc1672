import { untrack } from 'svelte';
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
    this.#element = null;
    // An effect that moves the focus brings tips and takes them away; it does not depend on them.
    const before = untrack(() => this.shown);
    if (!before) return;
    this.#gone = performance.now();
    // An element that leaves the document with the focus says so while that is being changed, where nothing else may be.
    queueMicrotask(() => {
      if (this.shown === before) this.shown = null;
    });
  }
}

export const tips = new Tips();

/** Gives an element a tip. It adds to what the element is called and never stands in for it. */
export function tip(of: Tip | null | undefined): Attachment<HTMLElement | SVGElement> {
  return (element) => {
    if (!of?.words) return;
    const goings = ['pointerleave', 'pointerdown', 'blur', 'keydown'];
    const leave = () => {
      for (const name of goings) element.removeEventListener(name, leave);
      tips.go(element);
    };
    // Only who came can leave: a long list has many tips and shows one.
    const come = (soon: boolean) => {
      for (const name of goings) element.addEventListener(name, leave);
      tips.come(element, of, soon);
    };
    const enter = (event: Event) => {
      if ((event as PointerEvent).pointerType !== 'touch') come(false);
    };
    const focus = () => element.matches(':focus-visible') && come(true);
    element.addEventListener('pointerenter', enter);
    element.addEventListener('focus', focus);
    return () => {
      leave();
      element.removeEventListener('pointerenter', enter);
      element.removeEventListener('focus', focus);
    };
  };
}
