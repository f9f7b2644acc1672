import { App } from './app/app.svelte';
import { systemClock } from './app/clock';
import type { BackendError } from './backend/errors';
import { chooseBackend } from './chooseBackend';
import { copyBy } from './shared/clipboard';

/** The state of the window. */
export interface Opened {
  app: App;
  /** The engine has answered; what it said is taken in next. */
  answered: Promise<void>;
  /** It is taken in; or why the engine could not be opened. */
  read: Promise<BackendError | null>;
}

async function open(): Promise<Opened> {
  const backend = await chooseBackend(systemClock);
  copyBy(backend.desktop.copy);
  const app = new App(backend, systemClock);
  let read: Promise<BackendError | null> = Promise.resolve(null);
  const answered = new Promise<void>((done) => (read = app.start(done)));
  return { app, answered, read };
}

/** Begun as soon as this module runs: the engine reads while the views of the page are set up. */
export const opened = open();
