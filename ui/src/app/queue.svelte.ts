import type { Event, Signal } from '../backend/bindings';
import { isFailure, stopped } from './ends';
import { keep, readKept } from './kept';

/** A message that waits to be sent. */
export interface Queued {
  id: number;
  text: string;
}

/** What the queue asks of its session. */
interface Hooks {
  /** Whether nothing goes on and nothing that was asked of the person is open. */
  isQuiet: () => boolean;
  /** Whether work goes on. */
  isBusy: () => boolean;
  send: (text: string) => Promise<boolean>;
  /** The turns and runs that are not over. */
  underWay: () => readonly string[];
  stop: () => Promise<boolean>;
}

/**
 * Messages written while something goes on. They are sent one after the other, each when what went before it is over.
 * After a stop, a failure or a new start they are held: then they go only when the person says so.
 */
export class Queue {
  waiting = $state.raw<readonly Queued[]>([]);
  held = $state(false);
  /** The message that a person changes at the moment: it is not sent under their hands. */
  editing = $state<number | null>(null);

  #ids = 0;
  /** The first one is sent as soon as the work has ended, whatever else is open. */
  #steering = false;
  #sending: number | null = null;
  /** Turns and runs that the person has given up here for something else, each with whether it has ended since. */
  #givenUp = new Map<string, boolean>();

  constructor(
    private readonly name: string,
    private readonly hooks: Hooks,
  ) {
    const kept = texts(readKept(name));
    this.waiting = kept.map((text) => ({ id: this.#next(), text }));
    this.held = kept.length > 0;
  }

  /** Puts a message at the end; its id. */
  add(text: string): number {
    const id = this.#next();
    this.#set([...this.waiting, { id, text }]);
    return id;
  }

  /** Changes what a message says; an empty one is removed. */
  change(id: number, text: string): void {
    const words = text.trim();
    if (!words) this.remove(id);
    else this.#set(this.waiting.map((one) => (one.id === id ? { id, text: words } : one)));
  }

  /** Begins to change a message. */
  edit(id: number): void {
    // What is on its way cannot be changed any more.
    if (this.#sending !== id) this.editing = id;
  }

  /** Ends it, with what the message is to say; without a text it stays as it was. What is due by then goes. */
  async edited(id: number, text?: string): Promise<void> {
    if (this.editing !== id) return;
    this.editing = null;
    if (text !== undefined) this.change(id, text);
    await this.advance();
  }

  /** Takes a message away; whether it was: what is on its way is sent. */
  remove(id: number): boolean {
    if (this.#sending === id) return false;
    this.#drop(id);
    return true;
  }

  #drop(id: number): void {
    if (this.editing === id) this.editing = null;
    // The urgency was that message's own.
    if (this.waiting[0]?.id === id) this.#steering = false;
    this.#set(this.waiting.filter((one) => one.id !== id));
  }

  /** Nothing is sent by itself until the person says so. */
  hold(): void {
    this.#steering = false;
    this.held = this.waiting.length > 0;
  }

  /** Holds what waits because what went before it failed; what a person has sent at once goes all the same. */
  failed(): void {
    if (!this.#steering) this.hold();
  }

  /** Holds what waits because what went before it failed or was stopped, wherever that was done. */
  heard(events: readonly Event[]): void {
    const stops = events.map(stopped).filter((id) => id !== null);
    const others = stops.filter((id) => !this.#givenUp.has(id));
    for (const id of stops) if (this.#givenUp.has(id)) this.#givenUp.set(id, true);
    if (others.length > 0 || events.some(isFailure)) this.failed();
  }

  /**
   * What the person gives up for something else ends without a stop: what waits goes on after it. What is returned takes
   * that back: what has ended for it was a stop then.
   */
  giveUp(ids: readonly string[]): () => void {
    for (const id of ids) this.#givenUp.set(id, false);
    return () => {
      const ended = ids.some((id) => this.#givenUp.get(id));
      for (const id of ids) this.#givenUp.delete(id);
      if (ended) this.failed();
    };
  }

  /** Sends one now; what goes on is stopped for it. A stop that is under way for another one serves this one. */
  async steer(id: number): Promise<void> {
    const first = this.waiting.find((one) => one.id === id);
    // What is on its way goes now as it is: a stop would end what it begins.
    if (!first || this.#sending === id) return;
    this.#set([first, ...this.waiting.filter((one) => one.id !== id)]);
    this.held = false;
    const isStopping = this.#steering;
    this.#steering = true;
    if (this.hooks.isBusy() && !isStopping) await this.#stopFor();
    await this.advance();
  }

  /** Stops what goes on for the first one, which is held where that does not work. */
  async #stopFor(): Promise<void> {
    const takeBack = this.giveUp(this.hooks.underWay());
    if (await this.hooks.stop()) return;
    takeBack();
    this.hold();
  }

  /** Sends the next one when its time has come. */
  async advance(): Promise<void> {
    const [next] = this.waiting;
    const due = this.#steering ? !this.hooks.isBusy() : !this.held && this.hooks.isQuiet();
    if (!next || this.#sending !== null || !due || this.editing === next.id) return;
    this.#steering = false;
    this.#sending = next.id;
    const sent = await this.hooks.send(next.text);
    this.#sending = null;
    if (!sent) return this.hold();
    this.#drop(next.id);
    // What it set going may be over already.
    await this.advance();
  }

  #set(waiting: readonly Queued[]): void {
    this.waiting = waiting;
    if (waiting.length === 0) this.held = false;
    keep(this.name, waiting.length > 0 ? JSON.stringify(waiting.map((one) => one.text)) : '');
  }

  #next(): number {
    this.#ids += 1;
    return this.#ids;
  }
}

function texts(kept: string | null): string[] {
  try {
    const read: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(read) ? read.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Whether a signal may be what the next message has waited for; pieces of text never are. */
export function isStep(signal: Signal): boolean {
  return signal.type === 'work' || signal.type === 'committed';
}
