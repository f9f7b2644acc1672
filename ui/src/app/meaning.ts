import type { App } from './app.svelte';

/** Leads to where the model is fetched that compares tools with requests by meaning, while it is not there. */
export function meaningFetched(app: App): (() => void) | undefined {
  return app.models?.search?.state === 'missing'
    ? () => app.go({ view: 'settings', part: 'models' })
    : undefined;
}
