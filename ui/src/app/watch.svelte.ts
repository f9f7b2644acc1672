import type { Backend } from '../backend/backend';
import type { Clock } from './clock';

/** After this long without an answer a person is told. */
export const PATIENCE_MS = 6000;
/** Calls that wait for a person or for a long transfer. */
const SLOW = new Set([
  ...['pickFolder', 'openText', 'saveText', 'addFile'],
  ...['pull', 'test', 'found', 'doctor'],
]);

/** Calls that ask the system's keyring, which may ask the person to unlock it first. */
const KEYRING = new Set([
  ...['models.providers', 'models.addProvider', 'models.removeProvider', 'models.choose'],
  ...['models.setKey', 'models.forgetKey'],
  ...['tools.keys', 'tools.setKey', 'tools.forgetKey', 'vault.add', 'vault.remove'],
]);

/** Whether the engine answers: the calls that are under way, and how long the oldest has waited. */
export class Watch {
  /** Milliseconds for which the engine has not answered, once that is too long. */
  silentFor = $state(0);
  #pending = new Set<number>();
  #calls = new Set<Promise<unknown>>();

  constructor(readonly clock: Clock) {
    clock.every(1000, () => this.look());
  }

  look(): void {
    const oldest = Math.min(...this.#pending);
    const waited = this.clock.now() - oldest;
    this.silentFor = waited >= PATIENCE_MS ? waited : 0;
  }

  /** The same backend, watched. */
  over(backend: Backend): Backend {
    const { open, written, ...groups } = backend;
    const watched = Object.fromEntries(
      Object.entries(groups)
        .filter(([, calls]) => typeof calls === 'object')
        .map(([name, calls]) => [name, this.#group(name, calls as object)]),
    );
    return {
      ...(watched as unknown as Omit<Backend, 'open' | 'written'>),
      open: (listener) => this.#watched(() => open.call(backend, listener)),
      written: () => written.call(backend),
    };
  }

  /** Resolves once everything that was asked of the engine was answered, and what followed from the answers as well. */
  async untilQuiet(): Promise<void> {
    do {
      await Promise.allSettled(this.#calls);
      // What goes on after an answer asks within the same task, however many promises are in between.
      await nextTask();
    } while (this.#calls.size > 0);
  }

  #group(group: string, calls: object): object {
    return new Proxy(calls, {
      get: (target, name, receiver) => {
        const call: unknown = Reflect.get(target, name, receiver);
        if (typeof call !== 'function' || SLOW.has(String(name))) return call;
        const isSilence = !KEYRING.has(`${group}.${String(name)}`);
        return (...args: unknown[]) =>
          this.#watched(() => call.apply(target, args) as Promise<unknown>, isSilence);
      },
    });
  }

  async #watched<T>(call: () => Promise<T>, isSilence = true): Promise<T> {
    let key = this.clock.now();
    while (this.#pending.has(key)) key += 0.001;
    if (isSilence) this.#pending.add(key);
    const answer = call();
    this.#calls.add(answer);
    try {
      return await answer;
    } finally {
      this.#calls.delete(answer);
      this.#pending.delete(key);
      if (this.silentFor > 0) this.look();
    }
  }
}

/** The next task; a window that is hidden has its timers wait, and messages not. */
function nextTask(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}
