import { onDestroy } from 'svelte';
import type { App } from './app.svelte';
import { askAnew, dropFailure } from './attempt';
import { useApp } from './context';

/** How many views there were, each of which has names of its own. */
let views = 0;

interface Reading {
  beside: App['beside'];
  /** The person asks for it once more: what they dismissed is told again. */
  again: () => void;
}

/** Reads for a view as `App.beside` does: what could not be read is told as long as the view is there, and no longer. */
export function useReading(): Reading {
  const app = useApp();
  const own = (views += 1);
  const names = new Set<string>();
  let isGone = false;
  onDestroy(() => {
    isGone = true;
    for (const name of names) dropFailure(app, name);
  });

  function beside(act: () => Promise<void>, name = ''): Promise<boolean> {
    const its = `${name} of view ${own}`;
    names.add(its);
    const told = () =>
      act().catch((thrown: unknown) => {
        if (!isGone) throw thrown;
      });
    return app.beside(told, its, true);
  }

  const again = () => names.forEach((name) => askAnew(app, name));
  return { beside, again };
}
