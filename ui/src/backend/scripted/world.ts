import type {
  AllowanceRow,
  CredentialView,
  Event,
  EventKind,
  Failure,
  KeyView,
  MemoryView,
  PackStanding,
  PackView,
  Place,
  Plan,
  PlanDraft,
  PlanRef,
  PlanStatus,
  RequestRow,
  RunRow,
  SavedPlan,
  SearchLack,
  SessionId,
  SessionRow,
  Signal,
  SourceView,
} from '../bindings';
import type { Listener } from '../backend';
import { BackendError } from '../errors';
import { createdSession, openedRequest } from '../rows';
import { memories } from './memory';

/** A version of a plan as the scripted engine keeps it. */
export interface StoredVersion {
  plan: Plan;
  reference: PlanRef;
  status: PlanStatus;
}

const NOTES = [
  '# Patents in the licences',
  '',
  'Lines that mention patents, by licence.',
  '',
  '| licence | lines |',
  '| --- | ---: |',
  '| GPL-3 | 55 |',
  '| MPL-2.0 | 21 |',
  '| LGPL-2.1 | 7 |',
  '| GPL-2 | 6 |',
  '',
  'Counted in June.',
  '',
].join('\n');

/** The events that end what is being written. */
const ENDS = new Set<Event['kind']>([
  ...(['model_replied', 'model_failed', 'answered', 'step_ended'] as const),
  ...(['plan_proposed', 'turn_ended', 'call_ended'] as const),
]);

/** What goes on: each `next` is one thing that happens. It may say for which request it waits. */
export type Script = Generator<{ waitFor: string } | undefined, void, undefined>;

/**
 * The state of a scripted engine: what was written down, and what goes on. Nothing happens by itself and no time
 * passes: `advance` makes the next thing happen.
 */
export class World {
  sessions = new Map<SessionId, SessionRow>();
  events = new Map<SessionId, Event[]>();
  plans = new Map<string, StoredVersion[]>();
  drafts = new Map<string, PlanDraft>();
  /** The plans that the person keeps. */
  saved = new Map<string, SavedPlan>();
  runs = new Map<string, RunRow>();
  requests = new Map<string, RequestRow>();
  /** What is allowed for longer than one call, the newest first. */
  allowances: AllowanceRow[] = [];
  /** What is remembered, the newest first. */
  memories: MemoryView[] = memories();
  /** The credentials in the vault, by name. */
  vault: CredentialView[] = [];
  /** Where a secret that is given now is kept. */
  keyring: KeyView = { place: 'keyring' };
  /** The memory cannot be asked. */
  forgetful = false;
  /** What searches for tools have to do without. */
  lacks: SearchLack[] = [];
  /** Whether agents are made in chats. */
  studio = false;
  /** How the pack stands that can be added. */
  pack: PackStanding = 'absent';
  /** Packs of the person's own. */
  ownPacks: PackView[] = [];
  /** Folders of tools that were added. */
  sources: SourceView[] = [];
  /** Where the keys of their tools are, by source and host. */
  readonly sourceKeys = new Map<string, KeyView>();
  /** Large contents by their names. */
  blobs = new Map<string, string>();
  scripts = new Map<SessionId, { script: Script; waitFor: string | null }[]>();
  /** The next calls reject with these, one each. */
  failures: Failure[] = [];
  /** Ends the transfer of a model that goes on: whether it came whole. */
  transfer: ((whole: boolean) => void) | null = null;
  /** Why the data folder cannot be opened; nothing else works then. */
  unopened: Failure | null = null;
  /** No call is answered until it speaks again. */
  silent = false;
  /** The addresses and files that were opened in the person's programs. */
  opened: string[] = [];
  /** The files that were shown in their folders. */
  shown: string[] = [];
  /** The files that were written where a person chose, by their paths. */
  written = new Map<string, string>();
  /** How often the page said that it has written down what it held. */
  goodbyes = 0;
  /** How large everything in the window is. */
  zoom = 100;
  /** What every folder holds. */
  files = [
    'Apache-2.0',
    'BSD',
    'GPL-2',
    'GPL-3',
    'LGPL-2.1',
    'MPL-2.0',
    'notes/last year.md',
    'notes/patents.md',
  ];
  /** What some of them hold. */
  texts = new Map([['notes/patents.md', NOTES]]);
  /** What goes on is carried on by another program, whose work this window does not see begin and end. */
  elsewhere = false;
  /** No model and no network. */
  offline = false;
  /** The file of the starter model holds something else than it should, which nobody has found out yet. */
  spoiled = false;
  /** The program that runs embedded models is missing. */
  serverless = false;
  /** Servers with models run on this machine, whatever else is there. */
  servers = false;

