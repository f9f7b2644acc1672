import { SvelteSet } from 'svelte/reactivity';
import type { Backend } from '../backend/backend';
import type {
  Appearance,
  ApprovalPolicy,
  Content,
  Event,
  FirstView,
  ModelList,
  PlanStanding,
  RequestRow,
  SessionId,
  SessionRow,
  SettingsChange,
  SettingsView,
  Signal,
  Workspace,
} from '../backend/bindings';
import { backendError, type BackendError } from '../backend/errors';
import { canPlan, plansHere } from '../model/models';
import { bySession } from '../model/rows';
import { ActiveSessions } from './active.svelte';
import { attempt, attemptBeside } from './attempt';
import { ModelChoices } from './choices.svelte';
import type { Clock } from './clock';
import { Contents } from './contents.svelte';
import { Drafts } from './drafts.svelte';
import { createdIn } from './folders';
import { forget } from './forget';
import { keep, keepNow, readKept } from './kept';
import { LeftRuns } from './left.svelte';
import { Listing } from './listing.svelte';
import { Opened } from './opened';
import { AskingPlans } from './plans.svelte';
import { Pulls } from './pulls.svelte';
import { retrying } from './retrying';
import type { Route } from './route';
import { OpenSession } from './session.svelte';
import { Tools } from './tools.svelte';
import { Troubles } from './troubles.svelte';
import { Watch } from './watch.svelte';
import { Zoom } from './zoom.svelte';

/** The name under which a new request is kept. */
const COMPOSED = 'composed.new';
/** The one under which the folder is kept that was picked for it. */
const PICKED = 'folder.new';

/** Everything that the window shows, kept up with what the engine tells. */
export class App {
  readonly backend: Backend;
  readonly watch: Watch;
  inbox = $state.raw<readonly RequestRow[]>([]);
  /** How the latest version of each plan stands. */
  standings = $state.raw<readonly PlanStanding[]>([]);
  /** The same by the sessions they are in. */
  readonly plansIn: ReadonlyMap<SessionId, readonly PlanStanding[]> = $derived(bySession(this.standings));
  /** The sessions in which something goes on. */
  readonly active = new ActiveSessions(() => this.backend);
  /** The folders of sessions, last used first. */
  workspaces = $state.raw<readonly Workspace[]>([]);
  models = $state.raw<ModelList | null>(null);
  settings = $state.raw<SettingsView | null>(null);
  route = $state.raw<Route>({ view: 'new' });
  /** The open session, whichever view is shown. */
  session = $state.raw<OpenSession | null>(null);
  readonly pulls = new Pulls();
  readonly choices = new ModelChoices(this);
  /** The workspace of the next session: as picked, as set, or as last used. */
  readonly folder: string | null = $derived(
    this.workspace ?? [this.settings?.workspace, ...this.workspaces].find((one) => one?.usable)?.path ?? null,
  );
  loading = $state(true);
  error = $state.raw<BackendError | null>(null);
  now = $state(0);

  readonly canPlan: boolean = $derived(canPlan(this.models));
  readonly plansHere: boolean = $derived(plansHere(this.models));

  /** What was begun of answers, in sessions and in the inbox alike. */
  readonly drafts = new Drafts();
  /** What was read of values that do not stand in their events. */
  readonly contents = new Contents(() => this.backend);
  /** Where requests come from. */
  readonly plans = new AskingPlans(() => this.backend);
  readonly troubles = new Troubles((id) => this.isInSight(id));
  readonly left = new LeftRuns(this);
  readonly zoom = new Zoom(this);
  /** The sessions that are being deleted: each is there until its work has ended, or it cannot be. */
  readonly deleting = new SvelteSet<SessionId>();
  readonly tools = new Tools(
    () => this.backend,
    () => this.#lookAtPlans(),
  );

  #composed = $state(readKept(COMPOSED) ?? '');
  #workspace = $state(readKept(PICKED));
  #listeners = new Set<(events: readonly Event[]) => void>();
  readonly #open = new Opened(
    (id) => new OpenSession(id, this.backend, this.clock, this.drafts, () => this.#gone(id)),
    (id) => this.active.has(id),
  );
  readonly #listing = new Listing(() => this.backend);

  constructor(
    backend: Backend,
    readonly clock: Clock,
  ) {
    this.watch = new Watch(clock);
    this.backend = this.watch.over(backend);
    this.now = clock.now();
    clock.every(30_000, () => (this.now = clock.now()));
  }

