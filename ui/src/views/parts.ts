import type { OpenSession } from '../app/session.svelte';
import { Later } from '../shared/later.svelte';

/** The views that the first one does without. They come one after the other once it stands. */
export const parts = {
  session: new Later<{ session: OpenSession }>(() => import('./SessionView.svelte')),
  inspector: new Later<{ session: OpenSession; close: (() => void) | undefined }>(
    () => import('../features/inspector/Inspector.svelte'),
  ),
  inbox: new Later<Record<string, never>>(() => import('../features/inbox/Inbox.svelte')),
  library: new Later<Record<string, never>>(() => import('../features/library/Library.svelte')),
  tools: new Later<Record<string, never>>(() => import('../features/tools/Tools.svelte')),
  search: new Later<{ query: string }>(() => import('../features/search/Search.svelte')),
  settings: new Later<{ part: string; choose: (part: string) => void }>(
    () => import('../features/settings/Settings.svelte'),
  ),
};

/** Has all of them come, so that nothing that is called up has to wait. */
export async function fetchAll(): Promise<void> {
  for (const part of Object.values(parts)) await part.fetch();
  (await import('../shared/markdown/render')).warm();
}
