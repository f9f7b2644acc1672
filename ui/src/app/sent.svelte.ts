import type { SavedPlanId } from '../backend/bindings';
import { isUnplanned, type SessionState } from '../model/session';
import type { OpenSession } from './session.svelte';

/** What was sent before anybody could be offered a saved plan for it: pasted and sent, or after having waited. */
export class Sent {
  /** The last such message; null where the person has seen what there was, or wanted none of it. */
  unlooked = $state<string | null>(null);

  constructor(private readonly state: () => SessionState) {}

  /** The same as long as nothing has come of it. */
  get planned(): string | null {
    const last = this.state().turns.at(-1);
    return last && isUnplanned(last) && last.message === this.unlooked ? this.unlooked : null;
  }
}

/**
 * Proposes a saved plan in the place of the one that is being made for a message, which stands there twice then. Where
 * that does not come about, nothing was given up for it.
 */
export async function proposeInstead(
  session: OpenSession,
  how: 'use' | 'adapt',
  saved: SavedPlanId,
  words: string,
): Promise<boolean> {
  const turn = session.state.turns.at(-1);
  const takeBack = session.queue.giveUp(turn ? [turn.id] : []);
  let proposed = false;
  const said = await session.say(async ({ messages, library }) => {
    const stopped = await messages.stopPlanning(session.id);
    // A plan that was there in that moment is what the person has asked for, too.
    if (!stopped && session.sent.planned !== words) return;
    await library[how](session.id, saved, words);
    proposed = true;
  });
  if (!proposed) takeBack();
  return said;
}
