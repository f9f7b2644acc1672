import type { Backend } from '../backend/backend';
import type { RunState } from '../model/run';

/** Who carries a run on where this window does not: another program, or nobody although it is not over. */
export class Holder {
  is = $state<'another' | 'nobody' | null>(null);
  /** Whether nobody carried the run on when it was looked last. */
  #alone = false;

  constructor(
    private readonly backend: Backend,
    /** The run that is not over, and on which this window does not work. */
    private readonly elsewhere: () => RunState | null,
  ) {}

  /** Nobody is told of only at the second look: whoever has begun the run may be about to carry it on. */
  async look(): Promise<void> {
    const run = this.elsewhere();
    const carried = run ? await this.backend.runs.isCarriedOn(run.id) : true;
    if (!run || run.id !== this.elsewhere()?.id) this.is = null;
    else if (carried) this.is = 'another';
    else if (this.#alone) this.is = 'nobody';
    this.#alone = !carried;
  }

  /** Once the run is over or work begins here, nobody is waited for: that is told before anybody looks again. */
  settle(): void {
    if (this.elsewhere()) return;
    this.is = null;
    this.#alone = false;
  }
}
