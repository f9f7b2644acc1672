import type { Event } from '../backend/bindings';
import { openScene } from '../backend/scripted/scenes';

/** All events of a scripted scene, in order. */
export function eventsOf(scene: string): Event[] {
  const { world } = openScene(scene, 1_700_000_000_000);
  world.settle();
  return [...world.events.values()].flat().sort((one, other) => one.seq - other.seq);
}
