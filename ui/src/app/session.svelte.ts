import type { Backend } from '../backend/backend';
import type {
  AnswerDraft,
  Event,
  Plan,
  PlanId,
  RequestId,
  RequestRow,
  SessionId,
  Signal,
  StepId,
  TurnId,
} from '../backend/bindings';
import { backendError, type BackendError } from '../backend/errors';
import { quiet, type Live } from '../model/live';
import {
  emptySession,
  latest,
  newestPlan,
  openRequests,
  sessionAfter,
  type SessionState,
} from '../model/session';
import { held, runOf, theNewest, type Inspected } from '../model/inspected';
import { isGoingOn, isOver, shownOf, type RunState } from '../model/run';
import { asking } from './asking';
import { Card } from './card.svelte';
import { tellingReplies, type Offer } from '../model/offer';
import { attempt } from './attempt';
import type { Clock } from './clock';
import { Composed } from './composed.svelte';
import type { Deciding } from './deciding';
import { Drafts } from './drafts.svelte';
import { endedBy, isStill, underWay } from './ends';
import { Holder } from './holder.svelte';
import { keptOf } from './kept';
import { Offers } from './offers.svelte';
import { outliving } from './outliving.svelte';
import { isStep, Queue } from './queue.svelte';
import { rereading } from './rereading';
import { Sent } from './sent.svelte';
import { soughtIn, turnOf, type Revealed, type Sought } from './sought';
import { told } from './told';
import { Versions } from './versions.svelte';

/** A session that is shown: what was read of it, and what happens in it meanwhile. */
export class OpenSession {
  state = $state.raw<SessionState>(emptySession);
  live = $state.raw<Live>(quiet);
  loading = $state(true);
  /** What the last reading failed with: what is shown of it is not whole. */
  unreadWhy = $state.raw<BackendError | null>(null);
  /** Whether work goes on in it that can be stopped. */
  active = $state(false);
  error = $state.raw<BackendError | null>(null);
  sending = $state(false);
  #saying = Promise.resolve(false);
  /** What the person is writing, and which question it answers. */
  readonly answering: Composed;
  /** Messages that wait for what goes on. */
  readonly queue: Queue;
  readonly sent = new Sent(() => this.state);
  /** What the inspector looks at. */
  inspected = $state.raw<Inspected>(theNewest);

  readonly requests: RequestRow[] = $derived.by(() => this.drafts.over(openRequests(this.state)));
  /** The run that is told of: the latest that goes on, else the latest. */
  readonly run: RunState | null = $derived(shownOf([...this.state.runs.values()]));

  get unread(): boolean {
    return this.unreadWhy !== null;
  }

  /** The plans whose latest version waits for a decision, oldest first. */
  get waiting(): PlanId[] {
    const plans = [...this.state.plans.values()];
    return plans.filter((plan) => latest(plan)?.status === 'proposed').map((plan) => plan.id);
  }

  /** What the chat is to show; null once it is shown. */
  revealed = $state.raw<Revealed | null>(null);
  /** What was looked for and is to be shown; null once it is. */
  found = $state.raw<Sought | null>(null);
  /** The part of the inspector that is shown. */
  tab = $state('graph');

