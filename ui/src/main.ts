// First, so that the engine is asked before anything else is set up.
import './early';
import { opened, type Opened } from './opening';
import { flushSync, mount, unmount } from 'svelte';
import './shared/style/fonts.css';
import './shared/style/tokens.css';
import './shared/style/base.css';
import { systemClock } from './app/clock';
import { backendError } from './backend/errors';
import Window from './views/App.svelte';
import NotStarted from './views/NotStarted.svelte';
import { fetchAll } from './views/parts';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no element #app to mount into');

/** Milliseconds that the first frame waits for what it shows: drawing it twice takes longer than reading it. */
const PATIENCE = 150;

async function show({ app, answered, read }: Opened, target: HTMLElement): Promise<void> {
  // What the engine has answered already is taken in first: the window is made of it, and not made anew with it.
  await Promise.race([read, new Promise<void>((done) => systemClock.after(0, done))]);
  // What stands around the views is made while the engine reads; until then there is nothing to draw.
  target.remove();
  const whole = mount(Window, { target, props: { app } });
  const draw = () => {
    if (!target.isConnected) document.body.append(target);
  };
  void answered.then(draw);
  systemClock.after(PATIENCE, draw);
  const failure = await read;
  if (failure) {
    // A window that can do nothing must not look as if it could.
    await unmount(whole);
    mount(NotStarted, { target, props: { failure, app } });
    return draw();
  }
  draw();
  flushSync();
  // For measuring from outside: from here on the window takes what a person does.
  performance.mark('ready');
  await fetchAll();
  performance.mark('complete');
}

opened.then(
  (opened) => show(opened, target),
  (thrown: unknown) => mount(NotStarted, { target, props: { failure: backendError(thrown) } }),
);