  #listeners = new Set<Listener>();
  #unanswered: (() => void)[] = [];
  /** What is being written. */
  #underWay = new Map<SessionId, Signal[]>();
  #working = new Set<SessionId>();
  #abandoned: World['scripts'] = new Map();
  #ids = 0;
  #seq = 0;

  constructor(public now: number) {}

  /** Resolves once calls are answered again. */
  untilItSpeaks(): Promise<void> {
    return new Promise((answer) => this.#unanswered.push(answer));
  }

  /** Answers what was called meanwhile, and everything from now on. */
  speak(): void {
    this.silent = false;
    for (const answer of this.#unanswered.splice(0)) answer();
  }

  id(kind: string): string {
    this.#ids += 1;
    return `${kind}-${this.#ids}`;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(...signals: Signal[]): void {
    for (const signal of signals) this.#keepUnderWay(signal);
    for (const listener of this.#listeners) listener(signals);
  }

  /** Tells once more of what is being written in a session. */
  retell(session: SessionId): void {
    this.tell({ type: 'under_way', session, pieces: this.#underWay.get(session) ?? [] });
  }

  /** What ends something ends everything that is written in its session: a script writes one thing at a time. */
  #keepUnderWay(signal: Signal): void {
    if (signal.type === 'planning' || signal.type === 'text' || signal.type === 'call')
      this.#underWay.set(signal.session, [...(this.#underWay.get(signal.session) ?? []), signal]);
    else if (signal.type === 'committed' && ENDS.has(signal.event.kind))
      this.#underWay.delete(signal.event.session);
    else if (signal.type === 'again' || (signal.type === 'work' && !signal.active))
      this.#underWay.delete(signal.session);
  }

  /** Writes events down without telling anybody: history. */
  write(place: Place, ...kinds: EventKind[]): Event[] {
    return kinds.map((kind) => {
      this.#seq += 1;
      const event: Event = { seq: this.#seq, ...place, at: this.now, ...kind };
      const all = this.events.get(place.session);
      if (all) all.push(event);
      else this.events.set(place.session, [event]);
      this.#keep(event);
      return event;
    });
  }

  /** Writes events down and tells of them, all at once. */
  commit(place: Place, ...kinds: EventKind[]): void {
    this.tell(...this.write(place, ...kinds).map((event): Signal => ({ type: 'committed', event })));
    this.#tellWork(place.session);
  }

  begin(session: SessionId, script: Script): void {
    const all = this.scripts.get(session) ?? [];
    this.scripts.set(session, [...all, { script, waitFor: null }]);
    this.#tellWork(session);
  }

  /** Ends everything as a crash does; what was begun can be carried on. */
  abandon(): void {
    this.#abandoned = new Map(this.scripts);
    this.scripts.clear();
  }

  /** Carries on what was abandoned in a session. */
  carryOn(session: SessionId): void {
    const left = this.#abandoned.get(session);
    if (!left) return;
    this.#abandoned.delete(session);
    this.scripts.set(session, left);
    this.#tellWork(session);
  }

  /** Ends everything in a session. */
  halt(session: SessionId): void {
    this.scripts.delete(session);
    this.#tellWork(session);
  }

  /** Ends what goes on in a session; what waits for a person stays. */
  stop(session: SessionId): void {
    const waiting = (this.scripts.get(session) ?? []).filter((one) => this.#waits(one));
    if (waiting.length > 0) this.scripts.set(session, waiting);
    else this.scripts.delete(session);
    this.#tellWork(session);
  }

  /** Ends what was begun last in a session. */
  stopLast(session: SessionId): void {
    const all = this.scripts.get(session)?.slice(0, -1) ?? [];
    if (all.length > 0) this.scripts.set(session, all);
    else this.scripts.delete(session);
    this.#tellWork(session);
  }

  /** The sessions in which something goes on; what waits for a person does not. */
  active(): SessionId[] {
    return [...this.scripts].flatMap(([session, all]) =>
      all.every((one) => this.#waits(one)) ? [] : [session],
    );
  }

  #waits({ waitFor }: { waitFor: string | null }): boolean {
    return waitFor !== null && this.requests.get(waitFor)?.status === 'open';
  }

  #tellWork(session: SessionId): void {
    const active = this.active().includes(session);
    if (active === this.#working.has(session)) return;
    if (active) this.#working.add(session);
    else this.#working.delete(session);
    this.tell({ type: 'work', session, active });
  }

  /** Makes the next thing happen wherever something goes on; says whether anything did. */
  advance(ms = 120): boolean {
    this.now += ms;
    let moved = this.transfer !== null;
    this.transfer?.(true);
    this.transfer = null;
    for (const [session, scripts] of [...this.scripts]) {
      const left = scripts.filter((one) => {
        if (this.#waits(one)) return true;
        moved = true;
        const next = one.script.next();
        one.waitFor = next.value?.waitFor ?? null;
        return !next.done;
      });
      if (this.scripts.get(session) !== scripts) continue;
      if (left.length > 0) this.scripts.set(session, left);
      else this.scripts.delete(session);
      this.#tellWork(session);
    }
    return moved;
  }

  /** Makes everything happen that can without a person. */
  settle(most = 10_000): void {
    for (let times = 0; times < most && this.advance(); times += 1);
  }

  fail(code: Failure['code'], message: string, faults?: Failure['faults']): never {
    throw new BackendError({ code, message, ...(faults && { faults }) });
  }

  /** A new session in a folder. */
  begun(workspace: string, title = ''): SessionRow {
    if (workspace.startsWith('/root'))
      this.fail(
        'folder_unusable',
        `the workspace ${workspace} cannot be used: permission denied; name another folder`,
      );
    const session = this.id('session');
    this.commit({ session }, { kind: 'session_created', title, sessionKind: 'chat', workspace });
    return { ...this.session(session) };
  }

  session(id: SessionId): SessionRow {
    return this.sessions.get(id) ?? this.fail('not_found', `there is no session ${id}`);
  }

  versions(id: string): StoredVersion[] {
    return this.plans.get(id) ?? this.fail('not_found', `there is no plan ${id}`);
  }

  version(reference: { id: string; version?: number | undefined }): StoredVersion {
    const all = this.versions(reference.id);
    const found = reference.version ? all.find((one) => one.plan.version === reference.version) : all.at(-1);
    return found ?? this.fail('not_found', `there is no version ${reference.version} of that plan`);
  }

  #keep(event: Event): void {
    const row = this.sessions.get(event.session);
    if (event.kind === 'session_created') {
      this.sessions.set(event.session, createdSession(event));
    } else if (row) {
      row.updatedAt = event.at;
      this.#keepInRow(row, event);
    }
    this.#keepElsewhere(event);
  }

  #keepInRow(row: SessionRow, event: Event): void {
    if (event.kind === 'session_renamed') row.title = event.title;
    if (event.kind === 'session_archived') row.archived = event.archived;
    if (event.kind === 'message_received' && row.title === '') row.title = event.text.slice(0, 60);
    if (event.kind === 'request_opened') row.openRequests += 1;
    if (event.kind === 'request_answered' || event.kind === 'request_cancelled') row.openRequests -= 1;
    if (event.kind === 'run_queued') Object.assign(row, { run: event.run, runStatus: 'queued' });
    if (!event.run || event.run !== row.run) return;
    if (event.kind === 'run_started' || event.kind === 'request_answered') row.runStatus = 'running';
    if (event.kind === 'run_ended') row.runStatus = event.status;
    if (event.kind === 'request_opened')
      row.runStatus = event.request.kind === 'question' ? 'waiting_for_input' : 'suspended';
  }

  #keepElsewhere(event: Event): void {
    if (event.kind === 'request_opened') {
      this.requests.set(event.request.id, openedRequest(event));
    }
    const run = event.run ? this.runs.get(event.run) : undefined;
    if (run && event.kind === 'request_opened')
      run.status = event.request.kind === 'question' ? 'waiting_for_input' : 'suspended';
    if (run && event.kind === 'request_answered') {
      run.status = 'running';
      // An answer is the message of a turn of its own, in which the run goes on.
      run.turn = event.turn ?? run.turn;
    }
    if (event.kind === 'request_answered' || event.kind === 'request_cancelled') {
      const row = this.requests.get(event.request);
      if (row) row.status = event.kind === 'request_answered' ? 'answered' : 'cancelled';
      if (row && event.kind === 'request_answered') row.answer = event.answer;
    }
    if (run && event.kind === 'run_ended') run.status = event.status;
    if (
      event.kind === 'plan_approved' ||
      event.kind === 'plan_rejected' ||
      event.kind === 'plan_superseded'
    ) {
      const version = this.plans.get(event.plan.id)?.find((one) => one.plan.version === event.plan.version);
      if (version) version.status = event.kind.slice('plan_'.length) as PlanStatus;
    }
  }
}
