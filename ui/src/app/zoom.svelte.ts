import type { Backend } from '../backend/backend';
import type { SettingsView } from '../backend/bindings';
import { zoomed } from '../model/zoom';
import { keep, readKept } from './kept';

/** What everything measures where nothing is set, in percent. */
const USUAL = 100;
/** The name under which the size is kept until the engine has saved it, and that of the size that it saved last. */
const [KEPT, SAVED] = ['zoom', 'zoom.saved'];

interface Window {
  readonly backend: Backend;
  /** Null until the engine is open. */
  settings: SettingsView | null;
  beside: (act: () => Promise<void>, name: string) => Promise<boolean>;
}

/** How large everything is: what was asked for last holds at once, and until it is saved, for which the engine is needed. */
export class Zoom {
  #wanted = $state(Number(readKept(KEPT)) || null);
  #isSaving = false;
  #shown = USUAL;
  /** What the page begins with, before the engine says what is saved. */
  readonly #before = Number(readKept(SAVED)) || USUAL;

  constructor(private readonly window: Window) {}

  get percent(): number {
    return this.#wanted ?? this.window.settings?.zoom ?? this.#before;
  }

  /** Makes everything larger or smaller, or as large as usual. */
  async by(step: -1 | 0 | 1): Promise<void> {
    const percent = zoomed(this.percent, step);
    if (percent === this.percent) return;
    this.#want(percent);
    this.#show();
    await this.#save();
  }

  /** Has a new page be as large as was asked for before: called as it begins, and once it knows what is saved. */
  begin(): void {
    if (this.percent !== this.#shown) this.#show();
    this.#keepSaved();
    void this.#save();
  }

  #want(percent: number | null): void {
    this.#wanted = percent;
    keep(KEPT, String(percent ?? ''));
  }

  /** So that the next page begins with it, before the engine is open. */
  #keepSaved(): void {
    const { settings } = this.window;
    if (settings) keep(SAVED, settings.zoom === USUAL ? '' : String(settings.zoom));
  }

  #show(): void {
    const { percent, window } = this;
    this.#shown = percent;
    void window.beside(() => window.backend.desktop.zoom(percent), 'zoom.shown');
  }

  /** One is saved after the other, the newest last. */
  async #save(): Promise<void> {
    const { window } = this;
    if (this.#isSaving || !window.settings) return;
    this.#isSaving = true;
    while (this.#wanted !== null) {
      const zoom = this.#wanted;
      const isSaved = await window.beside(
        async () => void (window.settings = await window.backend.settings.change({ zoom })),
        'zoom',
      );
      if (zoom !== this.#wanted) continue;
      if (!isSaved) break;
      this.#keepSaved();
      this.#want(null);
    }
    this.#isSaving = false;
  }
}
