import type { Backend } from '../backend/backend';
import type {
  Plan,
  PlanCheck,
  PlanDiff,
  PlanEdit,
  PlanId,
  PlanRef,
  PlanView,
  StepId,
} from '../backend/bindings';
import { BackendError, backendError } from '../backend/errors';
import { begin, changed, isDirty, redo, refused, undo, type Draft } from '../model/draft';
import type { Clock } from './clock';

/** Keystrokes are joined into one write of the draft. */
const KEEP_MS = 300;

/** What is being decided about a plan at the moment. */
export type Deciding = 'approve' | 'save' | 'again' | 'reject' | 'run';

/** What is decided about the document with its changes. */
const needsEdits: ReadonlySet<Deciding> = new Set(['approve', 'save']);

/** A plan as its card shows it: the latest version, and the unsaved changes of it. */
export class Card {
  view = $state.raw<PlanView | null>(null);
  draft = $state.raw<Draft | null>(null);
  /** Of the document as it stands. */
  check = $state.raw<PlanCheck | null>(null);
  /** From the version to the unsaved document. */
  adds = $state.raw<PlanDiff | null>(null);
  error = $state.raw<BackendError | null>(null);
  deciding = $state<Deciding | null>(null);

  #queue: Promise<void> = Promise.resolve();
  #unkept: (() => void) | null = null;
  /** How many changes were not made, and what went wrong with the last unless it was refused. */
  #lost: { count: number; failure: BackendError | null } = { count: 0, failure: null };

  constructor(
    readonly id: PlanId,
    private readonly backend: Backend,
    private readonly clock: Clock,
  ) {}

  /** The document as it stands, saved or not. */
  get document(): Plan | null {
    return this.draft?.document ?? this.view?.plan ?? null;
  }

  get dirty(): boolean {
    return this.draft !== null && isDirty(this.draft);
  }

  /** Reads the latest version, and the draft that was kept of it. */
  async load(): Promise<void> {
    await this.#try(async () => {
      const [view, kept] = await Promise.all([
        this.backend.plans.get(this.id),
        this.backend.plans.draft(this.id),
      ]);
      const stale = this.view && view.plan.version !== this.view.plan.version;
      this.view = view;
      if (stale) this.draft = null;
      if (!this.draft && kept && kept.plan.version === view.plan.version)
        this.draft = begin(view.plan, kept.plan);
      if (this.draft) await this.#look();
      else {
        this.check = view.check;
        this.adds = null;
      }
    });
  }

  /** Changes the document; a change that is refused says why and changes nothing. */
  edit(...edits: PlanEdit[]): Promise<void> {
    return this.#inTurn(async () => {
      const base = this.view?.plan;
      if (!base) return;
      const draft = this.draft ?? begin(base);
      try {
        this.draft = changed(draft, await this.backend.plans.apply(draft.document, edits));
      } catch (thrown) {
        const error = backendError(thrown);
        const isRefused = error.code === 'edit_refused';
        this.#lost = { count: this.#lost.count + 1, failure: isRefused ? null : error };
        if (!isRefused) throw error;
        this.draft = refused(draft, error.message, stepOf(edits[0]));
        return;
      }
      await this.#changed();
    });
  }

  undo(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.draft) return;
      this.draft = undo(this.draft);
      await this.#changed();
    });
  }

  redo(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.draft) return;
      this.draft = redo(this.draft);
      await this.#changed();
    });
  }

  /** Throws the unsaved changes away. */
  discard(): Promise<void> {
    return this.#inTurn(async () => {
      this.draft = null;
      this.adds = null;
      this.check = this.view?.check ?? null;
      this.#unkept?.();
      await this.backend.plans.keepDraft(this.id, null);
    });
  }

  /** The refusal was read. */
  forgiven(): void {
    if (this.draft?.refused) this.draft = { ...this.draft, refused: null };
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

  save(): Promise<boolean> {
    return this.#decide('save', async () => void (await this.#saved()));
  }

  /** Has the message planned once more. */
  again(note?: string): Promise<boolean> {
    return this.#decide('again', async () => {
      if (this.view) await this.backend.plans.again(this.view.reference, note);
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
    if (!this.dirty || !this.draft) return view.reference;
    this.#unkept?.();
    const reference = await this.backend.plans.save(this.draft.document);
    this.draft = null;
    await this.backend.plans.keepDraft(this.id, null);
    await this.load();
    return reference;
  }

  #decide(what: Deciding, act: () => Promise<void>): Promise<boolean> {
    if (this.deciding) return Promise.resolve(false);
    this.deciding = what;
    const seen = this.#lost.count;
    let done = false;
    return this.#inTurn(async () => {
      // A field that is left by pressing the button is changed first; without that change it is another document.
      if (needsEdits.has(what) && this.#lost.count > seen) {
        if (this.#lost.failure) throw this.#lost.failure;
        return;
      }
      await act();
      done = true;
    })
      .then(() => done)
      .finally(() => (this.deciding = null));
  }

  async #changed(): Promise<void> {
    this.#unkept?.();
    this.#unkept = this.clock.after(KEEP_MS, () => {
      const document = this.dirty && this.draft ? this.draft.document : null;
      void this.#try(() => this.backend.plans.keepDraft(this.id, document));
    });
    await this.#look();
  }

  async #look(): Promise<void> {
    const { draft } = this;
    if (!draft) return;
    const [check, adds] = await Promise.all([
      this.backend.plans.check(draft.document),
      this.backend.plans.diff(draft.base, draft.document),
    ]);
    this.check = check;
    this.adds = adds;
  }

  /** One after the other: a change builds on the one before it. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(() => this.#try(act));
    return this.#queue;
  }

  async #try(act: () => Promise<void>): Promise<void> {
    try {
      this.error = null;
      await act();
    } catch (thrown) {
      this.error = backendError(thrown);
    }
  }
}

function stepOf(edit: PlanEdit | undefined): StepId | null {
  return edit && 'step' in edit && typeof edit.step === 'string' ? edit.step : null;
}
