import { tick } from 'svelte';
import type { Backend } from '../backend/backend';
import type { Event, PlanView, StepId, TurnId } from '../backend/bindings';

/**
 * What of a plan is being planned once more: a step, or all of it. Other work may go on in its session meanwhile, and
 * outlast it; and it may be over before it is known here that it has begun.
 */
export class Anew {
  /** The step that is planned once more; it stays until the next version is there. */
  step = $state<StepId | null>(null);
  /** Whether another plan is being made in its stead; it stays until that one is there. */
  whole = $state(false);
  /** The version of which a step is planned once more, as long as nothing has come of that. */
  #version: number | null = null;
  /** How the message begins that is planned once more, and the turn that this has begun, once that is told. */
  #message: { begins: string; turn: TurnId | null } | null = null;

  constructor(private readonly plans: Backend['plans']) {}

  /** Has a step planned once more with what the person says of it. */
  async rework({ plan, reference }: PlanView, step: StepId, comment: string): Promise<void> {
    this.#version = plan.version;
    await this.plans.rework(reference, step, comment);
    if (this.#version !== null) this.step = step;
  }

  /** Has the message planned once more, with what the person adds to it. */
  async renew({ plan, reference }: PlanView, note?: string): Promise<void> {
    const asked = (this.#message = { begins: plan.userMessage, turn: null });
    await this.plans.again(reference, note);
    if (this.#message === asked) this.whole = true;
  }

  /** Hears what happened in the session: a turn that has its plan, or has ended without one, plans no more. */
  heard(events: readonly Event[]): void {
    for (const { turn = null, ...event } of events) {
      const asked = this.#message;
      if (!asked) return;
      if (asked.turn === null) {
        if (event.kind === 'message_received' && event.text.startsWith(asked.begins)) asked.turn = turn;
      } else if (turn === asked.turn && (event.kind === 'plan_proposed' || event.kind === 'turn_ended')) {
        this.#message = null;
        this.whole = false;
      }
    }
  }

  /** A version of the plan is there. */
  came(version: number): void {
    if (this.#version !== null && version > this.#version) this.failed();
  }

  /** Work of the session has failed. That may have been this: no step is said to be planned that is not. */
  failed(): void {
    this.#version = null;
    this.step = null;
  }

  /** Nothing goes on in the session. What was asked for just now may be about to begin. */
  settled(): void {
    this.step = null;
    this.whole = false;
  }

  /** Makes a version of the person's own, which is told to nobody as what came of a step. */
  async beside<T>(save: () => Promise<T>): Promise<T> {
    const { step } = this;
    if (step === null) return save();
    this.step = null;
    // Whoever tells of it has to see that before the version, which may come in the same go.
    await tick();
    try {
      return await save();
    } catch (thrown) {
      if (this.#version !== null) this.step = step;
      throw thrown;
    }
  }
}
