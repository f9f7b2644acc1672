import type { App } from '../app/app.svelte';
import type { Event, PlanRef, RequestRow, SessionId, TurnId } from '../backend/bindings';
import { outlineOf } from '../model/outline';
import { ownSteps } from '../model/run';
import { announce } from '../shared/announce.svelte';
import { beginning } from '../shared/format';
import { text } from '../shared/text';
import { titleOf } from '../shared/titles';

/** Between two polite sentences: steps may end many a second, and a reader can be listened to no faster. */
const PACE_MS = 2000;
/** A plan that needs nobody's word is approved sooner than this after it was proposed. */
const APPROVED_MS = 300;
/** So many characters of a question are said; the whole of it stands in its card. */
const SAID = 600;

/**
 * What happens in sessions, said to screen readers wherever a person is in the window: questions of any session at once;
 * plans, answers and ends of runs of any session and the steps of the open one at a pace. What comes meanwhile is said
 * together, once.
 */
export class Telling {
  #known: Set<string> | null = null;
  #at: SessionId | null = null;
  #resting = false;
  /** The session whose steps are to be told of: the open one, or the one that was. */
  #stepsOf: SessionId | null = null;
  /** How far its run is; only the latest counts. */
  #done = '';
  #failed: string[] = [];
  #skipped = 0;
  /** Plans, answers, and ends of runs and of messages that came to nothing. */
  #news: string[] = [];
  /** The turns that have had their plan: one of their steps planned anew is told where that was asked for. */
  #planned = new Set<TurnId>();
  /** The turns that are about to end by a run of which was told that it is over. */
  #ran = new Set<TurnId>();

  constructor(private readonly app: App) {}

  /** Says which questions came. Those that are there at first are told with their session. */
  asked(open: readonly RequestRow[]): void {
    const known = this.#known;
    this.#known = new Set(open.map((row) => row.request.id));
    if (!known) return;
    for (const { request, session } of open) {
      if (known.has(request.id)) continue;
      const words = text.inspect.request.arrived(beginning(request.prompt, SAID));
      announce(this.#of(session, words), 'assertive');
    }
  }

  /** Says what waits in the session that a person comes to; null while they are elsewhere. */
  opened(session: SessionId | null, open: readonly RequestRow[]): void {
    if (session === this.#at) return;
    this.#at = session;
    const waiting = open
      .filter((row) => row.session === session)
      .map(({ request }) => beginning(request.prompt, SAID));
    if (waiting.length > 0) announce(text.inspect.request.arrived(waiting.join(' ')), 'assertive');
  }

  /** Says how work goes on. The sessions have taken the events in already. */
  happened(events: readonly Event[]): void {
    for (const event of events) this.#hear(event);
    this.#say();
  }

  #hear(event: Event): void {
    const { session, turn } = event;
    if (event.kind === 'run_ended') {
      this.#news.push(this.#of(session, text.chat.said.run(text.states.run[event.status])));
      if (turn) this.#ran.add(turn);
    } else if (event.kind === 'answered') {
      if (!turn || !this.#ran.has(turn)) this.#news.push(this.#of(session, text.chat.answered));
    } else if (event.kind === 'turn_ended' && turn) {
      if (!this.#ran.delete(turn)) this.#cameToNothing(event);
      else if (event.status === 'failed' && event.error) this.#news.push(beginning(event.error, SAID));
    } else if (event.kind === 'warned' && this.app.isInSight(session)) this.#news.push(event.message);
    else if (event.kind === 'commented' && turn) this.#planned.add(turn);
    else if (event.kind === 'plan_proposed' && turn && !this.#planned.has(turn)) {
      this.#planned.add(turn);
      this.app.clock.after(APPROVED_MS, () => void this.#plan(session, event.plan));
    } else if (event.kind === 'step_ended' && !event.carriedFrom && session === this.app.session?.id)
      this.#step(event);
  }

  /** Only where it is in sight: elsewhere, the window itself tells of one that failed. */
  #cameToNothing({ session, turn, status, error }: Extract<Event, { kind: 'turn_ended' }>): void {
    if (!this.app.isInSight(session)) return;
    const ended = this.app.session?.state.turns.find((one) => one.id === turn);
    if (status === 'failed') this.#news.push(text.chat.said.turnFailed(beginning(error ?? '', SAID)));
    // One that ends as its plan is rejected is not stopped.
    else if (status === 'cancelled' && ended?.plans.length === 0) this.#news.push(text.chat.cancelled);
  }

  /** Says of a plan that it waits, where it does. */
  async #plan(session: SessionId, { id, version }: PlanRef): Promise<void> {
    const view = await this.app.backend.plans.get(id, version).catch(() => null);
    if (view?.status !== 'proposed') return;
    const waits = text.plan.ready(view.plan.steps.length);
    const isInSight = this.app.isInSight(session);
    this.#news.push(isInSight ? `${waits} ${text.plan.readyKey}` : this.#of(session, waits));
    this.#say();
  }

  #step(event: Extract<Event, { kind: 'step_ended' }>): void {
    const { session } = this.app;
    const run = event.run ? session?.state.runs.get(event.run) : undefined;
    if (!session || !run || !event.step) return;
    if (this.#stepsOf !== session.id) this.#news.unshift(...this.#steps());
    this.#stepsOf = session.id;
    const latest = session.card(run.plan.id).view?.plan;
    const plan = latest?.version === run.plan.version ? latest : null;
    const known = plan && outlineOf(plan, run).of(event.step);
    const words = known?.step.description ?? event.step;
    if (event.status === 'skipped') this.#skipped += 1;
    else if (event.status === 'failed')
      this.#failed.push(text.chat.said.failed(known?.number ?? event.step, words));
    else if (event.status === 'completed') {
      const counted = plan ? ownSteps(run, plan) : [...run.steps.values()];
      const done = counted.filter((step) => step.status === 'completed').length;
      this.#done = text.chat.said.done(done, plan?.steps.length ?? null, words);
    }
  }

  /** What is to be told of steps; it is told with that. */
  #steps(): string[] {
    const skipped = this.#skipped > 0 ? [text.chat.said.skipped(this.#skipped)] : [];
    const words = [this.#done, ...this.#failed, ...skipped].filter(Boolean).join(' ');
    [this.#done, this.#failed, this.#skipped] = ['', [], 0];
    return words && this.#stepsOf ? [this.#of(this.#stepsOf, words)] : [];
  }

  #say(): void {
    if (this.#resting) return;
    const all = [...this.#steps(), ...this.#news];
    if (all.length === 0) return;
    this.#news = [];
    announce(all.join(' '));
    this.#resting = true;
    this.app.clock.after(PACE_MS, () => {
      this.#resting = false;
      this.#say();
    });
  }

  /** The words, with the session where it is not in sight. */
  #of(session: SessionId, words: string): string {
    return this.app.isInSight(session) ? words : text.nav.inSession(titleOf(this.app.rows, session), words);
  }
}
