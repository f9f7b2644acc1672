import type {
  About,
  AllowanceRow,
  Answer,
  AnswerDraft,
  ApprovalPolicy,
  CallId,
  Comment,
  Content,
  ContractEntry,
  ContractPage,
  CredentialView,
  Digest,
  Event,
  ExportFormat,
  FileChange,
  FileLook,
  Finding,
  FirstView,
  FoundPackView,
  Hit,
  JsonValue,
  KeptCredential,
  KeyView,
  ListFilter,
  MemoryAsked,
  MemoryFound,
  ModelList,
  ModelOption,
  ModelRole,
  Plan,
  PlanDiff,
  PlanDraft,
  PlanEdit,
  PlanEdited,
  PlanId,
  PlanRef,
  PlanStanding,
  PlanView,
  Provider,
  ProviderView,
  RequestId,
  RequestRow,
  RunId,
  RunPlan,
  RunRow,
  RunView,
  SaveAs,
  SavedPlan,
  SavedPlanId,
  SavedPlanRow,
  SentRequest,
  SessionId,
  SessionRow,
  SettingsChange,
  SettingsView,
  Signal,
  SourceKey,
  StepId,
  Suggestion,
  TestResult,
  TextFile,
  ToolFilter,
  ToolSearch,
  ToolsView,
  VersionRow,
  WrittenFile,
} from './bindings';

/**
 * Everything the window needs from the engine. Every call rejects with a `BackendError`.
 *
 * What happens afterwards is told by `open`, never by a result: a call that begins work returns once the wish is
 * written down.
 */
export interface Backend {
  readonly sessions: SessionCalls;
  readonly messages: MessageCalls;
  readonly plans: PlanCalls;
  readonly library: LibraryCalls;
  readonly runs: RunCalls;
  readonly requests: RequestCalls;
  readonly files: FileCalls;
  readonly contents: ContentCalls;
  readonly models: ModelCalls;
  readonly tools: ToolCalls;
  readonly memory: MemoryCalls;
  readonly vault: VaultCalls;
  readonly settings: SettingsCalls;
  readonly desktop: DesktopCalls;

  /**
   * Tells of everything that happens from now on, several signals at a time, in order, in the place of an earlier
   * listener; gives what the window shows first, which may know of some of it already.
   */
  open(listener: Listener): Promise<FirstView>;
  /** Says that everything was written down which the window held, so that it may go. */
  written(): Promise<void>;
}

export type Listener = (signals: Signal[]) => void;

export interface SessionCalls {
  /** Last used first; `limit` 0 gives all. */
  list(filter: ListFilter): Promise<SessionRow[]>;
  get(id: SessionId): Promise<SessionRow>;
  /** Those after a sequence number, in order; 0 gives all. */
  events(id: SessionId, after: number): Promise<Event[]>;
  /**
   * Has the engine tell of everything that is being written in it from its beginning, as one signal; who has not listened
   * all along has missed that.
   */
  retell(id: SessionId): Promise<void>;
  /** Opens a session in a folder; without a title it is named after its first message. */
  create(workspace: string): Promise<SessionRow>;
  rename(id: SessionId, title: string): Promise<void>;
  archive(id: SessionId, archived: boolean): Promise<void>;
  /** Removes it with everything that belongs to it. What runs in it is stopped first. */
  delete(id: SessionId): Promise<void>;
  search(text: string, limit: number, within?: SessionId): Promise<Hit[]>;
  /** The files of a folder by their paths from it, without hidden and ignored ones; of many the first few thousand. */
  files(workspace: string): Promise<string[]>;
}

export interface MessageCalls {
  /**
   * Sends a message. In a session in which a question is open it answers the question: the one that is named, else the
   * oldest. Without a policy the setting decides whether the plan needs the person's word.
   */
  send(session: SessionId, text: string, policy?: ApprovalPolicy, question?: RequestId): Promise<void>;
  /** Stops what goes on in a session. */
  stop(session: SessionId): Promise<void>;
  /** Stops what is planned in a session, and leaves its run alone; says whether anything was planned. */
  stopPlanning(session: SessionId): Promise<boolean>;
  /** The sessions in which this process works at the moment. */
  active(): Promise<SessionId[]>;
}

