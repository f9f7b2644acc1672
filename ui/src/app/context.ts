import { getContext, setContext } from 'svelte';
import type { App } from './app.svelte';

const KEY = Symbol('app');

/** Gives the window's state to everything below. */
export function provideApp(app: App): App {
  return setContext(KEY, app);
}

/** The window's state. */
export function useApp(): App {
  return getContext<App>(KEY);
}

/** The same, for a component that is mounted by itself. */
export function contextOf(app: App): Map<unknown, unknown> {
  return new Map([[KEY, app]]);
}
