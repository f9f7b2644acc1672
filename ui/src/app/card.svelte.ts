import type { Backend } from '../backend/backend';
import type {
  Plan,
  PlanCheck,
  PlanDiff,
  PlanEdit,
  PlanEdited,
  PlanId,
  PlanRef,
  PlanView,
  StepId,
} from '../backend/bindings';
import { BackendError, backendError } from '../backend/errors';
import { begin, changed, dropped, isDirty, redo, refused, undo, type Draft } from '../model/draft';
import { sharing } from '../model/sharing';
import { Anew } from './anew.svelte';
import { attempt, attemptBeside, dropFailure, isUnread } from './attempt';
import { begun } from './begun';
import type { Clock } from './clock';
import { CHANGED, endsWork, needsEdits, type Deciding } from './deciding';
import { Keeping } from './keeping';
import { rereading } from './rereading';
import { Writing } from './writing.svelte';

/** A change of the document, or one of what it is by the time the change has its turn. */
export type Change = PlanEdit | ((document: Plan) => PlanEdit);

/** A plan as its card shows it: the latest version, and the unsaved changes of it. */
export class Card {
  view = $state.raw<PlanView | null>(null);
  draft = $state.raw<Draft | null>(null);
  /** Of the document as it stands. */
  check = $state.raw<PlanCheck | null>(null);
  /** From the latest version to the unsaved document. */
  adds = $state.raw<PlanDiff | null>(null);
  error = $state.raw<BackendError | null>(null);
  deciding = $state<Deciding | null>(null);
  /** Whether it is folded, once a person said so. */
  folded = $state<boolean | null>(null);
  /** Whether somebody had it in sight while its run went on: it stays as it is until the session is opened again. */
  attended = $state(false);
  /** Whether the document was put by as it stands, and nothing came after that. */
  saved = $state(false);
  /** What of it is planned once more. */
  readonly anew: Anew;
  /** What the person writes beside it. */
  readonly writing: Writing;
  /** Has its fields give once more what they show and the document does not have; set where it is shown. */
  give: () => void = () => undefined;
  /** The version that was decided about and is to be changed all the same, which makes the next one. */
  #reopened = $state<number | null>(null);

  #queue: Promise<void> = Promise.resolve();
  readonly #keeping: Keeping;
  /** How often the kept draft began or ceased to be dropped. */
  #drops = 0;
  /** How many changes were not made, and what went wrong with the last unless it was refused. */
  #lost: { count: number; failure: BackendError | null } = { count: 0, failure: null };

  constructor(
    readonly id: PlanId,
    private readonly backend: Backend,
    clock: Clock,
    /** Hears that what the plan has under way is given up for a decision; what it returns takes that back. */
    private readonly givesUp: (what: Deciding) => () => void = () => () => undefined,
    /** Hears that nothing is being decided any more. */
    private readonly decided: () => void = () => undefined,
  ) {
    this.anew = new Anew(backend.plans);
    this.writing = new Writing(`plan.${id}`);
    this.#keeping = new Keeping(clock, () => this.#keep());
  }

  /** The document as it stands, saved or not. */
  get document(): Plan | null {
    return this.draft?.document ?? this.view?.plan ?? null;
  }

  get reworking(): StepId | null {
    return this.anew.step;
  }

  get renewing(): boolean {
    return this.anew.whole;
  }

  /** Whether the latest version is to be changed though it was decided about. */
  get reopened(): boolean {
    return this.view !== null && this.#reopened === this.view.plan.version;
  }

  /** Lets the latest version be changed though it was decided about. */
  reopen(): void {
    this.#reopened = this.view?.plan.version ?? null;
  }

  /** Leaves it as it was decided about. */
  leave(): void {
    this.#reopened = null;
  }

  /** Whether what went wrong is that something could not be read or kept, which nobody asked for. */
  get unread(): boolean {
    return isUnread(this);
  }

  /** Reads and keeps once more what could not be. */
  async retry(): Promise<void> {
    await this.load();
    if (this.dirty && (!this.error || this.unread)) this.#keeping.now();
  }

  /** Changes and decisions that are asked for from now on wait for this. */
  hold(until: Promise<void>): void {
    this.#queue = this.#queue.then(() => until);
  }

  /** Whether there is something to save. */
  readonly dirty: boolean = $derived(this.draft !== null && isDirty(this.draft));
  /** Whether another version came after the one that the unsaved changes were made of, also those that are refused. */
  readonly overtaken: boolean = $derived(
    (this.dirty || !!this.draft?.refused) && this.deciding === null && this.#isBehind,
  );