  /**
   * Listens, and takes in what the engine has to show first; `ready` is called before the latter. Gives why the engine
   * could not be opened: without it there is nothing to show and nowhere to write.
   */
  async start(ready?: () => void): Promise<BackendError | null> {
    this.zoom.begin();
    let first: FirstView;
    try {
      first = await this.backend.open((signals) => this.hear(signals));
    } catch (thrown) {
      return backendError(thrown);
    }
    await this.try(async () => {
      ready?.();
      const isNewest = this.#listing.take(first.sessions);
      this.inbox = first.requests;
      this.standings = first.plans;
      this.active.take(first.active);
      this.drafts.read(this.inbox);
      this.tools.first(first);
      ({ settings: this.settings, models: this.models, workspaces: this.workspaces } = first);
      this.zoom.begin();
      if (this.rows.length === 0 && !this.canPlan) this.route = { view: 'welcome' };
      // What was told meanwhile may be newer than what was read.
      if (!isNewest) await this.#readRows();
    });
    this.loading = false;
    return null;
  }

  hear(signals: Signal[]): void {
    const events = signals.flatMap((signal) => (signal.type === 'committed' ? [signal.event] : []));
    this.#listing.hear(events);
    if (events.some((event) => event.kind.startsWith('request_') || event.kind === 'run_ended'))
      void this.readInbox();
    if (events.some((event) => /^(plan_|run_|request_)/.test(event.kind))) void this.readStandings();
    // Before each plan and each run the engine has looked which tools there are.
    if (events.some(({ kind }) => kind === 'plan_proposed' || kind === 'run_ended')) void this.#readTools();
    this.troubles.hear(signals);
    for (const signal of signals) this.#hearOne(signal);
    for (const session of this.#open.all()) session.hear(signals);
    for (const listener of this.#listeners) listener(events);
  }

  /** Tells of what happens once the sessions have taken it in, until what it returns is called. */
  listen(listener: (events: readonly Event[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #hearOne(signal: Signal): void {
    if (signal.type === 'behind') {
      this.pulls.missed();
      void this.#readRows();
    } else if (signal.type === 'session_deleted') this.#gone(signal.session);
    else if (signal.type === 'show') void this.open(signal.session);
    else if (signal.type === 'show_inbox') this.go({ view: 'inbox' });
    else if (signal.type === 'closing') void this.#writeDown();
    else if (signal.type === 'work') this.active.hear(signal);
    else if (signal.type === 'pull' || signal.type === 'pull_ended') {
      this.pulls.hear(signal);
      if (signal.type === 'pull_ended') void this.readModels();
    }
  }

  /** Shows a session; one that was open before is as it was, and one that was deleted has nothing to show. */
  async open(id: SessionId): Promise<void> {
    if (this.deleting.has(id)) return;
    if (this.#listing.isDeleted(id)) return this.go({ view: 'inbox' });
    const [session, read] = this.#open.open(id);
    if (this.route.view !== 'session' || this.session !== session) session.opened();
    this.session = session;
    this.route = { view: 'session', id };
    await read;
    if (this.isInSight(id) && !session.unread) session.error = this.troubles.seen(id) ?? session.error;
  }

  isInSight(id: SessionId): boolean {
    return this.route.view === 'session' && this.session?.id === id;
  }

  /** A session kept up with what happens in it, without being shown. */
  async attend(id: SessionId): Promise<OpenSession> {
    const [session, read] = this.#open.open(id);
    await read;
    return session;
  }

  go(route: Route): void {
    this.route = route;
    if (route.view === 'new') this.session = null;
  }

  /** A new session in a folder, which is the one that was used last then; with the plan of a text, where one is given. */
  create(folder: string, text?: string): Promise<SessionRow> {
    return createdIn(this, folder, text);
  }

  /**
   * Opens a session in the chosen workspace and sends its first message, which stays written until it was taken; or begins
   * it in another way.
   */
  async begin(text: string, start = (session: OpenSession) => session.send(text)): Promise<boolean> {
    const { folder, route } = this;
    if (!folder) return false;
    return this.try(async () => {
      const row = await this.create(folder);
      // Who has gone elsewhere while it was made is not taken back to it.
      if (this.route.view === route.view) await this.open(row.id);
      else await this.attend(row.id);
      const session = this.#open.get(row.id);
      if (!session) return;
      session.composed = text;
      if (!(await start(session))) {
        // Where nobody would see why, the window says it.
        if (!this.isInSight(row.id)) this.error = session.error;
      } else if (session.composed === text) session.composed = '';
    });
  }

  /** The new request that the person is writing; kept until it is sent. */
  get composed(): string {
    return this.#composed;
  }

  set composed(words: string) {
    this.#composed = words;
    keep(COMPOSED, words);
  }

  /** The folder that was picked for the next session; kept until there is one in it. */
  get workspace(): string | null {
    return this.#workspace;
  }

  set workspace(folder: string | null) {
    this.#workspace = folder;
    keep(PICKED, folder ?? '');
  }

  /** Leaves nothing that was written in memory only: the window may be about to go. */
  flush(): void {
    for (const session of this.#open.all()) session.flush();
    keepNow();
  }

  /** Gives what stands in the fields of the window, as when it is left; the window sets it. */
  leave: () => void = () => this.flush();

  /** Writes down what the window holds, and says so: it waits for that before it goes. */
  async #writeDown(): Promise<void> {
    this.leave();
    await this.watch.untilQuiet();
    await this.beside(() => this.backend.written(), 'written');
  }

  rename(id: SessionId, title: string): Promise<boolean> {
    return this.try(() => this.backend.sessions.rename(id, title));
  }

  archive(id: SessionId, archived: boolean): Promise<boolean> {
    return this.try(() => this.backend.sessions.archive(id, archived));
  }

  delete(id: SessionId): Promise<boolean> {
    // What goes on in it ends first, and nothing is sent into it then.
    this.#open.get(id)?.queue.hold();
    this.deleting.add(id);
    this.#close(id);
    return this.try(() =>
      this.backend.sessions.delete(id).catch((thrown: unknown) => {
        // Another process may have been quicker, of which nothing was told here.
        if (backendError(thrown).code !== 'not_found') throw thrown;
        this.#gone(id);
      }),
    ).finally(() => this.deleting.delete(id));
  }

  #gone(id: SessionId): void {
    this.#listing.drop(id);
    this.troubles.take(id);
    this.#open.drop(id);
    void forget(id, this.backend);
    // What it asked and what it planned goes without an event of its own.
    void this.readInbox();
    void this.readStandings();
    this.#close(id);
  }

  #close(id: SessionId): void {
    if (this.session?.id !== id) return;
    this.session = null;
    if (this.route.view === 'session') this.go({ view: 'new' });
  }

  async #readRows(): Promise<void> {
    await this.#readList();
    await this.readInbox();
    await this.readStandings();
    await this.#readTools();
    await this.#readActive();
    await this.readModels();
  }

  readonly #readList = retrying(this, 'sessions', () => this.#listing.read());
  readonly #readTools = retrying(this, 'tools', () => this.tools.read());
  readonly #readActive = retrying(this, 'active', () => this.active.read());
  readonly readModels = retrying(
    this,
    'models',
    async () => void (this.models = await this.backend.models.list()),
  );
  readonly readStandings = retrying(
    this,
    'standings',
    async () => void (this.standings = await this.backend.plans.standings()),
  );
  readonly readInbox = retrying(this, 'inbox', async () => {
    this.inbox = await this.backend.requests.open();
    this.drafts.read(this.inbox);
  });

  /** Whether a model is there that can plan, looked at anew where none was when it was looked at last. */
  async findsPlanner(): Promise<boolean> {
    if (!this.canPlan) await this.readModels();
    return this.canPlan;
  }

  /** What was said of plans before may not hold any more, or hold again. */
  #lookAtPlans(): void {
    for (const session of this.#open.all()) session.lookAtPlans();
  }

  async pickWorkspace(): Promise<void> {
    await this.try(async () => {
      const path = await this.backend.desktop.pickFolder();
      if (path) this.workspace = path;
    });
  }

  change(change: SettingsChange): Promise<boolean> {
    return this.try(async () => {
      this.settings = await this.backend.settings.change(change);
      // Who says in which folder requests begin means the next one, too.
      if (change.workspace !== undefined) this.workspace = null;
    });
  }

  openLink = (address: string): void => void this.try(() => this.backend.desktop.openLink(address));

  get rows(): readonly SessionRow[] {
    return this.#listing.rows;
  }

  get appearance(): Appearance {
    return this.settings?.appearance ?? 'system';
  }

  /** When a plan needs the person's word. */
  get policy(): ApprovalPolicy {
    return this.settings?.policy ?? 'effects';
  }

  /**
   * Reads or keeps something beside what the person does: what went wrong with that stays shown until what has the same
   * name is done, and `lasts` where it is tried again: no other one takes it away for good. Whether it was done.
   */
  beside(act: () => Promise<void>, name?: string, lasts = false): Promise<boolean> {
    return attemptBeside(this, act, name, lasts);
  }

  /** Reads a value that does not stand in its event; what went wrong with others of them stays shown. */
  readContent(content: Content): void {
    void this.beside(async () => void (await this.contents.read(content)), JSON.stringify(content));
  }

  /** Does something with the engine; what goes wrong is shown. */
  try(act: () => Promise<void>): Promise<boolean> {
    return attempt(this, act);
  }
}
