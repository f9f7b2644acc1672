import { flushSync, mount } from 'svelte';
import './shared/style/fonts.css';
import './shared/style/tokens.css';
import './shared/style/base.css';
import { App } from './app/app.svelte';
import { systemClock } from './app/clock';
import { chooseBackend } from './chooseBackend';
import type { Backend } from './backend/backend';
import { backendError } from './backend/errors';
import { copyBy } from './shared/clipboard';
import Window from './views/App.svelte';
import { fetchAll } from './views/parts';
import NotStarted from './views/NotStarted.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no element #app to mount into');

/** Milliseconds that the first frame waits for what it shows: drawing it twice takes longer than reading it. */
const PATIENCE = 150;

async function open(backend: Backend, target: HTMLElement): Promise<void> {
  copyBy(backend.desktop.copy);
  const app = new App(backend, systemClock);
  const read = app.start();
  await Promise.race([read, new Promise<void>((resolve) => systemClock.after(PATIENCE, resolve))]);
  mount(Window, { target, props: { app } });
  flushSync();
  await read;
  // For measuring from outside: from here on the window takes what a person does.
  performance.mark('ready');
  await fetchAll();
  performance.mark('complete');
}

chooseBackend(systemClock).then(
  (backend) => open(backend, target),
  (thrown: unknown) => mount(NotStarted, { target, props: { message: backendError(thrown).message } }),
);