  /** Reads the latest version, and the draft that was kept. Unsaved changes stay, whatever version comes. */
  readonly load = rereading(() => this.#read());

  async #read(): Promise<void> {
    await attemptBeside(this, async () => {
      const drops = this.#drops;
      const [view, kept] = await Promise.all([
        this.backend.plans.get(this.id),
        this.backend.plans.draft(this.id),
      ]);
      const found = !this.dirty && kept ? await begun(this.backend, view.plan, kept.plan) : null;
      const stays = await this.#takeWritten(view.plan.version);
      const plan = this.view ? sharing(this.view.plan, view.plan) : view.plan;
      this.view = { ...view, plan };
      this.anew.came(plan.version);
      if (!stays || !this.draft?.refused) this.#makeRoom();
      // A draft that was saved or thrown away while it was read is none any more.
      if (found && isDirty(found) && !this.draft && drops === this.#drops) this.draft = found;
      if (this.draft) await this.#look();
      else {
        this.check = view.check;
        this.adds = null;
      }
    });
  }

  /**
   * Before another version takes the place of the one that is shown, what stands in fields is taken as a change of the
   * latter; where that cannot be made now it stays, and with it the version. Whether it stays because it is refused: then
   * the document that it was written in stays, though another version is the latest. A decision has taken it already,
   * and waits for the reading.
   */
  async #takeWritten(latest: number): Promise<boolean> {
    if (this.deciding) return true;
    if (this.dirty || !this.document || this.document.version === latest) return false;
    const seen = this.#lost.count;
    this.give();
    await this.#queue;
    const { count, failure } = this.#lost;
    // As one of the reading: both are tried again together.
    if (count > seen && failure) throw new BackendError({ code: failure.code, message: failure.message });
    return count > seen;
  }

