import type { Component } from 'svelte';

/** A view that is not part of the first one, as `import('./View.svelte')` gives it. */
export type Fetched<Props extends Record<string, unknown>> = () => Promise<{ default: Component<Props> }>;

/** A view whose code comes by itself: after the first view stands, or when it is called up before that. */
export class Later<Props extends Record<string, unknown>> {
  view = $state.raw<Component<Props> | null>(null);
  /** Why its code did not come. */
  failure = $state.raw<string | null>(null);
  #fetching: Promise<void> | null = null;

  constructor(readonly code: Fetched<Props>) {}

  /** Has the code come; resolves once it is there, or has failed to come. */
  fetch(): Promise<void> {
    this.#fetching ??= this.#fetch();
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    try {
      this.view = (await this.code()).default;
      this.failure = null;
    } catch (thrown) {
      this.failure = thrown instanceof Error ? thrown.message : String(thrown);
      this.#fetching = null;
    }
  }
}
