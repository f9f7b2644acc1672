import { configure } from '@testing-library/svelte';

// Generous, because a busy machine is slow and not wrong.
configure({ asyncUtilTimeout: 30_000 });

/** What jsdom lacks of a browser. */
class NoResizes {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoResizes as unknown as typeof ResizeObserver;
globalThis.CSS ??= { escape: (name: string) => name } as typeof CSS;
// Tests that read files only have no page.
if ('Element' in globalThis) {
  Element.prototype.scrollIntoView ??= () => undefined;
  Element.prototype.checkVisibility ??= () => true;
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false;
  };
}
