import { zoomed } from '../model/zoom';

/** What everything measures where nothing is set, in percent. */
const USUAL = 100;

/** How large everything is: what was asked for last holds at once, while it is being saved. */
export class Zoom {
  #wanted = $state<number | null>(null);

  /** `save` says whether it was saved. */
  constructor(
    private readonly saved: () => number | undefined,
    private readonly save: (percent: number) => Promise<boolean>,
  ) {}

  get percent(): number {
    return this.#wanted ?? this.saved() ?? USUAL;
  }

  async by(step: -1 | 0 | 1): Promise<void> {
    const percent = zoomed(this.percent, step);
    if (percent === this.percent) return;
    // At once, so that the next press of the key goes on from here. One is saved after the other, the newest last.
    const isSaving = this.#wanted !== null;
    this.#wanted = percent;
    if (isSaving) return;
    let saved: number;
    do {
      saved = this.#wanted;
    } while ((await this.save(saved)) && saved !== this.#wanted);
    this.#wanted = null;
  }
}
