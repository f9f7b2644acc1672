import type { SessionRow } from '../../backend/bindings';
import { inOrderOf } from '../../model/rows';
import { pressOver, unpressed } from '../../shared/pressing';

interface Listed {
  rows: readonly SessionRow[];
  now: number;
}

/**
 * The sessions as they are to be listed: while a name is being written in the list, in the order and in the days in which
 * they were, so that the field stays where it is. They move again once nothing is pressed: the press that left the field
 * means what is under the pointer.
 */
export class Steady {
  #held = $state.raw<Listed | null>(null);
  #names = 0;

  constructor(private readonly newest: () => Listed) {}

  readonly rows: readonly SessionRow[] = $derived.by(() => {
    const { rows } = this.newest();
    return this.#held ? inOrderOf(rows, this.#held.rows) : rows;
  });

  get now(): number {
    return this.#held?.now ?? this.newest().now;
  }

  /** A name begins to be written, or ends to be. */
  naming(on: boolean): void {
    if (on) {
      this.#names += 1;
      const { rows, now } = this.newest();
      this.#held ??= { rows, now };
      return;
    }
    void unpressed().then(() => {
      this.#names -= 1;
      if (this.#names === 0) this.#held = null;
    });
  }

  /** Something is pressed. */
  readonly pressed = () => {
    if (this.#held) void pressOver();
  };
}
