import { untrack } from 'svelte';
import type { Clock } from './clock';

/** Text that grows is drawn this often at most: often enough to read along, seldom enough to leave the machine to the model. */
const PACE_MS = 90;

/** A value that changes many times a second, as it is shown: at once when it first changes, then at a steady pace. */
export function paced<T>(clock: Clock, read: () => T): { readonly value: T } {
  let shown = $state.raw(untrack(read));
  let timer: (() => void) | null = null;

  function show() {
    const now = untrack(read);
    timer = now === shown ? null : clock.after(PACE_MS, show);
    shown = now;
  }

  $effect(() => {
    void read();
    if (!timer) untrack(show);
  });
  $effect(() => () => timer?.());
  return {
    get value() {
      return shown;
    },
  };
}
