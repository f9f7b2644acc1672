/** What jsdom lacks of a browser. */
class NoResizes {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoResizes as unknown as typeof ResizeObserver;
globalThis.CSS ??= { escape: (name: string) => name } as typeof CSS;
Element.prototype.scrollIntoView ??= () => undefined;
