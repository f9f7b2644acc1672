import { untrack } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';
import type { Backend } from '../backend/backend';
import type { RunId, SessionId, SessionRow } from '../backend/bindings';
import type { Clock } from './clock';
import { rereading } from './rereading';

/** A run that nobody carries on is looked at a second time after so long. */
const AGAIN_MS = 1000;
const GOES_ON: readonly (string | null)[] = ['queued', 'running', 'synthesizing'];

interface Listed {
  readonly rows: readonly SessionRow[];
  /** The sessions in which this window works. */
  readonly active: { has: (id: SessionId) => boolean };
  readonly backend: Backend;
  readonly clock: Clock;
}

/** The runs of the listed sessions that are not over, and that nobody carries on: what did was ended in the midst of it. */
export class LeftRuns {
  readonly #left = new SvelteSet<RunId>();
  /** Those that nobody carried on when it was looked last, and since when that is so. */
  #alone: ReadonlyMap<RunId, number> = new Map();
  #again: () => void = () => undefined;

  constructor(private readonly listed: Listed) {}

  /** Whether the run of a session is one of them. */
  has(row: SessionRow): boolean {
    return this.#mayBe(row) && row.run !== null && this.#left.has(row.run);
  }

  /** Which runs may be, and when something happened in their sessions last. */
  get suspected(): string {
    return this.#suspected()
      .map(({ run, updatedAt }) => `${run} ${updatedAt}`)
      .join();
  }

  /** Nobody is told of only at a look a while after the first: whoever has begun a run may be about to carry it on. */
  readonly look = rereading(async () => {
    const { clock } = this.listed;
    const begun = clock.now();
    const found = new Map<RunId, number>();
    for (const { run } of this.#suspected())
      if (run && !(await this.#isCarriedOn(run))) found.set(run, this.#alone.get(run) ?? clock.now());
    for (const run of this.#left) if (!found.has(run)) this.#left.delete(run);
    for (const [run, since] of found) if (begun - since >= AGAIN_MS) this.#left.add(run);
    this.#alone = found;
    this.#again();
    const waiting = [...found].flatMap(([run, since]) => (this.#left.has(run) ? [] : since));
    if (waiting.length === 0) return;
    const due = Math.min(...waiting) + AGAIN_MS - clock.now();
    this.#again = clock.after(Math.max(due, 0), () => void this.look());
  });

  #suspected(): readonly SessionRow[] {
    return this.listed.rows.filter((row) => this.#mayBe(row));
  }

  #mayBe({ id, runStatus }: SessionRow): boolean {
    return GOES_ON.includes(runStatus) && !this.listed.active.has(id);
  }

  async #isCarriedOn(run: RunId): Promise<boolean> {
    try {
      return await this.listed.backend.runs.isCarriedOn(run);
    } catch {
      // What cannot be looked at now is looked at again.
      return true;
    }
  }
}

/** Looks whenever something may have changed that is not told: while what calls this is shown. */
export function lookWhoIsLeft(left: LeftRuns): void {
  const look = () => void left.look();
  $effect(() => {
    void left.suspected;
    untrack(look);
  });
  $effect(() => {
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  });
}