  #cards = new Map<PlanId, Card>();
  readonly #versions: Versions;
  readonly #offers: Offers;
  readonly #holder: Holder;
  /** How many turns there are at least once the message that was sent last has been told. */
  #expected = 0;
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
    private readonly drafts = new Drafts(),
    /** Hears that it is not there any more. */
    private readonly gone: () => void = () => undefined,
  ) {
    this.answering = new Composed(this.id, () => this.requests);
    this.#offers = new Offers(id, backend);
    this.#holder = new Holder(backend, () => (!this.active && isGoingOn(this.run) ? this.run : null));
    this.#versions = new Versions(backend, (thrown) => (this.error = backendError(thrown)));
    this.queue = new Queue(keptOf.queue(this.id), {
      isQuiet: () => this.#isQuiet(),
      isBusy: () => this.working,
      // What is being sent just now goes first.
      send: (text) => this.#saying.then(() => this.send(text)),
      underWay: () => underWay(this.state),
      stop: () => this.#try(() => this.#stopWork()),
    });
  }

  /** What the person is writing; kept until it is sent. */
  get composed(): string {
    return this.answering.words;
  }

  set composed(words: string) {
    this.answering.words = words;
  }

  /** The request whose card was chosen among several. */
  get chosen(): RequestId | null {
    return this.answering.chosen;
  }

  set chosen(id: RequestId | null) {
    this.answering.chosen = id;
  }

  /** Whether what was sent last is over, nothing goes on, and no run or question waits for the person. */
  #isQuiet(): boolean {
    const isAhead = this.state.turns.length < this.#expected;
    if (this.active || this.sending || !this.#joined || isAhead || this.requests.length > 0) return false;
    return isStill(this.state) && [...this.#cards.values()].every(({ deciding }) => deciding === null);
  }

  /** Whether something goes on in it that can be stopped, wherever. */
  get working(): boolean {
    return this.active || (this.holder === 'another' && this.run !== null && !isOver(this.run));
  }

  /** Who carries that run on where this window does not. */
  get holder(): Holder['is'] {
    return this.#holder.is;
  }

  readonly lookWhoCarries = () => this.#holder.look();

  /** The number of the newest reply to a request that may have told of tools. */
  get asked(): number | null {
    return tellingReplies(this.state, this.run)[0]?.seq ?? null;
  }

  /** What that run carries out, once it is read. */
  get carried(): Plan | null {
    return this.run && this.documentOf(this.run);
  }

  /** The tools of the newest request that told of any, once it was looked at. */
  get offer(): Offer | null {
    return this.#offers.newest;
  }

  readonly lookAtOffer = () => this.#offers.look(this.state, this.run, this.carried);

  /** Reads what is not known yet. */
  readonly load = rereading(() => this.#read());

  async #read(): Promise<void> {
    this.#reading = true;
    this.#behind = false;
    this.#workTold = false;
    this.#joined = false;
    if (this.unread) this.loading = this.state.turns.length === 0;
    try {
      // What else went wrong is told until somebody has seen it: nothing of it is read anew.
      if (this.error === this.unreadWhy) this.error = null;
      const [events, active, open] = await Promise.all([
        this.backend.sessions.events(this.id, this.state.seq),
        this.backend.messages.active(),
        this.backend.requests.open(),
        this.backend.sessions.retell(this.id),
      ]);
      this.drafts.read(open);
      if (!this.#workTold) this.active = active.includes(this.id);
      this.#take(events);
      // What was told after something was left out would hide the hole; it waits for the next reading.
      if (this.#behind) return;
      this.#joined = true;
      this.unreadWhy = null;
      this.#take(this.#heard.splice(0));
      void this.queue.advance();
    } catch (thrown) {
      this.unreadWhy = backendError(thrown);
      this.error ??= this.unreadWhy;
      // Another process has deleted it, of which nothing was told here.
      if (this.unreadWhy.code === 'not_found') this.gone();
    } finally {
      this.#reading = false;
      this.loading = false;
    }
  }

  /** Takes in what happened, several signals at a time. */
  hear(signals: readonly Signal[]): void {
    const { events, live, behind, active, failure } = told(this.id, this.live, signals);
    this.live = live;
    if (behind) this.#behind = true;
    if (active !== undefined) {
      this.active = active;
      this.#workTold = true;
    }
    if (failure) {
      this.error = backendError(failure);
      this.queue.failed();
      for (const { anew } of this.#cards.values()) anew.failed();
    }
    if (!this.active) for (const { anew } of this.#cards.values()) anew.settled();
    if (this.#joined && !behind) {
      this.#take(events);
      this.#holder.settle();
      if (signals.some(isStep)) void this.queue.advance();
      return;
    }
    this.#joined = false;
    this.#heard.push(...events);
    // Also after a reading that failed, once there is more to show.
    if (behind || (!this.#reading && events.length > 0)) void this.load();
  }

  #take(events: readonly Event[]): void {
    if (events.length === 0) return;
    const before = this.state.plans;
    this.state = sessionAfter(this.state, events);
    this.queue.heard(events);
    for (const [id, card] of this.#cards) {
      card.anew.heard(events);
      if (this.state.plans.get(id) !== before.get(id)) void card.load();
    }
  }

  /** The card of a plan; read when it is first asked for. */
  card(id: PlanId): Card {
    const known = this.#cards.get(id);
    if (known) return known;
    const givesUp = (what: Deciding) => this.queue.giveUp(endedBy(what, this.state, id));
    const next = () => void this.queue.advance();
    const card = outliving(() => new Card(id, this.backend, this.clock, givesUp, next));
    this.#cards.set(id, card);
    // Later, because cards are asked for while the window is drawn.
    queueMicrotask(() => void card.load());
    return card;
  }

  /** Has its plans checked once more: what they are checked against may be another. */
  lookAtPlans(): void {
    for (const card of this.#cards.values()) void card.load();
  }

  /** It is shown anew: the plans of runs that are over fold. */
  opened(): void {
    for (const card of this.#cards.values()) card.attended = false;
  }

  /** Keeps at once what waits to be kept. */
  flush(): void {
    for (const card of this.#cards.values()) card.flush();
  }

  /**
   * Has the window show what an event holds: the message or answer it belongs to, and of a plan or a run the step. Of a
   * plan it is the step that has the most of the words.
   */
  async reveal(seq: number, words = ''): Promise<void> {
    const found = await soughtIn(this.state, this.backend, seq, words);
    this.found = found;
    if (found) this.revealPlan(found.plan);
    else this.revealed = { ...turnOf(this.state.turns, seq), words };
  }

  /** Has the chat show a plan, unfolded. */
  revealPlan(plan: PlanId): void {
    this.card(plan).folded = false;
    this.revealed = { turn: this.state.turns.findIndex((turn) => turn.plans.includes(plan)) };
  }

  /** The plan that the inspector shows: the one that was chosen, else the newest. */
  get inspectedPlan(): PlanId | null {
    return this.inspected.plan ?? newestPlan(this.state);
  }

  /** Has the inspector look at a plan or a part of it. A run that it shows by itself is not held on to: the next one follows. */
  inspect(plan: PlanId | null, part: Partial<Inspected> = {}): void {
    const card = plan ? this.card(plan) : null;
    const own = plan && card ? runOf(this.runsOf(plan), card.document, card.dirty) : null;
    const run = part.run && part.run === (own?.id ?? 'plan') ? null : (part.run ?? null);
    this.inspected = { ...theNewest, plan, ...part, run };
  }

  /** The same for the plan that it shows: where nobody has chosen it, nobody has by that. */
  inspectPart(part: Partial<Inspected>): void {
    const { plan, passing } = this.inspected;
    this.inspect(this.inspectedPlan, part);
    if (plan === null || passing) this.inspected = held(this.inspected);
  }

  /** Has the inspector show how a turn was planned, whether or not a plan came of it; what it looks at beside stays. */
  inspectTurn(turn: TurnId): void {
    this.inspected = { ...this.inspected, turn };
    this.tab = 'trace';
  }

  /** What a run carries out; null until it is read. */
  documentOf(run: RunState): Plan | null {
    const latest = this.card(run.plan.id).view?.plan;
    return latest?.version === run.plan.version ? latest : this.#versions.of(run);
  }

  /** The runs of a plan, oldest first. */
  runsOf(id: PlanId): RunState[] {
    return [...this.state.runs.values()].filter((run) => run.plan.id === id);
  }

  /** Sends a message; `isKnown` where the person has seen which saved plan it resembles. */
  send(text: string, isKnown = false, question = asking(this)?.request.id): Promise<boolean> {
    if (!this.sending) this.sent.unlooked = isKnown ? null : text;
    return this.say(({ messages }) => messages.send(this.id, text, undefined, question));
  }

  /** Begins a turn, one at a time; says whether what it begins with was written down. */
  say(begin: (backend: Backend) => Promise<void>): Promise<boolean> {
    if (this.sending) return Promise.resolve(false);
    this.sending = true;
    const before = this.state.turns.length;
    return (this.#saying = this.#try(() => begin(this.backend)).then((sent) => {
      this.sending = false;
      if (sent) this.#expected = before + 1;
      return sent;
    }));
  }

  /**
   * Stops what goes on in this session: what is planned, else everything. That need not be the run that is told of, which may
   * wait for an answer meanwhile.
   */
  stop(): Promise<boolean> {
    this.queue.hold();
    return this.#try(async () => {
      if (!(await this.backend.messages.stopPlanning(this.id))) await this.#stopWork();
    });
  }

  /** Ends what this window works on, else the run that another program carries on, which does so itself. */
  async #stopWork(): Promise<void> {
    if (this.active || !this.run) await this.backend.messages.stop(this.id);
    else await this.backend.runs.cancel(this.run.id);
  }

  /** Ends a run, whether it works or waits. */
  cancel(run: RunState): Promise<boolean> {
    this.queue.hold();
    return this.#try(() => this.backend.runs.cancel(run.id));
  }

  retry(run: RunState, step: string): Promise<boolean> {
    return this.#try(() => this.backend.runs.retry(run.id, step));
  }

  /** Carries the plan of a run out once more: a step and what builds on it. */
  runFrom(run: RunState, step: StepId): Promise<boolean> {
    return this.#try(() => this.backend.plans.run(run.plan, step));
  }

  resume(run: RunState): Promise<boolean> {
    return this.#try(() => this.backend.runs.resume(run.id));
  }

  /** Keeps an answer that was begun at hand; writing it down is its card's business. */
  drafted(id: RequestId, draft: AnswerDraft): void {
    this.drafts.write(id, draft);
  }

  #try(act: () => Promise<void>): Promise<boolean> {
    return attempt(this, act);
  }
}