export interface PlanCalls {
  /** The latest version of each plan, newest first. */
  list(session?: SessionId): Promise<Plan[]>;
  /** How the latest version of each plan stands, newest first. */
  standings(): Promise<PlanStanding[]>;
  /** A version with what its card shows; the latest when none is named. */
  get(id: PlanId, version?: number): Promise<PlanView>;
  /** How each version stands, oldest first. */
  history(id: PlanId): Promise<VersionRow[]>;
  comments(id: PlanId): Promise<Comment[]>;
  /** Writes beside a version or one of its steps. */
  comment(id: PlanId, version: number, text: string, step?: StepId): Promise<void>;
  diff(before: Plan, after: Plan): Promise<PlanDiff>;

  /**
   * Changes a document and writes nothing; rejects with `edit_refused` and the reason. Gives all that is to be known of
   * it: what does not hold, and what is another in it than in a version of its plan. Without edits, of it as it is.
   */
  apply(document: Plan, edits: PlanEdit[], against: number): Promise<PlanEdited>;
  /** Saves changes of a version as the next version. */
  edit(id: PlanId, version: number, edits: PlanEdit[]): Promise<PlanRef>;
  /** Saves a whole document as the next version of its plan. */
  save(document: Plan): Promise<PlanRef>;
  /** The unsaved document that was kept, if any. */
  draft(id: PlanId): Promise<PlanDraft | null>;
  /** Keeps an unsaved document, or with null throws it away. */
  keepDraft(id: PlanId, document: Plan | null): Promise<void>;

  /** Looks whether a text is a plan that could be taken; rejects as `import`, and nothing is written. */
  look(folder: string, text: string): Promise<void>;
  /**
   * Takes a document from a text as the proposal of a new session in a folder; rejects with `plan_faults`, each at its
   * place, and there is no session then.
   */
  import(folder: string, text: string): Promise<SessionRow>;
  export(id: PlanId, version: number, format: ExportFormat): Promise<string>;

  /** Approves a version and carries it out. */
  approve(plan: PlanRef, note?: string): Promise<void>;
  /** Approves a version and leaves it to `run`. */
  approveForLater(plan: PlanRef, note?: string): Promise<void>;
  /**
   * Carries an approved version out; with a step, only that one and what builds on it, in another run that takes the
   * rest over from the latest.
   */
  run(plan: PlanRef, from?: StepId): Promise<void>;
  reject(plan: PlanRef, reason?: string): Promise<void>;
  /**
   * Has the message of a version planned once more, with what the person adds. The version is rejected as soon as there
   * is another plan; when planning fails it stays as it is.
   */
  again(plan: PlanRef, note?: string): Promise<void>;
  /**
   * Has one step of a version planned once more with what the person says of it; resolves once that is written down as a
   * comment. The next version comes with what happens then, and waits for the person.
   */
  rework(plan: PlanRef, step: StepId, comment: string): Promise<void>;
}

/** The plans that a person keeps: copies, which stay when their chats are deleted. */
export interface LibraryCalls {
  /** What was saved or used last first. */
  list(): Promise<SavedPlanRow[]>;
  get(id: SavedPlanId): Promise<SavedPlan>;
  /** Keeps a version; rejects with `name_taken` where there is one of that name and it is not to be replaced. */
  save(plan: PlanId, version: number, how: SaveAs): Promise<SavedPlanRow>;
  rename(id: SavedPlanId, name: string): Promise<SavedPlanRow>;
  /** Gives it these tags and no others. */
  tag(id: SavedPlanId, tags: string[]): Promise<SavedPlanRow>;
  remove(id: SavedPlanId): Promise<void>;
  /** Those that a message resembles, the likest first. Asks no model and nobody elsewhere. */
  suggest(message: string): Promise<Suggestion[]>;
  /** Proposes one as it is; it waits for approval. Without a message the turn begins with the one it was made for. */
  use(session: SessionId, id: SavedPlanId, message?: string): Promise<void>;
  /** Proposes one with the values of a message in the place of its own. */
  adapt(session: SessionId, id: SavedPlanId, message: string): Promise<void>;
  export(id: SavedPlanId, format: ExportFormat): Promise<string>;
}

