import type { RequestId, RequestRow, SessionId } from '../backend/bindings';
import { asking, shown } from './asking';
import { keep, keptOf, readKept } from './kept';

/**
 * What a person writes in a session, kept until it is sent, and the question that it answers: the one whose card is shown.
 * One that came since, or whose card is not the one that is shown, is not what the words were begun for.
 */
export class Composed {
  #words = $state('');
  /** The question that the words were written for. */
  #for = $state<RequestId | null>(null);
  #chosen = $state<RequestId | null>(null);

  constructor(
    private readonly session: SessionId,
    /** What waits for the person. */
    private readonly waiting: () => readonly RequestRow[],
  ) {
    this.#words = readKept(keptOf.composed(session)) ?? '';
    this.#for = readKept(keptOf.question(session));
  }

  get words(): string {
    return this.#words;
  }

  set words(words: string) {
    // Of words that stand already: what they go on from decides.
    const { question } = this;
    this.#for = words.trim() ? (question?.request.id ?? null) : null;
    this.#words = words;
    keep(keptOf.composed(this.session), words);
    keep(keptOf.question(this.session), this.#for ?? '');
  }

  /** The request whose card was chosen among several; once it is settled, the question that is being answered. */
  get chosen(): RequestId | null {
    return this.#find(this.#chosen) ? this.#chosen : this.#for;
  }

  set chosen(id: RequestId | null) {
    this.#chosen = id;
  }

  /** The question that the words answer; where there are none yet, the one that they would. */
  get question(): RequestRow | undefined {
    const asks = { requests: this.waiting(), chosen: this.chosen };
    const asked = asking(asks);
    if (this.#words.trim() === '') return asked;
    // What was begun before anything was asked is for later, until the card of the question is chosen.
    const isMeant = this.#find(this.#for) !== undefined || this.#chosen === asked?.request.id;
    return isMeant && asked === shown(asks) ? asked : this.#find(this.#for);
  }

  /** Whether a question is open, which a message that names none would answer. */
  get isAsked(): boolean {
    return asking({ requests: this.waiting(), chosen: null }) !== undefined;
  }

  #find(id: RequestId | null): RequestRow | undefined {
    return this.waiting().find(({ request }) => request.id === id);
  }
}