  /** Whether the unsaved document was made of an earlier version than the latest. */
  get #isBehind(): boolean {
    const { draft, view } = this;
    return draft !== null && view !== null && draft.document.version !== view.plan.version;
  }

  /**
   * A draft of an earlier version in which nothing is changed any more goes: what is decided about is the latest one.
   * Whether there was one.
   */
  #makeRoom(): boolean {
    if (this.dirty || !this.#isBehind) return false;
    this.draft = null;
    this.check = this.view?.check ?? null;
    this.adds = null;
    return true;
  }

  /** Changes the document; a change that is refused says why and changes nothing. */
  async edit(...changes: Change[]): Promise<boolean> {
    let isMade = false;
    await this.#inTurn(async () => {
      const base = this.view?.plan;
      if (!base) return;
      const draft = this.draft ?? begin(base);
      const edits = changes.map((one) => (typeof one === 'function' ? one(draft.document) : one));
      try {
        const view = this.view;
        const made = await this.backend.plans.apply(draft.document, edits, base.version);
        this.draft = changed(draft, made.plan);
        if (this.view === view) this.#tell(made);
        else await this.#look();
      } catch (thrown) {
        const error = backendError(thrown);
        const isRefused = error.code === 'edit_refused';
        this.#lost = { count: this.#lost.count + 1, failure: isRefused ? null : error };
        if (!isRefused) throw error;
        this.draft = refused(draft, error.message, edits[0]);
        return;
      }
      isMade = true;
      this.#changed();
    });
    return isMade;
  }

  /** Says why what stands in a field cannot be a change; it holds up what is decided as one that the engine refuses. */
  refuse(reason: string): Promise<void> {
    return this.#inTurn(async () => {
      const draft = this.draft ?? (this.view && begin(this.view.plan));
      this.#lost = { count: this.#lost.count + 1, failure: null };
      if (draft) this.draft = refused(draft, reason);
    });
  }

  undo(): Promise<void> {
    return this.#moved(undo);
  }

  redo(): Promise<void> {
    return this.#moved(redo);
  }

  #moved(move: (draft: Draft) => Draft): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.draft) return;
      this.draft = move(this.draft);
      this.#changed();
      await this.#look();
    });
  }

  /** Throws the unsaved changes away, which shows the latest version; they can be had again, as any change can. */
  discard(): Promise<void> {
    return this.#inTurn(async () => {
      this.#makeRoom();
      const { draft, view } = this;
      this.draft = draft && (view && this.#isBehind ? dropped(draft, view.plan) : changed(draft, draft.base));
      this.adds = null;
      this.check = this.view?.check ?? null;
      this.leave();
      await this.#drop();
    });
  }

  async #drop(): Promise<void> {
    this.#keeping.drop();
    this.#drops += 1;
    await this.backend.plans.keepDraft(this.id, null);
    dropFailure(this, 'draft');
    this.#drops += 1;
  }

  /** The refusal was read, or what was refused is meant no more. */
  forgiven(): void {
    if (this.draft?.refused) this.draft = { ...this.draft, refused: null };
    this.#makeRoom();
  }

  /** Saves what is unsaved and approves it, in one action. */
  approve(note?: string): Promise<boolean> {
    return this.#decide('approve', async () => this.backend.plans.approve(await this.#saved(), note));
  }

  /** Approves and leaves it to `run`. */
  approveForLater(note?: string): Promise<boolean> {
    return this.#decide('approve', async () => this.backend.plans.approveForLater(await this.#saved(), note));
  }

  /** Carries an approved version out. */
  run(): Promise<boolean> {
    return this.#decide('run', async () => {
      if (this.view) await this.backend.plans.run(this.view.reference);
    });
  }

  /** Puts the document by: one that was changed as a new version, and one that was not is in Plans already. */
  save(): Promise<boolean> {
    return this.#decide('save', async () => {
      await this.#saved();
      this.saved = true;
    });
  }

  /** Has the message planned once more; this version is rejected once there is another plan. */
  again(note?: string): Promise<boolean> {
    return this.#decide('again', async () => {
      if (this.view) await this.anew.renew(this.view, note);
    });
  }

  /** Has one step planned once more with what the person says of it; this version stays until the next one is there. */
  rework(step: StepId, comment: string): Promise<boolean> {
    return this.#decide('rework', async () => {
      if (this.view) await this.anew.rework(this.view, step, comment);
    });
  }

  reject(reason?: string): Promise<boolean> {
    return this.#decide('reject', async () => {
      if (this.view) await this.backend.plans.reject(this.view.reference, reason);
    });
  }

  async #saved(): Promise<PlanRef> {
    const view = this.view;
    if (!view) throw new BackendError({ code: 'not_found', message: `there is no plan ${this.id}` });
    const { draft } = this;
    if (!this.dirty || !draft) return view.reference;
    const save = () => this.#keeping.instead(() => this.backend.plans.save(draft.document));
    const reference = await this.anew.beside(save);
    this.#drops += 1;
    this.draft = null;
    await this.#drop();
    await this.load();
    return reference;
  }

  #decide(what: Deciding, act: () => Promise<void>): Promise<boolean> {
    if (this.deciding) return Promise.resolve(false);
    this.deciding = what;
    this.saved = false;
    // What is decided about is what is shown: a change that was not made before is made first, or holds this up as well.
    if (needsEdits.has(what) && this.#lost.count > 0) this.give();
    const seen = this.#lost.count;
    const shown = this.document?.version;
    const takeBack = endsWork.has(what) ? this.givesUp(what) : null;
    let done = false;
    return this.#inTurn(async () => {
      // Another version that came before this had its turn is not what was decided about.
      if (this.document?.version !== shown) throw new BackendError(CHANGED);
      // A field that is left by pressing the button is changed first; without that change it is another document.
      if (needsEdits.has(what) && this.#lost.count > seen) {
        if (this.#lost.failure) throw this.#lost.failure;
        return;
      }
      // Nor is the latest one, where an earlier one was shown only for words that stand nowhere any more.
      if (this.#makeRoom()) throw new BackendError(CHANGED);
      await act();
      done = true;
    })
      .then(() => {
        if (!done) takeBack?.();
        // What the engine knows of tools is another than when the plan was shown: what does not hold is marked in it.
        if (this.error?.code === 'plan_faults') void this.load();
        return done;
      })
      .finally(() => {
        this.deciding = null;
        this.decided();
      });
  }

  #changed(): void {
    this.#makeRoom();
    this.saved = false;
    this.#keeping.changed();
  }

  #keep(): void {
    const document = this.dirty && this.draft ? this.draft.document : null;
    void attemptBeside(this, () => this.backend.plans.keepDraft(this.id, document), 'draft');
  }

  /** Keeps the unsaved changes at once: those that wait to be kept, and those that are being made. */
  flush(): void {
    const end = this.#keeping.hurry();
    // No act of the person: it takes away no error of theirs.
    this.#queue = this.#queue.then(end);
  }

  async #look(): Promise<void> {
    const { draft, view } = this;
    if (!draft) return;
    const against = (view?.plan ?? draft.base).version;
    const found = await this.backend.plans.apply(draft.document, [], against);
    // What was changed meanwhile is looked at by whoever changed it.
    if (this.draft === draft && this.view === view) this.#tell(found);
  }

  #tell({ check, diff }: PlanEdited): void {
    this.check = check;
    this.adds = diff;
  }

  /** One after the other: a change builds on the one before it. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(async () => void (await attempt(this, act)));
    return this.#queue;
  }
}
