import type { Clock } from './clock';

/** Keystrokes are joined into one write of the draft. */
const KEEP_MS = 300;

/** When the unsaved document of a plan is kept: soon after a change, together with those that follow it. */
export class Keeping {
  #waiting: (() => void) | null = null;
  /** Whether the next change is kept without waiting for others. */
  #hurries = false;

  constructor(
    private readonly clock: Clock,
    private readonly keep: () => void,
  ) {}

  changed(): void {
    this.drop();
    if (this.#hurries) this.keep();
    else this.#waiting = this.clock.after(KEEP_MS, () => this.now());
  }

  now(): void {
    this.drop();
    this.keep();
  }

  /** What waits to be kept is not kept any more. */
  drop(): void {
    this.#waiting?.();
    this.#waiting = null;
  }

  /** Saves what waits to be kept; where that fails it is unsaved still, and is kept as it would have been. */
  async instead<T>(save: () => Promise<T>): Promise<T> {
    this.drop();
    try {
      return await save();
    } catch (thrown) {
      this.changed();
      throw thrown;
    }
  }

  /** Keeps at once what waits; what is returned ends that the same is done with each change that is made meanwhile. */
  hurry(): () => void {
    if (this.#waiting) this.now();
    this.#hurries = true;
    return () => (this.#hurries = false);
  }
}