export interface RunCalls {
  /** The runs of a session, oldest first. */
  list(session: SessionId): Promise<RunRow[]>;
  get(id: RunId): Promise<RunView>;
  /** What a run carries out, with the steps to which others are handed on at the moment. */
  plan(id: RunId): Promise<RunPlan>;
  /** Whether anybody carries a run on, this window or another program. */
  isCarriedOn(id: RunId): Promise<boolean>;
  /** Stops a run; it is over when this returns, unless another process carries it on. */
  cancel(id: RunId): Promise<void>;
  /** Carries on what was interrupted; without a run everything. */
  resume(id?: RunId): Promise<void>;
  /** Does a settled step once more. */
  retry(id: RunId, step: StepId): Promise<void>;
  /** What the model was sent for the reply with this sequence number (an event of kind `model_replied`). */
  sent(session: SessionId, seq: number): Promise<SentRequest>;
}

export interface RequestCalls {
  /** The open ones, oldest first. */
  open(): Promise<RequestRow[]>;
  get(id: RequestId): Promise<RequestRow>;
  /**
   * Settles a request. An approval may say what was `seen` of the file that the call changes: it is refused with
   * `file_changed` when that is another by now.
   */
  answer(id: RequestId, answer: Answer, seen?: Digest): Promise<void>;
  /** Keeps an answer that was begun; an empty one is forgotten. */
  keepDraft(id: RequestId, draft: AnswerDraft): Promise<void>;
  /** What the call of a request would make of a file, as that is now; with these arguments in the place of its own. */
  change(id: RequestId, args?: JsonValue): Promise<FileLook>;
  /** What was allowed for longer than one call and still counts, the newest first. */
  allowed(): Promise<AllowanceRow[]>;
  /** Takes such a permission back; what was done with it stays done. */
  revoke(id: RequestId): Promise<void>;
}

/** The files that a run wrote, and no others; a path is one that `list` told. */
export interface FileCalls {
  /** As they are now, in the order in which they were first written; without what is as it was before, or gone. */
  list(run: RunId): Promise<WrittenFile[]>;
  /** What became of one, from before the run until now. */
  change(run: RunId, path: string): Promise<FileChange>;
  /** Opens one in the program that the person uses for such files; rejects what the system may run. */
  open(run: RunId, path: string): Promise<void>;
  /** Shows one in the person's file manager. */
  show(run: RunId, path: string): Promise<void>;
}

/** What is remembered of a person's work, beside the history. */
export interface MemoryCalls {
  /** What fits, or the newest. A memory that cannot be asked is told, and no error. */
  recall(asked: MemoryAsked): Promise<MemoryFound>;
  /** Forgets these; null forgets everything. */
  forget(ids: readonly number[] | null): Promise<void>;
}

/** Credentials for calls: a secret goes in, and never comes out. */
export interface VaultCalls {
  /** What there is, by name. */
  list(): Promise<CredentialView[]>;
  /**
   * Keeps one; rejects with `invalid` and the part that does not hold in `faults`, and with `name_taken` where there is one
   * of that name and it is not to be replaced.
   */
  add(credential: CredentialGiven, replaces: boolean): Promise<KeptCredential>;
  remove(name: string): Promise<void>;
}

/** A credential that is to be kept. */
export interface CredentialGiven {
  name: string;
  hosts: readonly string[];
  tools: readonly string[];
  secret: string;
}

export interface ContentCalls {
  /** The whole of a content, from its blob when it is large. */
  read(content: Content): Promise<JsonValue>;
  blob(digest: Digest): Promise<JsonValue>;
  /** A call's arguments and result, whole. */
  call(run: RunId, call: CallId): Promise<{ arguments: JsonValue; output: JsonValue | null }>;
}

