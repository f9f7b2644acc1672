import { untrack } from 'svelte';

/** What is said of an element while the pointer rests on it, or once the keyboard has reached it. */
interface Tip {
  words: string;
  /** The key that does the same, as people write it. */
  hint: string | undefined;
}

/** How long the pointer rests before a tip comes; the next one comes at once while one has just been there. */
const REST_MS = 450;
const WARM_MS = 600;

const tipped = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement | SVGElement>('[data-tip]') : null;

/**
 * The tips of all elements that have one in their attributes: `data-tip` what it says, `data-tip-hint` the key. They add to
 * what an element is called and never stand in for it. One place listens for all: a long list has many and shows one.
 */
class Tips {
  shown = $state.raw<{ tip: Tip; at: DOMRect } | null>(null);
  /** Whose tip is shown, or comes. */
  #element: HTMLElement | SVGElement | null = null;
  /** The one that the pointer is on. */
  #over: Element | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #gone = -Infinity;
  readonly #changes = new MutationObserver(() => {
    const [element, shown] = [this.#element, this.shown];
    if (shown && !(element?.isConnected && element.dataset['tip'] === shown.tip.words)) this.go();
  });

  /** The pointer has come to something, or left the window. */
  over(target: EventTarget | null): void {
    const [left, element] = [this.#over, tipped(target)];
    if (element === left) return;
    this.#over = element;
    if (element) this.#come(element, false);
    else if (left) this.go(left);
  }

  /** The keyboard has reached something. */
  reached(target: EventTarget | null): void {
    const element = tipped(target);
    if (element === target && element?.matches(':focus-visible')) this.#come(element, true);
  }

  /** Takes the tip away: that of one element, or whichever is shown. */
  go(element?: EventTarget | null): void {
    if (element && element !== this.#element) return;
    clearTimeout(this.#timer);
    this.#changes.disconnect();
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

  #come(element: HTMLElement | SVGElement, soon: boolean): void {
    this.go();
    this.#element = element;
    const warm = performance.now() - this.#gone < WARM_MS;
    const show = () => {
      const { tip: words, tipHint: hint } = element.dataset;
      if (!words || !element.isConnected) return;
      this.shown = { tip: { words, hint }, at: element.getBoundingClientRect() };
      // Of what has gone, or says something else by now, nothing is shown any more.
      this.#changes.observe(document, { childList: true, subtree: true, attributeFilter: ['data-tip'] });
    };
    if (soon || warm) show();
    else this.#timer = setTimeout(show, REST_MS);
  }
}

export const tips = new Tips();
