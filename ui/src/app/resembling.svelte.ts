import type { SavedPlanId, SavedPlanRow, Suggestion } from '../backend/bindings';
import type { Clock } from './clock';

/** So long the person has to pause before it is looked. */
const PAUSE_MS = 350;
/** Letters of a text that says enough to be looked for. */
const LEAST = 12;
/** A sign of these says as much as so many letters. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const DENSITY = 3;

/** Whether a text says enough to be looked for. */
function saysEnough(text: string): boolean {
  const dense = text.match(DENSE)?.length ?? 0;
  return text.length + dense * (DENSITY - 1) >= LEAST;
}

/**
 * The saved plan that what is being written resembles. One that the person ignores is not offered again until they begin
 * anew.
 */
export class Resembling {
  offered = $state.raw<SavedPlanRow | null>(null);
  #ignored = new Set<SavedPlanId>();
  #looks = 0;
  /** What an answer has come for. */
  #known: string | null = null;
  #forget: () => void = () => undefined;

  constructor(
    private readonly suggest: (message: string) => Promise<Suggestion[]>,
    private readonly clock: Clock,
  ) {}

  /** Looks for what stands there now, once nothing is written for a moment; at once for what is sent already. */
  look(words: string, isSent = false): void {
    const text = words.trim();
    this.stop();
    if (!text) this.#ignored.clear();
    if (!saysEnough(text)) this.offered = null;
    else if (isSent) void this.#ask(text);
    else this.#forget = this.clock.after(PAUSE_MS, () => void this.#ask(text));
  }

  /** Whether a person who sends this has seen what there is for it, or wanted none of it. */
  knows(words: string): boolean {
    return this.#ignored.size > 0 || this.#known === words.trim();
  }

  /** What was asked for by now does not count any more. */
  stop(): void {
    this.#forget();
    this.#looks += 1;
  }

  ignore(): void {
    if (this.offered) this.#ignored.add(this.offered.id);
    this.offered = null;
  }

  async #ask(text: string): Promise<void> {
    const look = this.#looks;
    let found: Suggestion[] = [];
    try {
      found = await this.suggest(text);
    } catch {
      // A library that cannot be read keeps nobody from writing.
    }
    if (look !== this.#looks) return;
    this.#known = text;
    this.offered = found.find(({ saved }) => !this.#ignored.has(saved.id))?.saved ?? null;
  }
}