export interface ModelCalls {
  /** The embedded models and those that were chosen. Quick: asks nobody. */
  list(): Promise<ModelList>;
  /** What Ollama and LM Studio offer on this machine at the moment; takes up to half a second. */
  found(): Promise<ModelOption[]>;
  /** Null goes back to the default. */
  choose(role: ModelRole, id: string | null): Promise<void>;
  /** Asks it something tiny; an embedded one is loaded for it. */
  test(id: string): Promise<TestResult>;
  /** Fetches an embedded model; progress comes as signals. Resolves when it is there. */
  pull(id: string): Promise<void>;
  /** Stops fetching; what came is kept. */
  stopPull(id: string): Promise<void>;
  /** Has the person pick a model file, which stays where it is; the model's id, or null when they do not. */
  addFile(): Promise<string | null>;
  /** Forgets a file that was added; the file stays. */
  forgetFile(id: string): Promise<void>;
  providers(): Promise<ProviderView[]>;
  /**
   * Adds an endpoint, or changes the one of the same id; rejects with `name_taken` where that is at another address, so that
   * its key would go to this one, and is not to be replaced.
   */
  addProvider(provider: Provider, replaces: boolean): Promise<void>;
  /** Removes an endpoint with its key; says why that may stay, where it may. */
  removeProvider(id: string): Promise<string | null>;
  /** Keeps a key in the system's keyring; without one, for as long as Assent runs. Says which. */
  setKey(provider: string, key: string): Promise<KeyView>;
  forgetKey(provider: string): Promise<void>;
}

export interface ToolCalls {
  /** All tools, what their descriptions take of a request, and the folders that were added. */
  list(): Promise<ToolsView>;
  /** The tools that fit a request, as they are ranked now, and why; all of them, or those that a filter wants. */
  find(text: string, limit: number, filter?: ToolFilter): Promise<ToolSearch>;
  /** All agents and tools that have contracts. */
  contracts(): Promise<ContractEntry[]>;
  /** The contracts of one, field by field: of the agent of a name or of the tool. */
  contract(name: string, isAgent: boolean): Promise<ContractPage>;
  /** Adds a folder of tool descriptions, whose tools can be used at once. */
  addSource(name: string, folder: string): Promise<ToolsView>;
  /** Its tools can be used no more; the folder stays as it is. */
  removeSource(name: string): Promise<ToolsView>;
  /** Adds a pack that Assent brings along, whose agents can be called at once. */
  addPack(name: string): Promise<ToolsView>;
  /** Looks at a folder as a pack of a person's own, with all that is wrong with it; nothing is added. */
  checkPack(name: string, folder: string): Promise<FoundPackView>;
  /** Adds a copy of a folder to the packs, if nothing is wrong with it. */
  addOwnPack(name: string, folder: string): Promise<ToolsView>;
  /** Removes a pack; a person's own, and one that was changed, only where that is said. */
  removePack(name: string, changed: boolean): Promise<ToolsView>;
  /** Where the keys are that the tools of a source send. The keyring is asked, which may take its time. */
  keys(source: string): Promise<SourceKey[]>;
  /** Keeps the key that the tools of a source send to one host, as the keys of models are kept. */
  setKey(source: string, host: string, key: string): Promise<SourceKey[]>;
  forgetKey(source: string, host: string): Promise<SourceKey[]>;
  /** Has agents made in chats, or no longer; those that were made stay. */
  setStudio(open: boolean): Promise<ToolsView>;
  /** A person's own call: the same checks, sandbox and ledger. */
  call(session: SessionId, tool: string, args: JsonValue): Promise<void>;
}

export interface SettingsCalls {
  change(change: SettingsChange): Promise<SettingsView>;
}

export interface DesktopCalls {
  about(): Promise<About>;
  /** What works here, and what to do about what does not. Works even where nothing else does. */
  doctor(): Promise<Finding[]>;
  /** Has the person pick a folder; null when they do not. */
  pickFolder(): Promise<string | null>;
  /** Has the person pick a text file and reads it. */
  openText(): Promise<TextFile | null>;
  /** Has the person choose where a text goes; the path, or null when they do not. */
  saveText(name: string, text: string): Promise<string | null>;
  /** Opens an `http`, `https` or `mailto` address outside of the window, in the program that the person uses for it. */
  openLink(address: string): Promise<void>;
  /** Shows the data folder in the person's file manager. */
  openData(): Promise<void>;
  /** Puts a text where other programs paste from. */
  copy(text: string): Promise<void>;
  /** Shows everything in the window so large. */
  zoom(percent: number): Promise<void>;
}
