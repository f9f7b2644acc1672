import type { Backend } from '../backend/backend';
import type {
  Answer,
  Event,
  PlanId,
  RequestId,
  RequestRow,
  SessionId,
  Signal,
  StepId,
} from '../backend/bindings';
import { backendError, type BackendError } from '../backend/errors';
import { liveAfter, quiet, type Live } from '../model/live';
import { emptySession, latest, openRequests, sessionAfter, type SessionState } from '../model/session';
import { isOver, type RunState } from '../model/run';
import { Card } from './card.svelte';
import type { Clock } from './clock';
import { rereading } from './rereading';

/** A session that is shown: what was read of it, and what happens in it meanwhile. */
export class OpenSession {
  state = $state.raw<SessionState>(emptySession);
  live = $state.raw<Live>(quiet);
  loading = $state(true);
  /** Whether work goes on in it that can be stopped. */
  active = $state(false);
  error = $state.raw<BackendError | null>(null);
  /** What the person is writing. */
  composed = $state('');
  sending = $state(false);
  /** What the inspector looks at: a plan, else the latest; a step of it, else all. */
  inspected = $state.raw<{ plan: PlanId | null; step: StepId | null }>({ plan: null, step: null });

  /** What was written of answers and not sent. */
  #drafts = $state.raw<ReadonlyMap<RequestId, string>>(new Map());
  readonly requests: RequestRow[] = $derived(
    openRequests(this.state).map((row) => {
      const draft = this.#drafts.get(row.request.id);
      return draft === undefined ? row : { ...row, draft };
    }),
  );
  /** The run that is shown beside the chat: the latest. */
  readonly run: RunState | null = $derived([...this.state.runs.values()].at(-1) ?? null);

  /** The plans whose latest version waits for a decision, oldest first. */
  get waiting(): PlanId[] {
    const plans = [...this.state.plans.values()];
    return plans.filter((plan) => latest(plan)?.status === 'proposed').map((plan) => plan.id);
  }

  /** The turn that the chat is to show, by its place; null once it is shown. */
  revealed = $state<number | null>(null);
  /** The part of the inspector that is shown. */
  tab = $state('graph');

  #cards = new Map<PlanId, Card>();
  /** Events that were told while what comes before them is not read yet. */
  #heard: Event[] = [];
  /** Whether the next event told follows on those that were taken in. */
  #joined = false;
  /** Whether something was left out since the reading began. */
  #behind = false;
  /** Whether work was told of since the reading began, which is newer than what is read. */
  #workTold = false;
  #reading = false;

  constructor(
    readonly id: SessionId,
    private readonly backend: Backend,
    private readonly clock: Clock,
  ) {}

  /** Reads what is not known yet. */
  readonly load = rereading(() => this.#read());

  async #read(): Promise<void> {
    this.#reading = true;
    this.#behind = false;
    this.#workTold = false;
    this.#joined = false;
    try {
      this.error = null;
      const [events, active, open] = await Promise.all([
        this.backend.sessions.events(this.id, this.state.seq),
        this.backend.messages.active(),
        this.backend.requests.open(),
      ]);
      // What is written here meanwhile is newer than what was kept.
      this.#drafts = new Map([
        ...open.flatMap(({ request, draft }) => (draft ? [[request.id, draft] as const] : [])),
        ...this.#drafts,
      ]);
      if (!this.#workTold) this.active = active.includes(this.id);
      this.#take(events);
      // What was told after something was left out would hide the hole; it waits for the next reading.
      if (this.#behind) return;
      this.#joined = true;
      this.#take(this.#heard.splice(0));
    } catch (thrown) {
      this.error = backendError(thrown);
    } finally {
      this.#reading = false;
      this.loading = false;
    }
  }

  /** Takes in what happened, several signals at a time. */
  hear(signals: readonly Signal[]): void {
    const events: Event[] = [];
    let live = this.live;
    let behind = false;
    for (const signal of signals) {
      if (signal.type === 'committed') {
        if (signal.event.session !== this.id) continue;
        events.push(signal.event);
      } else if (signal.type === 'behind') {
        behind = true;
        live = quiet;
        continue;
      } else if (signal.type === 'work' && signal.session === this.id) {
        this.active = signal.active;
        this.#workTold = true;
      } else if (signal.type === 'trouble' && signal.session === this.id) {
        this.error = backendError(signal.failure);
      } else if ('session' in signal && signal.session !== this.id) continue;
      live = liveAfter(live, signal);
    }
    this.live = live;
    if (behind) this.#behind = true;
    if (this.#joined && !behind) return this.#take(events);
    this.#joined = false;
    this.#heard.push(...events);
    // Also after a reading that failed, once there is more to show.
    if (behind || (!this.#reading && events.length > 0)) void this.load();
  }

  #take(events: readonly Event[]): void {
    this.state = sessionAfter(this.state, events);
    const touched = new Set<PlanId>();
    for (const event of events) {
      if ('plan' in event && event.kind.startsWith('plan_')) touched.add(event.plan.id);
    }
    for (const id of touched) void this.#cards.get(id)?.load();
  }

  /** The card of a plan; read when it is first asked for. */
  card(id: PlanId): Card {
    const known = this.#cards.get(id);
    if (known) return known;
    const card = new Card(id, this.backend, this.clock);
    this.#cards.set(id, card);
    // Later, because cards are asked for while the window is drawn.
    queueMicrotask(() => void card.load());
    return card;
  }

  /** Has the chat show the message or answer that an event belongs to. */
  reveal(seq: number): void {
    this.revealed = this.state.turns.findLastIndex((turn) => turn.seq <= seq);
  }

  /** The runs of a plan, oldest first. */
  runsOf(id: PlanId): RunState[] {
    return [...this.state.runs.values()].filter((run) => run.plan.id === id);
  }

  async send(text: string): Promise<boolean> {
    this.sending = true;
    const sent = await this.#try(() => this.backend.messages.send(this.id, text));
    this.sending = false;
    return sent;
  }

  stop(): Promise<boolean> {
    const run = this.run;
    return this.#try(() =>
      run && !isOver(run) ? this.backend.runs.cancel(run.id) : this.backend.messages.stop(this.id),
    );
  }

  retry(run: RunState, step: string): Promise<boolean> {
    return this.#try(() => this.backend.runs.retry(run.id, step));
  }

  resume(run: RunState): Promise<boolean> {
    return this.#try(() => this.backend.runs.resume(run.id));
  }

  /** Keeps the unfinished text of an answer at hand; writing it down is its card's business. */
  drafted(id: RequestId, draft: string): void {
    this.#drafts = new Map(this.#drafts).set(id, draft);
  }

  answer(id: RequestId, answer: Answer): Promise<boolean> {
    return this.#try(() => this.backend.requests.answer(id, answer));
  }

  async #try(act: () => Promise<void>): Promise<boolean> {
    try {
      this.error = null;
      await act();
      return true;
    } catch (thrown) {
      this.error = backendError(thrown);
      return false;
    }
  }
}
