import type { Clock } from './clock';
import { rereading } from './rereading';

/** So long after it failed it is read again; twice as long after each time that it fails once more, up to the most. */
const PAUSE_MS = 2000;
const MOST_MS = 60_000;

interface Window {
  readonly clock: Clock;
  beside: (act: () => Promise<void>, name: string, lasts: boolean) => Promise<boolean>;
}

/** The same for what the window keeps up with: what could not be read is told, and read again by itself until it can be. */
export function retrying(window: Window, name: string, read: () => Promise<void>): () => Promise<void> {
  let pause = PAUSE_MS;
  let drop = () => {};
  const readNow = rereading(async () => {
    const done = await window.beside(read, name, true);
    drop();
    if (!done) drop = window.clock.after(pause, () => void readNow());
    pause = done ? PAUSE_MS : Math.min(2 * pause, MOST_MS);
  });
  return readNow;
}
