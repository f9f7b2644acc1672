import 'svelte/elements';

declare module 'svelte/elements' {
  interface AriaAttributes {
    /** What is said of an element after its name; in WAI-ARIA 1.3, which the types do not have yet. */
    'aria-description'?: string | undefined | null;
  }
}
