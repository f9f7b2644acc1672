import type { Zoom } from '../app/zoom.svelte';
import { announce } from '../shared/announce.svelte';
import { keyName } from '../shared/keys';
import { text } from '../shared/text';

const steps: Record<string, -1 | 0 | 1> = { 'Ctrl++': 1, 'Ctrl+=': 1, 'Ctrl+-': -1, 'Ctrl+0': 0 };

/** Makes everything larger or smaller where that is what a key means, and says how large it is now. Whether it means that. */
export function zoomByKey(event: KeyboardEvent, zoom: Zoom): boolean {
  const step = steps[keyName(event)];
  if (step === undefined) return false;
  void zoom.by(step);
  announce(text.settings.window.zoomSaid(zoom.percent));
  return true;
}
