import type { App } from '../app/app.svelte';
import type { Event, RequestRow, SessionId } from '../backend/bindings';
import { outlineOf } from '../model/outline';
import { ownSteps } from '../model/run';
import { announce } from '../shared/announce.svelte';
import { beginning } from '../shared/format';
import { text } from '../shared/text';

/** Between two polite sentences: steps may end many a second, and a reader can be listened to no faster. */
const PACE_MS = 2000;
/** So many characters of a question are said; the whole of it stands in its card. */
const SAID = 600;

/**
 * What happens in sessions, said to screen readers wherever a person is in the window: questions of any session at once,
 * the steps of the open session and the end of any run at a pace. What comes meanwhile is said together, once.
 */
export class Telling {
  #known: Set<string> | null = null;
  #at: SessionId | null = null;
  #resting = false;
  /** How far the run of the open session is; only the latest counts. */
  #done = '';
  #failed: string[] = [];
  #skipped = 0;
  #ended: string[] = [];

  constructor(private readonly app: App) {}

  /** Says which questions came. Those that are there at first are told with their session. */
  asked(open: readonly RequestRow[]): void {
    const known = this.#known;
    this.#known = new Set(open.map((row) => row.request.id));
    if (!known) return;
    for (const { request, session } of open) {
      if (known.has(request.id)) continue;
      const words = text.inspect.request.arrived(beginning(request.prompt, SAID));
      announce(this.#inSight(session) ? words : text.nav.inSession(this.#title(session), words), 'assertive');
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

  /** Says how runs go on. The sessions have taken the events in already. */
  happened(events: readonly Event[]): void {
    for (const event of events) {
      if (event.kind === 'run_ended')
        this.#end(event.session, text.chat.said.run(text.states.run[event.status]));
      else if (event.kind === 'step_ended' && !event.carriedFrom && event.session === this.app.session?.id)
        this.#step(event);
    }
    this.#say();
  }

  #end(session: SessionId, words: string): void {
    this.#ended.push(this.#inSight(session) ? words : text.nav.inSession(this.#title(session), words));
  }

  #step(event: Extract<Event, { kind: 'step_ended' }>): void {
    const { session } = this.app;
    const run = event.run ? session?.state.runs.get(event.run) : undefined;
    if (!session || !run || !event.step) return;
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

  #say(): void {
    if (this.#resting) return;
    const skipped = this.#skipped > 0 ? [text.chat.said.skipped(this.#skipped)] : [];
    const all = [this.#done, ...this.#failed, ...skipped, ...this.#ended].filter(Boolean);
    if (all.length === 0) return;
    [this.#done, this.#failed, this.#skipped, this.#ended] = ['', [], 0, []];
    announce(all.join(' '));
    this.#resting = true;
    this.app.clock.after(PACE_MS, () => {
      this.#resting = false;
      this.#say();
    });
  }

  #inSight(session: SessionId): boolean {
    return this.app.route.view === 'session' && this.app.session?.id === session;
  }

  #title(session: SessionId): string {
    return this.app.rows.find((row) => row.id === session)?.title || text.common.untitled;
  }
}
