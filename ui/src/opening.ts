import { App } from './app/app.svelte';
import { systemClock } from './app/clock';
import { chooseBackend } from './chooseBackend';
import { copyBy } from './shared/clipboard';

/** The state of the window, and when it has what the first view shows. */
export interface Opened {
  app: App;
  read: Promise<void>;
}

async function open(): Promise<Opened> {
  const backend = await chooseBackend(systemClock);
  copyBy(backend.desktop.copy);
  const app = new App(backend, systemClock);
  return { app, read: app.start() };
}

/** Begun as soon as this module runs: the engine reads while the views of the page are set up. */
export const opened = open();
