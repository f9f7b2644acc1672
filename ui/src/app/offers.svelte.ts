import { untrack } from 'svelte';
import type { Backend } from '../backend/backend';
import type { Plan, SentRequest, SessionId } from '../backend/bindings';
import { offerOf, tellingReplies, type Offer } from '../model/offer';
import type { RunState } from '../model/run';
import type { SessionState } from '../model/session';

/** What the newest request of a session told its model of tools, once it was looked at. */
export class Offers {
  newest = $state.raw<Offer | null>(null);
  /** The newest look: what an older one finds is not shown. */
  #looked = 0;

  constructor(
    private readonly session: SessionId,
    private readonly backend: Backend,
  ) {}

  /** Looks at the newest request that told of tools. One that cannot be had any more tells of none. */
  async look(state: SessionState, run: RunState | null, plan: Plan | null): Promise<void> {
    const own = ++this.#looked;
    for (const reply of tellingReplies(state, run)) {
      const sent = await this.#sent(reply.seq);
      if (own !== this.#looked) return;
      if (!sent || sent.told.length + sent.leftOut.length === 0) continue;
      this.newest = offerOf(plan, run, reply, sent);
      return;
    }
    this.newest = null;
  }

  async #sent(seq: number): Promise<SentRequest | null> {
    try {
      return await this.backend.runs.sent(this.session, seq);
    } catch {
      return null;
    }
  }
}

/** Whose newest request is looked at. */
interface Asked {
  /** The number of its newest reply to a request that may have told of tools. */
  readonly asked: number | null;
  /** What the run that is told of carries out, once that is read. */
  readonly carried: Plan | null;
  lookAtOffer(): Promise<void>;
}

/** Has each newer request looked at, for a component that shows what it told of tools. */
export function lookAtNewest(whose: () => Asked | null): void {
  const newest = $derived(whose()?.asked ?? null);
  const carried = $derived(whose()?.carried ?? null);
  $effect(() => {
    void [newest, carried];
    untrack(() => void whose()?.lookAtOffer());
  });
}
