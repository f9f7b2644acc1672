import type { Clock } from './app/clock';
import type { Backend } from './backend/backend';
import { tauri } from './backend/tauri';

/**
 * The engine when the page stands in its window. In a plain browser, while developing or testing, the scripted one:
 * `?scene=…` names what it shows, and with `?by=hand` it goes on only when a test says so.
 */
export async function chooseBackend(clock: Clock): Promise<Backend> {
  if (import.meta.env.MODE === 'production' || '__TAURI_INTERNALS__' in window) return tauri;
  const { openScene } = await import('./backend/scripted/scenes');
  const query = new URLSearchParams(location.search);
  const backend = openScene(query.get('scene') ?? 'sample', clock.now());
  Object.assign(window, { scripted: backend.world });
  if (query.get('by') !== 'hand') clock.every(120, () => void backend.world.advance(120));
  return backend;
}
