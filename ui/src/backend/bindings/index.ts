// Generated from the Rust types by the test `the_pages_types_are_those_of_the_shell`; UPDATE=1 rewrites it.

/**
 * What this program is.
 */
export type About = { 
/**
 * Its version.
 */
version: string, 
/**
 * Where everything is kept.
 */
dataFolder: string, 
/**
 * `linux`, `macos`, `windows`.
 */
platform: string, };

/**
 * A permission that is kept.
 */
export type AllowanceRow = { 
/**
 * The request whose answer gave it; also its name.
 */
id: RequestId, 
/**
 * What may be called.
 */
tool: string, 
/**
 * For how long.
 */
reach: Reach, 
/**
 * The folder that the calls work in.
 */
workspace: string, 
/**
 * The run, where it ends with it.
 */
run: RunId | null, 
/**
 * The step, where it ends with it.
 */
step: StepId | null, 
/**
 * When it was given.
 */
at: number, };

/**
 * What a person said.
 */
export type Answer = { "type": "approve", 
/**
 * The arguments to use instead.
 */
arguments?: JsonValue, 
/**
 * A word to the model.
 */
note?: string, 
/**
 * How far it reaches; only a request for permission says that it may reach further than this call.
 */
reach?: Reach, } | { "type": "reject", 
/**
 * Why.
 */
reason?: string, } | { "type": "value", 
/**
 * The value.
 */
value: JsonValue, };

/**
 * An answer that a person has begun. None of it need fit what was asked yet.
 */
export type AnswerDraft = { 
/**
 * What is written: an answer in their own words, or a word beside a decision.
 */
text?: string, 
/**
 * The labels of the options that are chosen.
 */
chosen?: Array<string>, 
/**
 * Whether `text` is to stand in the place of the options.
 */
other?: boolean, 
/**
 * How far a permission is to reach.
 */
reach?: Reach, 
/**
 * The arguments while they are changed: each field as it is written, also where it does not hold.
 */
fields?: { [key in string]: JsonValue }, 
/**
 * Why a question is declined, while that is being written; empty as long as nothing is.
 */
reason?: string, };

/**
 * Light or dark.
 */
export type Appearance = "system" | "light" | "dark";

/**
 * The approval policy that a person has set.
 */
export type ApprovalPolicy = "always-ask" | "effects" | "never-ask";

/**
 * A call's arguments and result, whole.
 */
export type CallContents = { 
/**
 * With what it was made.
 */
arguments: JsonValue, 
/**
 * What it gave; null before its end.
 */
output: JsonValue | null, };

/**
 * One tool call, unique everywhere.
 */
export type CallId = string;

/**
 * How a call stands.
 */
export type CallStateView = "planned" | "open" | "suspended" | "success" | "error" | "refused";

/**
 * How a call ended.
 */
export type CallStatus = "success" | "error";

/**
 * One line of the ledger.
 */
export type CallView = { 
/**
 * The call.
 */
call: CallId, 
/**
 * The step that makes it.
 */
step: StepId, 
/**
 * The tool.
 */
tool: string, 
/**
 * With what.
 */
arguments: Content, 
/**
 * How it stands.
 */
state: CallStateView, 
/**
 * What it gave.
 */
output: Content | null, 
/**
 * Why it did not work.
 */
error: string | null, 
/**
 * Why it was not started.
 */
fault: Fault | null, 
/**
 * Whether it counts towards the required tools.
 */
satisfied: boolean, 
/**
 * What its step names and it had nothing to do with, where that is so.
 */
missed: string | null, 
/**
 * Set where the result is a person's word.
 */
by: Decider | null, 
/**
 * The worst it can do; known once it began.
 */
risk: Risk | null, 
/**
 * When it began.
 */
startedAt: number | null, 
/**
 * How long it took.
 */
durationMs: number | null, };

/**
 * One option.
 */
export type Choice = { 
/**
 * What the button says; also the value.
 */
label: string, 
/**
 * What choosing it leads to.
 */
consequence?: string, };

/**
 * What does what; null where the default does it.
 */
export type ChosenModels = { 
/**
 * Everything without a choice of its own.
 */
default: string, 
/**
 * Plans.
 */
planner: string | null, 
/**
 * Steps and answers.
 */
step: string | null, };

/**
 * What closing the window does while work goes on.
 */
export type Closing = "keep_running" | "stop";

/**
 * A comment beside a plan or a step.
 */
export type Comment = { 
/**
 * The version it was written on.
 */
plan: PlanRef, 
/**
 * The step; the whole plan when absent.
 */
step: StepId | null, 
/**
 * The text.
 */
text: string, 
/**
 * When.
 */
at: number, };

/**
 * The lines in which two texts differ, with those around them.
 */
export type Comparison = { 
/**
 * How many lines come.
 */
added: number, 
/**
 * How many lines go.
 */
removed: number, 
/**
 * Places of the file, from the top; between them nothing changes.
 */
blocks: Array<Array<Line>>, 
/**
 * So many lines more belong to it and are not given.
 */
leftOut: number, };

/**
 * A text or value: small ones stand in the event, large ones in a blob that is stored once.
 */
export type Content = { 
/**
 * Names the blob.
 */
blob: Digest, 
/**
 * The blob's length in bytes.
 */
bytes: number, 
/**
 * The first characters, for lists.
 */
preview: string, } | { 
/**
 * The value; copies of an event share it.
 */
inline: JsonValue, };

/**
 * One who has contracts.
 */
export type ContractEntry = { 
/**
 * Its name.
 */
name: string, 
/**
 * Whether it is an agent; else it is a tool.
 */
isAgent: boolean, 
/**
 * The pack of an agent.
 */
pack: string | null, 
/**
 * What it is for.
 */
description: string, };

/**
 * The contracts of one.
 */
export type ContractPage = { 
/**
 * Whose they are.
 */
entry: ContractEntry, 
/**
 * Which model it asks, where it is an agent that says so.
 */
model: string | null, 
/**
 * Where it ends, where it is an agent that says so.
 */
limits: OwnLimits, 
/**
 * What goes in; none where anything does.
 */
input: Fields | null, 
/**
 * What comes out; none where nothing is said of that.
 */
output: Fields | null, 
/**
 * A value that goes in, as JSON.
 */
example: string | null, 
/**
 * What an agent is told that was given the example.
 */
prompt: string | null, };

/**
 * Schemas of a step's input and output.
 */
export type Contracts = { 
/**
 * What goes in.
 */
input: JsonValue | null, 
/**
 * What comes out.
 */
output: JsonValue | null, };

/**
 * A credential that a question asks for, as far as what was asked says which.
 */
export type CredentialAsked = { 
/**
 * What it could be called.
 */
name: string, 
/**
 * Where it could go; empty where no host is named.
 */
hosts: Array<string>, };

/**
 * What a credential is for.
 */
export type CredentialView = { 
/**
 * Its name, by which models know it.
 */
name: string, 
/**
 * The hosts that it goes to.
 */
hosts: Array<string>, 
/**
 * The only tools whose calls it goes into; none: every tool that talks to its hosts and to no other.
 */
tools: Array<string>, 
/**
 * What is answered to a question for it.
 */
told: string, };

/**
 * Who decided.
 */
export type Decider = "user" | "policy";

/**
 * A choice on the way down.
 */
export type Decision = { 
/**
 * Where.
 */
parent: string, 
/**
 * What was chosen.
 */
chosen: string, 
/**
 * How.
 */
by: Settled, };

/**
 * What steps use that do not say otherwise.
 */
export type Defaults = { 
/**
 * How a missing required call is judged; `advisory` in a document without defaults.
 */
toolValidationMode: ValidationMode, };

/**
 * How a step on a specialist with others below it finds who does it.
 */
export type Delegation = "expand" | "runtime";

/**
 * The SHA-256 of some content, in lower-case hexadecimal.
 */
export type Digest = string;

/**
 * The effects that a plan's grants allow.
 */
export type Effects = { 
/**
 * Paths that reading tools get; reads inside the workspace never ask.
 */
reads: Array<string>, 
/**
 * Paths that writing tools get.
 */
writes: Array<string>, 
/**
 * Whether a tool talks to other machines.
 */
network: boolean, 
/**
 * The hosts it may talk to; every other one asks.
 */
hosts: Array<string>, 
/**
 * Whether a tool runs commands, which read and write the whole workspace.
 */
commands: boolean, 
/**
 * Tools that cannot be undone; each of their calls asks.
 */
destructive: Array<string>, 
/**
 * Steps that look for a tool when they run; whatever has effects asks then.
 */
open: Array<StepId>, };

/**
 * What kind of thing went wrong.
 */
export type ErrorCode = "not_found" | "ambiguous" | "invalid" | "empty_message" | "name_taken" | "folder_unusable" | "plan_faults" | "plan_state" | "plan_changed" | "edit_refused" | "no_tool" | "busy" | "settled" | "file_changed" | "answer_unfit" | "conflict" | "cancelled" | "request_not_rebuilt" | "database_damaged" | "database_newer" | "database_locked" | "database" | "disk_full" | "model_missing" | "model_offline" | "model_auth" | "model_rate_limited" | "model_unavailable" | "model_context_too_long" | "model_refused" | "model_nonsense" | "pull" | "no_keyring" | "internal";

/**
 * Something that has happened and is written down.
 */
export type Event = { 
/**
 * Grows with every event of the database.
 */
seq: number, 
/**
 * When: milliseconds since 1970, UTC.
 */
at: number, 
/**
 * The chat.
 */
session: SessionId, 
/**
 * The turn.
 */
turn?: TurnId, 
/**
 * The run.
 */
run?: RunId, 
/**
 * The step.
 */
step?: StepId, } & ({ "kind": "session_created", 
/**
 * Its name.
 */
title: string, 
/**
 * Its kind.
 */
sessionKind: SessionKind, 
/**
 * The folder it works in.
 */
workspace?: string, } | { "kind": "session_renamed", 
/**
 * The name.
 */
title: string, } | { "kind": "session_archived", 
/**
 * Whether it is put away.
 */
archived: boolean, } | { "kind": "message_received", 
/**
 * Byte for byte; of an answer on a card the words for it.
 */
text: string, 
/**
 * The question that it answers, or was written below.
 */
answers?: RequestId, 
/**
 * The version whose message it is once more, to be planned anew.
 */
replans?: PlanRef, } | { "kind": "model_replied", 
/**
 * What for.
 */
purpose: Purpose, 
/**
 * Which model.
 */
model: string, 
/**
 * How the request can be rebuilt byte for byte.
 */
recipe?: Content, 
/**
 * What it wrote beside calls.
 */
text?: Content, 
/**
 * What it thought aloud.
 */
thoughts?: Content, 
/**
 * The calls it asks for, in order.
 */
calls?: Array<PlannedCall>, 
/**
 * What could not be read of it.
 */
faults?: Array<Fault>, 
/**
 * How many replies came before it that did not have the asked form.
 */
before?: number, 
/**
 * Tokens.
 */
usage: Usage, 
/**
 * From sending to the last token.
 */
durationMs: number, } | { "kind": "model_failed", 
/**
 * What for.
 */
purpose: Purpose, 
/**
 * Which model.
 */
model: string, 
/**
 * What happened, why, what to do.
 */
error: string, 
/**
 * Whether it is tried again.
 */
retrying: boolean, } | { "kind": "plan_proposed", 
/**
 * The version.
 */
plan: PlanRef, 
/**
 * What does not hold yet.
 */
faults?: Array<Fault>, } | { "kind": "plan_approved", 
/**
 * The version, bound to its content.
 */
plan: PlanRef, 
/**
 * Who said so.
 */
by: Decider, 
/**
 * With what words.
 */
note?: string, 
/**
 * Whether it is to be carried out at once: where no run of it follows, whoever takes its turn up begins one.
 */
starts?: boolean, } | { "kind": "plan_rejected", 
/**
 * The version.
 */
plan: PlanRef, 
/**
 * Why.
 */
reason?: string, } | { "kind": "plan_superseded", 
/**
 * The version.
 */
plan: PlanRef, 
/**
 * The later one.
 */
byVersion: number, } | { "kind": "commented", 
/**
 * The version.
 */
plan: PlanRef, 
/**
 * The step; the whole plan when absent.
 */
on?: StepId, 
/**
 * The comment.
 */
text: string, } | { "kind": "run_queued", 
/**
 * What it carries out.
 */
plan: PlanRef, } | { "kind": "run_started" } | { "kind": "step_started", 
/**
 * From 1; a retry is the next.
 */
attempt: number, } | { "kind": "step_expanded", 
/**
 * Which leaf, and how it was found.
 */
expanded: Expanded, } | { "kind": "step_delegated", 
/**
 * What it said of that.
 */
summary: string, 
/**
 * The steps, each with this one above it.
 */
steps: Array<Step>, 
/**
 * How those were found who do them; of an agent that was called, its caller has named it.
 */
by?: Settled, 
/**
 * The call of an agent that the only step carries out: the step that called it goes on with what it gives.
 */
call?: CallId, 
/**
 * The template of that agent's user message, where it has one of its own.
 */
prompt?: Content, 
/**
 * All that the agent's files said of it when it began.
 */
does?: Digest, } | { "kind": "call_started", 
/**
 * The call.
 */
call: CallId, 
/**
 * The tool.
 */
tool: string, 
/**
 * The arguments where they differ from the planned ones.
 */
arguments?: Content, 
/**
 * The worst these arguments can do, as judged when the call began: a recovery relies on it.
 */
risk?: Risk, 
/**
 * The call that is made once more, on a person's word, because nobody knows how it ended.
 */
repeats?: CallId, } | { "kind": "call_ended", 
/**
 * The call.
 */
call: CallId, 
/**
 * Whether the tool worked.
 */
status: CallStatus, 
/**
 * What it gave.
 */
output: Content, 
/**
 * Why it did not work.
 */
error?: string, 
/**
 * Whether it counts towards the required tools.
 */
satisfied: boolean, 
/**
 * What its step names and it had nothing to do with, where that is so: then it does not count by itself.
 */
missed?: string, 
/**
 * Whether it has surely had to do with a file that its step is to change: then one that wrote others counts beside it.
 */
met?: boolean, 
/**
 * Set where the result is a person's word.
 */
by?: Decider, 
/**
 * How long it took.
 */
durationMs: number, } | { "kind": "call_suspended", 
/**
 * The call.
 */
call: CallId, 
/**
 * What it waits for.
 */
request: RequestId, } | { "kind": "call_held", 
/**
 * The call.
 */
call: CallId, 
/**
 * The request of the earlier step.
 */
request: RequestId, } | { "kind": "call_refused", 
/**
 * The call.
 */
call: CallId, 
/**
 * Why.
 */
fault: Fault, } | { "kind": "enforced", 
/**
 * Only those.
 */
missing: Array<string>, 
/**
 * How often it was told.
 */
attempt: number, } | { "kind": "reprompted", 
/**
 * What is wrong; `attempt` counts within its stage.
 */
fault: Fault, } | { "kind": "step_ended", 
/**
 * How.
 */
status: StepStatus, 
/**
 * What the ledger says.
 */
validation: ValidationStatus, 
/**
 * What it gave.
 */
result?: Content, 
/**
 * Why it did not complete, or the warning with which it did.
 */
reason?: string, 
/**
 * The step because of which this one was skipped.
 */
because?: StepId, 
/**
 * The earlier run whose completed step is taken over.
 */
carriedFrom?: RunId, } | { "kind": "step_reset", 
/**
 * Completed steps whose results no longer hold.
 */
stale?: Array<StepId>, } | { "kind": "request_opened", 
/**
 * What.
 */
request: Request, } | { "kind": "request_answered", 
/**
 * What.
 */
request: RequestId, 
/**
 * With what.
 */
answer: Answer, 
/**
 * The file that the approved call changes, as it was then: where it is another once the call is made, the call
 * fails and changes nothing.
 */
file?: Digest, } | { "kind": "request_cancelled", 
/**
 * Which.
 */
request: RequestId, 
/**
 * Why.
 */
reason: string, } | { "kind": "limit_reached", 
/**
 * Its name in the plan's `limits`, or `loop` for the loop guard.
 */
limit: string, 
/**
 * Its value.
 */
value: number, } | { "kind": "warned", 
/**
 * What happened, why, what to do.
 */
message: string, } | { "kind": "run_stop_asked" } | { "kind": "run_ended", 
/**
 * How.
 */
status: RunStatus, } | { "kind": "answered", 
/**
 * The answer in Markdown.
 */
text: Content, } | { "kind": "turn_ended", 
/**
 * How.
 */
status: TurnStatus, 
/**
 * What happened, why, what to do.
 */
error?: string, });

/**
 * What has happened.
 */
export type EventKind = { "kind": "session_created", 
/**
 * Its name.
 */
title: string, 
/**
 * Its kind.
 */
sessionKind: SessionKind, 
/**
 * The folder it works in.
 */
workspace?: string, } | { "kind": "session_renamed", 
/**
 * The name.
 */
title: string, } | { "kind": "session_archived", 
/**
 * Whether it is put away.
 */
archived: boolean, } | { "kind": "message_received", 
/**
 * Byte for byte; of an answer on a card the words for it.
 */
text: string, 
/**
 * The question that it answers, or was written below.
 */
answers?: RequestId, 
/**
 * The version whose message it is once more, to be planned anew.
 */
replans?: PlanRef, } | { "kind": "model_replied", 
/**
 * What for.
 */
purpose: Purpose, 
/**
 * Which model.
 */
model: string, 
/**
 * How the request can be rebuilt byte for byte.
 */
recipe?: Content, 
/**
 * What it wrote beside calls.
 */
text?: Content, 
/**
 * What it thought aloud.
 */
thoughts?: Content, 
/**
 * The calls it asks for, in order.
 */
calls?: Array<PlannedCall>, 
/**
 * What could not be read of it.
 */
faults?: Array<Fault>, 
/**
 * How many replies came before it that did not have the asked form.
 */
before?: number, 
/**
 * Tokens.
 */
usage: Usage, 
/**
 * From sending to the last token.
 */
durationMs: number, } | { "kind": "model_failed", 
/**
 * What for.
 */
purpose: Purpose, 
/**
 * Which model.
 */
model: string, 
/**
 * What happened, why, what to do.
 */
error: string, 
/**
 * Whether it is tried again.
 */
retrying: boolean, } | { "kind": "plan_proposed", 
/**
 * The version.
 */
plan: PlanRef, 
/**
 * What does not hold yet.
 */
faults?: Array<Fault>, } | { "kind": "plan_approved", 
/**
 * The version, bound to its content.
 */
plan: PlanRef, 
/**
 * Who said so.
 */
by: Decider, 
/**
 * With what words.
 */
note?: string, 
/**
 * Whether it is to be carried out at once: where no run of it follows, whoever takes its turn up begins one.
 */
starts?: boolean, } | { "kind": "plan_rejected", 
/**
 * The version.
 */
plan: PlanRef, 
/**
 * Why.
 */
reason?: string, } | { "kind": "plan_superseded", 
/**
 * The version.
 */
plan: PlanRef, 
/**
 * The later one.
 */
byVersion: number, } | { "kind": "commented", 
/**
 * The version.
 */
plan: PlanRef, 
/**
 * The step; the whole plan when absent.
 */
on?: StepId, 
/**
 * The comment.
 */
text: string, } | { "kind": "run_queued", 
/**
 * What it carries out.
 */
plan: PlanRef, } | { "kind": "run_started" } | { "kind": "step_started", 
/**
 * From 1; a retry is the next.
 */
attempt: number, } | { "kind": "step_expanded", 
/**
 * Which leaf, and how it was found.
 */
expanded: Expanded, } | { "kind": "step_delegated", 
/**
 * What it said of that.
 */
summary: string, 
/**
 * The steps, each with this one above it.
 */
steps: Array<Step>, 
/**
 * How those were found who do them; of an agent that was called, its caller has named it.
 */
by?: Settled, 
/**
 * The call of an agent that the only step carries out: the step that called it goes on with what it gives.
 */
call?: CallId, 
/**
 * The template of that agent's user message, where it has one of its own.
 */
prompt?: Content, 
/**
 * All that the agent's files said of it when it began.
 */
does?: Digest, } | { "kind": "call_started", 
/**
 * The call.
 */
call: CallId, 
/**
 * The tool.
 */
tool: string, 
/**
 * The arguments where they differ from the planned ones.
 */
arguments?: Content, 
/**
 * The worst these arguments can do, as judged when the call began: a recovery relies on it.
 */
risk?: Risk, 
/**
 * The call that is made once more, on a person's word, because nobody knows how it ended.
 */
repeats?: CallId, } | { "kind": "call_ended", 
/**
 * The call.
 */
call: CallId, 
/**
 * Whether the tool worked.
 */
status: CallStatus, 
/**
 * What it gave.
 */
output: Content, 
/**
 * Why it did not work.
 */
error?: string, 
/**
 * Whether it counts towards the required tools.
 */
satisfied: boolean, 
/**
 * What its step names and it had nothing to do with, where that is so: then it does not count by itself.
 */
missed?: string, 
/**
 * Whether it has surely had to do with a file that its step is to change: then one that wrote others counts beside it.
 */
met?: boolean, 
/**
 * Set where the result is a person's word.
 */
by?: Decider, 
/**
 * How long it took.
 */
durationMs: number, } | { "kind": "call_suspended", 
/**
 * The call.
 */
call: CallId, 
/**
 * What it waits for.
 */
request: RequestId, } | { "kind": "call_held", 
/**
 * The call.
 */
call: CallId, 
/**
 * The request of the earlier step.
 */
request: RequestId, } | { "kind": "call_refused", 
/**
 * The call.
 */
call: CallId, 
/**
 * Why.
 */
fault: Fault, } | { "kind": "enforced", 
/**
 * Only those.
 */
missing: Array<string>, 
/**
 * How often it was told.
 */
attempt: number, } | { "kind": "reprompted", 
/**
 * What is wrong; `attempt` counts within its stage.
 */
fault: Fault, } | { "kind": "step_ended", 
/**
 * How.
 */
status: StepStatus, 
/**
 * What the ledger says.
 */
validation: ValidationStatus, 
/**
 * What it gave.
 */
result?: Content, 
/**
 * Why it did not complete, or the warning with which it did.
 */
reason?: string, 
/**
 * The step because of which this one was skipped.
 */
because?: StepId, 
/**
 * The earlier run whose completed step is taken over.
 */
carriedFrom?: RunId, } | { "kind": "step_reset", 
/**
 * Completed steps whose results no longer hold.
 */
stale?: Array<StepId>, } | { "kind": "request_opened", 
/**
 * What.
 */
request: Request, } | { "kind": "request_answered", 
/**
 * What.
 */
request: RequestId, 
/**
 * With what.
 */
answer: Answer, 
/**
 * The file that the approved call changes, as it was then: where it is another once the call is made, the call
 * fails and changes nothing.
 */
file?: Digest, } | { "kind": "request_cancelled", 
/**
 * Which.
 */
request: RequestId, 
/**
 * Why.
 */
reason: string, } | { "kind": "limit_reached", 
/**
 * Its name in the plan's `limits`, or `loop` for the loop guard.
 */
limit: string, 
/**
 * Its value.
 */
value: number, } | { "kind": "warned", 
/**
 * What happened, why, what to do.
 */
message: string, } | { "kind": "run_stop_asked" } | { "kind": "run_ended", 
/**
 * How.
 */
status: RunStatus, } | { "kind": "answered", 
/**
 * The answer in Markdown.
 */
text: Content, } | { "kind": "turn_ended", 
/**
 * How.
 */
status: TurnStatus, 
/**
 * What happened, why, what to do.
 */
error?: string, };

/**
 * Who does a step.
 */
export type Executor = { 
/**
 * What kind of executor.
 */
kind: ExecutorKind, 
/**
 * Its id; empty for the single agent.
 */
id: string, };

/**
 * What kind of executor does a step.
 */
export type ExecutorKind = "specialist" | "agent" | "self";

/**
 * What became of one specialist.
 */
export type Expanded = { 
/**
 * What was named.
 */
from: string, 
/**
 * The specialist on top of it. What a plan says to that one counts where it says nothing to the one that is named.
 */
root: string, 
/**
 * The leaf; for a specialist that has neither tools nor children, itself.
 */
leaf: string, 
/**
 * The choices from one to the other; empty for a leaf.
 */
path: Array<Decision>, 
/**
 * How often the chooser was asked.
 */
calls: number, };

/**
 * As what a plan is exported.
 */
export type ExportFormat = "json" | "markdown" | "mermaid";

/**
 * What every command fails with.
 */
export type Failure = { 
/**
 * For the page.
 */
code: ErrorCode, 
/**
 * For the person: what happened, why, what to do.
 */
message: string, 
/**
 * What does not hold, each at its place.
 */
faults?: Array<Fault>, };

/**
 * Whether and why a plan is not what a planner wrote.
 */
export type Fallback = { 
/**
 * Whether the plan was made without a usable planner output.
 */
used: boolean, 
/**
 * Why.
 */
reason: string | null, };

/**
 * What becomes of a line.
 */
export type Fate = "same" | "added" | "removed";

/**
 * Something that does not hold, with what is needed to mend it.
 */
export type Fault = { 
/**
 * Which check failed.
 */
stage: Stage, 
/**
 * What is wrong, in one sentence. Never quotes a value that may be secret.
 */
message: string, 
/**
 * Where in the checked document; empty for the whole.
 */
path: Array<PathPart>, 
/**
 * Names that had to be there.
 */
required?: Array<string>, 
/**
 * Those of `required` that are not.
 */
missing?: Array<string>, 
/**
 * Names that were given.
 */
provided?: Array<string>, 
/**
 * What to do about it.
 */
hint?: string, 
/**
 * Which attempt this was, from 1; absent where nothing is retried.
 */
attempt?: number, 
/**
 * How many attempts are left; absent where nothing is retried.
 */
retriesRemaining?: number, };

/**
 * A field of an object.
 */
export type Field = { 
/**
 * Its name; `*` stands for any other, `/x/` for those that fit a pattern, `(the value)` for what is no object.
 */
name: string, 
/**
 * In how many fields it stands.
 */
depth: number, 
/**
 * What it takes, in words: `text`, `list of objects`, `one of "a", "b"`.
 */
takes: string, 
/**
 * Whether an object is not whole without it.
 */
required: boolean, 
/**
 * What counts where it is not given, as JSON.
 */
default: string | null, 
/**
 * A value that it may have, as JSON.
 */
example: string | null, 
/**
 * What it is for.
 */
description: string, };

/**
 * A field with another value; null where it is not there.
 */
export type FieldChange = { 
/**
 * The field's name in the document.
 */
field: string, 
/**
 * In the older version.
 */
before: JsonValue, 
/**
 * In the newer version.
 */
after: JsonValue, };

/**
 * A schema as a list of fields.
 */
export type Fields = { 
/**
 * The fields, each right behind the one that it stands in.
 */
fields: Array<Field>, 
/**
 * Whether there is more than is listed.
 */
cut: boolean, };

/**
 * What a call would make of a file, as that is now.
 */
export type FileChange = { "type": "none" } | { "type": "new", 
/**
 * From the workspace.
 */
path: string, } | { "type": "changed", 
/**
 * From the workspace.
 */
path: string, 
/**
 * The lines.
 */
lines: Comparison, } | { "type": "unshown", 
/**
 * Why.
 */
why: Unshown, };

/**
 * A look at what a call would make of a file.
 */
export type FileLook = { 
/**
 * What the person is shown.
 */
change: FileChange, 
/**
 * Names what was seen: an approval that says it is refused once the file is another.
 */
seen: Digest, };

/**
 * One thing that was looked at.
 */
export type Finding = { 
/**
 * What.
 */
name: string, 
/**
 * Whether it works.
 */
ok: boolean, 
/**
 * How it stands, and what to do if it does not work.
 */
detail: string, };

/**
 * Everything that the window needs before it can be used, in one answer: each answer takes its time.
 */
export type FirstView = { 
/**
 * What is set.
 */
settings: SettingsView, 
/**
 * All sessions, last used first.
 */
sessions: Array<SessionRow>, 
/**
 * What waits for a person, oldest first.
 */
requests: Array<RequestRow>, 
/**
 * How the latest version of each plan stands, newest first.
 */
plans: Array<PlanStanding>, 
/**
 * The sessions in which this process works at the moment.
 */
active: Array<SessionId>, 
/**
 * The embedded models and those that were chosen.
 */
models: ModelList, 
/**
 * Folders of earlier sessions, last used first.
 */
workspaces: Array<Workspace>, 
/**
 * Every tool.
 */
tools: Array<ToolSpec>, 
/**
 * Who may do a step.
 */
specialists: Array<SpecialistOption>, };

/**
 * What is compared in a search for tools.
 */
export type FoundBy = "words" | "whole" | "neighbours" | "name" | "description" | "values" | "required" | "lacking_numbers" | "taught" | "meaning";

/**
 * What a folder has that could be a pack.
 */
export type FoundPackView = { 
/**
 * The name that it would have.
 */
name: string, 
/**
 * What would be copied.
 */
files: Array<string>, 
/**
 * The agents in it that can be read.
 */
agents: Array<string>, 
/**
 * The specialists in it.
 */
specialists: Array<string>, 
/**
 * What is wrong; it is added only where nothing is.
 */
faults: Array<PackFault>, 
/**
 * What is good to know before it is added.
 */
notes: Array<PackFault>, };

/**
 * A part of a score.
 */
export type FoundReason = { 
/**
 * What was compared.
 */
of: FoundBy, 
/**
 * What it adds to the score.
 */
adds: number, };

/**
 * A tool that was found.
 */
export type FoundTool = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it does, in one line.
 */
summary: string, 
/**
 * Where it comes from.
 */
source: Source, 
/**
 * The specialist on top that has it, itself or by one below it.
 */
owner: string | null, 
/**
 * The worst that it can do.
 */
risk: Risk, 
/**
 * Whether a person may call it; what models look for tools with is theirs.
 */
callable: boolean, 
/**
 * Whether the request names it.
 */
exact: boolean, 
/**
 * How well it fits; comparable only within one search.
 */
score: number, 
/**
 * What the score is made of.
 */
reasons: Array<FoundReason>, };

/**
 * What a step may do that it may not do in the other version.
 */
export type GrantChange = { 
/**
 * The step.
 */
id: StepId, 
/**
 * Tools, paths and hosts.
 */
grants: Grants, };

/**
 * What approving the plan allows a step to do without asking again.
 */
export type Grants = { 
/**
 * Tool names.
 */
tools: Array<string>, 
/**
 * Paths inside the workspace; `.` is all of it.
 */
paths: Array<string>, 
/**
 * Host names.
 */
hosts: Array<string>, };

/**
 * One of them.
 */
export type HeapEntry = { 
/**
 * Its name.
 */
id: string, 
/**
 * What it is for.
 */
description: string, 
/**
 * Its own tools; none where it hands on.
 */
tools: Array<string>, 
/**
 * Whom it stands below.
 */
parent: string | null, 
/**
 * The pack that has added or changed it.
 */
from: string | null, 
/**
 * Which model it asks, where it is an agent that says so.
 */
model: string | null, 
/**
 * Where it ends, where it is an agent that says so.
 */
limits: OwnLimits, };

/**
 * All specialists as a forest.
 */
export type HeapTree = { 
/**
 * Each right behind the one that it stands below.
 */
specialists: Array<HeapEntry>, 
/**
 * Tools of one, beside those that ask a person, at most.
 */
mostTools: number, 
/**
 * How many stand on top at most.
 */
mostOnTop: number, 
/**
 * How many stand below one at most.
 */
mostBelow: number, 
/**
 * How many one is chosen from at most.
 */
mostOptions: number, 
/**
 * How many levels stand below the top one at most.
 */
mostLevels: number, 
/**
 * What could not be as it was written.
 */
faults: Array<string>, };

/**
 * What a search found.
 */
export type Hit = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * The session's name.
 */
title: string, 
/**
 * What kind of text.
 */
kind: HitKind, 
/**
 * The event or plan that holds it: a sequence number.
 */
seq: number, 
/**
 * The surroundings, with the matches between `⟦` and `⟧`.
 */
snippet: string, 
/**
 * When it was written.
 */
at: number, };

/**
 * What kind of text a search found.
 */
export type HitKind = "title" | "message" | "answer" | "plan" | "call" | "result" | "question" | "comment";

/**
 * What an answer looks like.
 */
export type Input = { 
/**
 * The type of the value.
 */
kind: InputKind, 
/**
 * What may be chosen; empty for free input.
 */
options?: Array<Choice>, 
/**
 * Whether the arguments of the call may be changed.
 */
allowEdit: boolean, 
/**
 * Whether free text is taken beside the options.
 */
allowText: boolean, };

/**
 * The type of an answer's value.
 */
export type InputKind = "decision" | "boolean" | "text" | "number" | "select" | "multiselect" | "date" | "file";

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

/**
 * A credential that was kept just now.
 */
export type KeptCredential = { 
/**
 * What it is for.
 */
credential: CredentialView, 
/**
 * Where its secret is.
 */
key: KeyView, };

/**
 * Where a key is; never the key.
 */
export type KeyView = { "place": "none" } | { "place": "keyring" } | { "place": "environment", 
/**
 * Its name.
 */
variable: string, } | { "place": "process", 
/**
 * Why.
 */
reason: string, } | { "place": "unknown", 
/**
 * Why the keyring does not say.
 */
reason: string, };

/**
 * Where repetition and waiting end. Reaching one is an event and leaves a definite status.
 */
export type Limits = { 
/**
 * Further planner calls after one that could not be used.
 */
plannerRetries: number, 
/**
 * Further model calls in a step whose required tools are missing.
 */
toolValidationRetries: number, 
/**
 * Further model calls for an output that breaks its contract.
 */
outputRetries: number, 
/**
 * Further calls of an agent after an input that breaks its contract.
 */
inputRetries: number, 
/**
 * Model calls in one attempt of a step.
 */
stepIterations: number, 
/**
 * Levels of delegation: how many steps may stand above one.
 */
depth: number, 
/**
 * Tool calls of a step and all steps below it, before a person is asked.
 */
branchCalls?: number, 
/**
 * Tokens of a step and all steps below it, read and written, before a person is asked.
 */
branchTokens?: number, 
/**
 * Seconds that one tool call may take. The time in which it waits for a person does not count.
 */
callSeconds?: number, 
/**
 * Steps at the same time; the endpoint's own limit also holds.
 */
maxParallelSteps: number, 
/**
 * Estimated tokens of all tool schemas in one request.
 */
toolTokenBudget: number, 
/**
 * Characters of one tool result that a model is shown; the whole is kept.
 */
toolResultMaxLength: number, };

/**
 * A line of a file.
 */
export type Line = { 
/**
 * What becomes of it.
 */
fate: Fate, 
/**
 * Its number, from 1: in the new text, or for a line that goes in the old one.
 */
number: number, 
/**
 * Its text, without the line feed at its end.
 */
text: string, 
/**
 * Whether the text goes on.
 */
cut: boolean, 
/**
 * Whether the file ends with it, without a line feed.
 */
openEnd: boolean, };

/**
 * Which entries of a list are wanted.
 */
export type ListFilter = { 
/**
 * Also what was put away.
 */
archived: boolean, 
/**
 * At most so many; 0 for all.
 */
limit: number, 
/**
 * After so many.
 */
offset: number, };

/**
 * How far loading of the embedded model is.
 */
export type LoadingState = "starting" | "loading" | "ready" | "ended";

/**
 * What is asked of the memory. What is empty holds for all.
 */
export type MemoryAsked = { 
/**
 * What it is about; the newest memories where nothing is said.
 */
words: string, 
/**
 * What kinds are wanted. Without any, what tools say of themselves is left out: it says nothing of what was done.
 */
kinds: Array<MemoryKind>, 
/**
 * How many at most.
 */
limit: number, };

/**
 * What is remembered of it.
 */
export type MemoryFound = { 
/**
 * The memories: what fits best first, or the newest.
 */
rows: Array<MemoryView>, 
/**
 * Why there is none.
 */
nothing: string | null, 
/**
 * Whether the memory could not be asked.
 */
degraded: boolean, 
/**
 * How many were looked through, the newest, where there are more.
 */
cut: number | null, };

/**
 * What kind of thing is remembered.
 */
export type MemoryKind = "fact" | "action" | "decision" | "observation" | "feedback";

/**
 * How a memory has to do with something.
 */
export type MemoryLink = { 
/**
 * How.
 */
relation: Relation, 
/**
 * With what, such as `tool:grep`.
 */
context: string, };

/**
 * On whose word something is remembered, the surest first.
 */
export type MemorySource = "validator" | "executor" | "user" | "agent" | "system";

/**
 * Something that is remembered.
 */
export type MemoryView = { 
/**
 * Its number.
 */
id: number, 
/**
 * What kind of thing it is.
 */
kind: MemoryKind, 
/**
 * On whose word.
 */
source: MemorySource, 
/**
 * What it is about: the tool that it says something of, else what it belongs to.
 */
about: string, 
/**
 * What is remembered: in the person's words where it has any, of a tool what it does.
 */
words: string, 
/**
 * How often it came.
 */
times: number, 
/**
 * When it came last: milliseconds since 1970.
 */
at: number, 
/**
 * The session that it goes with.
 */
session: SessionId | null, 
/**
 * What it has to do with.
 */
links: Array<MemoryLink>, };

/**
 * How a call ends.
 */
export type Mode = "functional" | "blocking";

/**
 * Which models there are and which are chosen.
 */
export type ModelList = { 
/**
 * The embedded ones, and chosen ones of endpoints.
 */
models: Array<ModelOption>, 
/**
 * What finds tools by meaning. It is chosen for nothing: where it is there, it is used.
 */
search: ModelOption | null, 
/**
 * What does what.
 */
chosen: ChosenModels, 
/**
 * The program that runs embedded models.
 */
server: ServerState, };

/**
 * A model that can be picked.
 */
export type ModelOption = { 
/**
 * `provider/name`.
 */
id: string, 
/**
 * For people.
 */
name: string, 
/**
 * Where it comes from.
 */
source: ModelSource, 
/**
 * Whether it can be used.
 */
state: ModelState, 
/**
 * Where it lies, or what is wrong and what to do.
 */
detail: string, 
/**
 * The size of its file.
 */
bytes: number | null, 
/**
 * The licence of its weights.
 */
licence: string | null, 
/**
 * Whether it can be fetched.
 */
pullable: boolean, };

/**
 * What a model is chosen for.
 */
export type ModelRole = "default" | "planner" | "step";

/**
 * Where a model comes from.
 */
export type ModelSource = "embedded" | "search" | "file" | "found" | "endpoint";

/**
 * Whether a model can be used.
 */
export type ModelState = "ready" | "missing" | "damaged" | "unknown";

/**
 * What a new step says; its id is given by the draft.
 */
export type NewStep = { 
/**
 * What to do.
 */
description: string, 
/**
 * Whether it must act.
 */
stepType: StepType | null, 
/**
 * The tools it must call.
 */
requiredTools: Array<string>, 
/**
 * What will be there afterwards.
 */
expectedOutcome: string | null, 
/**
 * Who does it.
 */
executor: Executor, 
/**
 * How a missing call is judged.
 */
toolValidationMode: ValidationMode | null, 
/**
 * Further words for the executor.
 */
instructions: string | null, 
/**
 * What it waits for.
 */
dependencies: Array<StepId>, };

/**
 * How a step came into the plan.
 */
export type Origin = "todo" | "route" | "delegate" | "agent_call" | "user" | "call";

/**
 * Where an agent ends, as its file says; none where that is as a plan has it.
 */
export type OwnLimits = { 
/**
 * Replies of one attempt.
 */
replies: number | null, 
/**
 * Tokens, before a person is asked.
 */
tokens: number | null, 
/**
 * Seconds of one call.
 */
seconds: number | null, };

/**
 * What is to be said of one file of a folder.
 */
export type PackFault = { 
/**
 * The file; none where it is about the whole folder.
 */
file: string, 
/**
 * What is said, and what can be done.
 */
reason: string, };

/**
 * How a pack stands among those of a person.
 */
export type PackStanding = "absent" | "added" | "changed" | "own";

/**
 * A pack that Assent brings along for those who ask for it, or one of a person's own.
 */
export type PackView = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it is for; nothing where it is a person's own.
 */
description: string, 
/**
 * Whether it was added.
 */
standing: PackStanding, 
/**
 * The files of a person's own.
 */
files: Array<string>, };

/**
 * Several signals, sent at once.
 */
export type Packet = { 
/**
 * Counts from 1; the page says which it has taken, so that the shell notices when it stops reading.
 */
number: number, 
/**
 * In order.
 */
signals: Array<Signal>, };

/**
 * One part of the place of a value inside a JSON document.
 */
export type PathPart = number | string;

/**
 * Where an event belongs.
 */
export type Place = { 
/**
 * The chat.
 */
session: SessionId, 
/**
 * The turn.
 */
turn?: TurnId, 
/**
 * The run.
 */
run?: RunId, 
/**
 * The step.
 */
step?: StepId, };

/**
 * What was agreed: one immutable version.
 */
export type Plan = { 
/**
 * Always [`FORMAT`].
 */
format: string, 
/**
 * Shared by all versions.
 */
id: PlanId, 
/**
 * From 1.
 */
version: number, 
/**
 * The version this one replaces.
 */
supersedes: number | null, 
/**
 * The chat it belongs to.
 */
sessionId: SessionId, 
/**
 * A few words for lists.
 */
title: string, 
/**
 * What the user is after.
 */
intent: string, 
/**
 * The task in one short sentence.
 */
refinedTask: string, 
/**
 * The message that the plan answers, byte for byte.
 */
userMessage: string, 
/**
 * Concrete values of the conversation: URLs, ids, paths.
 */
extractedContext: { [key in string]: JsonValue }, 
/**
 * What the planner tells each root specialist.
 */
instructions: { [key in string]: string }, 
/**
 * The specialists in order, as planned or as derived from the steps.
 */
route: Array<RouteStep>, 
/**
 * What steps that say nothing use.
 */
defaults: Defaults, 
/**
 * Where repetition ends.
 */
limits: Limits, 
/**
 * Whether nothing may be changed, because the user's message says so: no step may require a tool that writes, and
 * every call that may change something asks a person first. Taken out by an edit, it no longer holds.
 */
readOnly?: boolean, 
/**
 * The steps, in the order in which they are shown.
 */
steps: Array<Step>, 
/**
 * Whether and why this is not what a planner wrote.
 */
fallback: Fallback, 
/**
 * Milliseconds since 1970, UTC.
 */
createdAt: number, };

/**
 * What does not hold of a document, and what approving it would allow.
 */
export type PlanCheck = { 
/**
 * Each at its place in the document; approving needs none.
 */
faults: Array<Fault>, 
/**
 * Of the whole plan.
 */
effects: Effects, 
/**
 * Of each step, in the plan's order.
 */
stepEffects: Array<Effects>, 
/**
 * How often a model is asked at least when the plan runs.
 */
modelCalls: number, };

/**
 * The difference between two versions. Times do not count.
 */
export type PlanDiff = { 
/**
 * Changed fields of the document, the steps left out.
 */
header: Array<FieldChange>, 
/**
 * Steps that only the newer version has.
 */
added: Array<Step>, 
/**
 * Steps that only the older version has.
 */
removed: Array<Step>, 
/**
 * Steps whose fields differ, grants left out.
 */
changed: Array<StepChange>, 
/**
 * Steps that stand elsewhere among the others; as few as explain the new order.
 */
moved: Array<StepMove>, 
/**
 * What steps may do beyond the older version: what a person agrees to by saving and approving.
 */
grantsAdded: Array<GrantChange>, 
/**
 * What steps may no longer do.
 */
grantsRemoved: Array<GrantChange>, };

/**
 * A mutable draft of the next version of a plan.
 */
export type PlanDraft = { 
/**
 * The document as it stands; its `version` is the one it was made from.
 */
plan: Plan, 
/**
 * When it was last changed.
 */
updatedAt: number, };

/**
 * One change of a draft.
 */
export type PlanEdit = { "op": "set_title", 
/**
 * The title.
 */
title: string, } | { "op": "set_task", 
/**
 * The task in one short sentence.
 */
refinedTask: string, } | { "op": "set_context", 
/**
 * Its name.
 */
key: string, 
/**
 * The value; without one it is removed.
 */
value: JsonValue | null, } | { "op": "set_read_only", 
/**
 * No step may change anything.
 */
readOnly: boolean, } | { "op": "add_step", 
/**
 * What it says.
 */
step: NewStep, } | { "op": "insert_after", 
/**
 * The step.
 */
after: StepId, 
/**
 * What the new one says.
 */
step: NewStep, } | { "op": "remove_step", 
/**
 * The step.
 */
step: StepId, } | { "op": "move_step", 
/**
 * The step.
 */
step: StepId, 
/**
 * Its new index.
 */
to: number, } | { "op": "set_description", 
/**
 * The step.
 */
step: StepId, 
/**
 * What to do.
 */
description: string, } | { "op": "set_step_type", 
/**
 * The step.
 */
step: StepId, 
/**
 * Whether it must act.
 */
stepType: StepType, } | { "op": "set_executor", 
/**
 * The step.
 */
step: StepId, 
/**
 * Who does it.
 */
executor: Executor, } | { "op": "set_required_tools", 
/**
 * The step.
 */
step: StepId, 
/**
 * The tools.
 */
requiredTools: Array<string>, } | { "op": "set_expected_outcome", 
/**
 * The step.
 */
step: StepId, 
/**
 * What will be there afterwards.
 */
expectedOutcome: string | null, } | { "op": "set_instructions", 
/**
 * The step.
 */
step: StepId, 
/**
 * Further words for the executor.
 */
instructions: string | null, } | { "op": "set_validation_mode", 
/**
 * The step.
 */
step: StepId, 
/**
 * How a missing call is judged.
 */
toolValidationMode: ValidationMode | null, } | { "op": "set_dependencies", 
/**
 * The step.
 */
step: StepId, 
/**
 * What it waits for.
 */
dependencies: Array<StepId>, };

/**
 * A document that was changed and not saved.
 */
export type PlanEdited = { 
/**
 * The document.
 */
plan: Plan, 
/**
 * What does not hold of it, and what approving it would allow.
 */
check: PlanCheck, 
/**
 * From the version that it was compared with, both with the grants that they have where they hold.
 */
diff: PlanDiff, };

/**
 * A plan; its versions share this id.
 */
export type PlanId = string;

/**
 * A version of a plan, bound to its content.
 */
export type PlanRef = { 
/**
 * The plan.
 */
id: PlanId, 
/**
 * The version.
 */
version: number, 
/**
 * What an approval binds: the checked document with its grants and the digests of its tools.
 */
digest: Digest, };

/**
 * How the latest version of a plan stands.
 */
export type PlanStanding = { 
/**
 * The plan.
 */
plan: PlanId, 
/**
 * Its latest version.
 */
version: number, 
/**
 * Where it is.
 */
session: SessionId, 
/**
 * What was decided about that version.
 */
status: PlanStatus, 
/**
 * The status of the latest run of that version.
 */
run: RunStatus | null, };

/**
 * The status of a plan version.
 */
export type PlanStatus = "proposed" | "approved" | "rejected" | "superseded";

/**
 * A value of a plan that may be another one for another message.
 */
export type PlanValue = { 
/**
 * What kind of value.
 */
kind: ValueKind, 
/**
 * The value.
 */
value: string, };

/**
 * A version with what its card shows.
 */
export type PlanView = { 
/**
 * The document, with its grants where it holds.
 */
plan: Plan, 
/**
 * What decisions about exactly this content name.
 */
reference: PlanRef, 
/**
 * How it stands.
 */
status: PlanStatus, 
/**
 * What does not hold, and what approving it would allow.
 */
check: PlanCheck, };

/**
 * A call that a reply asks for.
 */
export type PlannedCall = { 
/**
 * The call.
 */
id: CallId, 
/**
 * The tool's name as the model wrote it.
 */
tool: string, 
/**
 * The arguments as the model wrote them.
 */
arguments: Content, };

/**
 * What there is of a plan that is being written; not yet checked.
 */
export type PlanningSign = { "type": "thought", 
/**
 * The piece.
 */
text: string, } | { "type": "title", 
/**
 * The whole.
 */
text: string, } | { "type": "step", 
/**
 * From 0.
 */
index: number, 
/**
 * What to do.
 */
description: string, 
/**
 * The first required tool.
 */
tool: string | null, } | { "type": "answer", 
/**
 * The piece.
 */
text: string, } | { "type": "again" };

/**
 * What is spoken at an endpoint.
 */
export type Protocol = "openai" | "anthropic";

/**
 * Somebody who offers models.
 */
export type Provider = { 
/**
 * The first part of its models' ids; also names its key.
 */
id: string, 
/**
 * The address up to and with `/v1`. Without credentials: those are for the keyring.
 */
baseUrl: string, 
/**
 * What is spoken there.
 */
protocol: Protocol, 
/**
 * Tokens of request and reply together.
 */
contextTokens: number, 
/**
 * Whether tools are called, and JSON is asked for, in plain text because the endpoint has no means of its own.
 */
plain: boolean, };

/**
 * Somebody who offers models.
 */
export type ProviderView = { 
/**
 * Who.
 */
provider: Provider, 
/**
 * Whether the person has added it.
 */
own: boolean, 
/**
 * Whether it is on this machine: no text leaves it, and no key is needed.
 */
local: boolean, 
/**
 * Where its key is.
 */
key: KeyView, };

/**
 * What a model was asked for.
 */
export type Purpose = "plan" | "relation" | "choose" | "step" | "synthesis" | "prompt";

/**
 * How far the permission for a call reaches.
 */
export type Reach = "once" | "step" | "run" | "workspace";

/**
 * How a memory has to do with a context.
 */
export type Relation = "related_to" | "extends" | "reinforces" | "contradicts";

/**
 * A request, complete enough to be shown without its run.
 */
export type Request = { 
/**
 * Names it in every process.
 */
id: RequestId, 
/**
 * What has to be settled.
 */
kind: RequestKind, 
/**
 * The steps from the root down to the one that asks.
 */
path?: Array<StepId>, 
/**
 * The call that waits for it.
 */
call?: CallId, 
/**
 * The specialist or agent that asks.
 */
askedBy?: string, 
/**
 * What is asked, in one or two sentences.
 */
prompt: string, 
/**
 * Why, or what will happen.
 */
reason?: string, 
/**
 * What allowing the call leads to, where a person has to know more than its arguments: the permission counts for this,
 * word for word.
 */
consequence?: string, 
/**
 * Step i of n, where a series of questions is asked.
 */
stepIndex?: number, 
/**
 * The n of it.
 */
stepTotal?: number, 
/**
 * What an answer looks like.
 */
input: Input, 
/**
 * How a secret could be kept that is asked for: what is answered in words is in the history, and models are told it.
 */
credential?: CredentialAsked, 
/**
 * The tool of the call.
 */
tool?: string, 
/**
 * Its full arguments, as they would be used.
 */
arguments?: JsonValue, 
/**
 * The worst it can do.
 */
risk?: Risk, 
/**
 * How far beyond this call a permission may reach; nothing where such a call is asked for each time.
 */
reaches?: Array<Reach>, };

/**
 * Something only a person can settle.
 */
export type RequestId = string;

/**
 * What has to be settled.
 */
export type RequestKind = "question" | "confirm" | "permit" | "unknown_outcome" | "cap" | "help";

/**
 * A request with its place and status.
 */
export type RequestRow = { 
/**
 * The request.
 */
request: Request, 
/**
 * Its session.
 */
session: SessionId, 
/**
 * Its turn.
 */
turn: TurnId | null, 
/**
 * Its run.
 */
run: RunId | null, 
/**
 * Its step.
 */
step: StepId | null, 
/**
 * How it stands.
 */
status: RequestStatus, 
/**
 * What was answered.
 */
answer: Answer | null, 
/**
 * The unfinished answer.
 */
draft: AnswerDraft | null, 
/**
 * When it was opened.
 */
openedAt: number, };

/**
 * The status of a request.
 */
export type RequestStatus = "open" | "answered" | "cancelled";

/**
 * The worst a call can do. Only `Read` counts as free of effects.
 */
export type Risk = "read" | "write" | "execute" | "network" | "destructive";

/**
 * One element of a route.
 */
export type RouteStep = string | { 
/**
 * Their ids.
 */
parallel: Array<string>, };

/**
 * One execution of one approved plan version.
 */
export type RunId = string;

/**
 * What a run carries out.
 */
export type RunPlan = { 
/**
 * The version of the plan.
 */
plan: Plan, 
/**
 * The steps to which others are handed on at the moment, each with the one above it.
 */
parts: Array<Step>, };

/**
 * A run in a list.
 */
export type RunRow = { 
/**
 * The run.
 */
id: RunId, 
/**
 * Its session.
 */
session: SessionId, 
/**
 * The turn that started it.
 */
turn: TurnId | null, 
/**
 * What it carries out.
 */
plan: PlanRef, 
/**
 * How it stands, folded from its events.
 */
status: RunStatus, 
/**
 * How many steps it has, and how many of them are completed.
 */
steps: number, 
/**
 * Completed ones.
 */
completed: number, 
/**
 * When it was queued.
 */
createdAt: number, 
/**
 * When something last happened in it.
 */
updatedAt: number, };

/**
 * The status of a run; derived from its events, never set.
 */
export type RunStatus = "queued" | "running" | "waiting_for_input" | "suspended" | "waiting_for_user" | "synthesizing" | "completed" | "completed_with_warnings" | "failed" | "cancelled";

/**
 * A run as its events fold.
 */
export type RunView = { 
/**
 * Its row in lists.
 */
row: RunRow, 
/**
 * In the plan's order.
 */
steps: Array<StepView>, 
/**
 * The ledger, in the order in which calls were asked for.
 */
calls: Array<CallView>, 
/**
 * The open requests, oldest first.
 */
requests: Array<RequestId>, 
/**
 * Tokens of all model calls.
 */
usage: Usage, 
/**
 * How often a model has answered.
 */
modelCalls: number, };

/**
 * How a plan is kept.
 */
export type SaveAs = { 
/**
 * What it is called; the plan's title if nothing is said.
 */
name?: string, 
/**
 * Words by which it is found.
 */
tags?: Array<string>, 
/**
 * Whether it takes the place of a saved plan of the same name.
 */
replaces?: boolean, };

/**
 * A saved plan with all of it.
 */
export type SavedPlan = { 
/**
 * What another message may have other values for.
 */
values: Array<PlanValue>, 
/**
 * The document.
 */
plan: Plan, 
/**
 * Its id.
 */
id: SavedPlanId, 
/**
 * What the person calls it; unique, whatever its letters' case.
 */
name: string, 
/**
 * In small letters, in the order of the alphabet.
 */
tags: Array<string>, 
/**
 * The plan's title.
 */
title: string, 
/**
 * The message that the plan answered; its beginning, where it is long.
 */
message: string, 
/**
 * What the first steps do, shortened.
 */
outline: Array<string>, 
/**
 * How many steps there are.
 */
steps: number, 
/**
 * When it was saved last.
 */
savedAt: number, 
/**
 * When it was used last.
 */
usedAt: number | null, 
/**
 * How often it was used.
 */
uses: number, };

/**
 * A plan that a person keeps in the library.
 */
export type SavedPlanId = string;

/**
 * A saved plan in a list: everything but the document.
 */
export type SavedPlanRow = { 
/**
 * Its id.
 */
id: SavedPlanId, 
/**
 * What the person calls it; unique, whatever its letters' case.
 */
name: string, 
/**
 * In small letters, in the order of the alphabet.
 */
tags: Array<string>, 
/**
 * The plan's title.
 */
title: string, 
/**
 * The message that the plan answered; its beginning, where it is long.
 */
message: string, 
/**
 * What the first steps do, shortened.
 */
outline: Array<string>, 
/**
 * How many steps there are.
 */
steps: number, 
/**
 * When it was saved last.
 */
savedAt: number, 
/**
 * When it was used last.
 */
usedAt: number | null, 
/**
 * How often it was used.
 */
uses: number, };

/**
 * Something that a search had to do without.
 */
export type SearchLack = { 
/**
 * What it would have been compared by: earlier requests, or meaning.
 */
of: FoundBy, 
/**
 * Why, as far as that is known.
 */
why: string | null, };

/**
 * A call in an earlier reply.
 */
export type SentCall = { 
/**
 * The call.
 */
id: string, 
/**
 * The tool.
 */
name: string, 
/**
 * As the model wrote them.
 */
arguments: JsonValue, };

/**
 * A message of the conversation.
 */
export type SentMessage = { "role": "system", 
/**
 * The text.
 */
text: string, } | { "role": "user", 
/**
 * The text.
 */
text: string, } | { "role": "assistant", 
/**
 * What it wrote.
 */
text: string, 
/**
 * What it asked for.
 */
calls: Array<SentCall>, } | { "role": "tool", 
/**
 * The call.
 */
id: string, 
/**
 * The tool.
 */
name: string, 
/**
 * The result as the model reads it.
 */
text: string, };

/**
 * A request, rebuilt byte for byte.
 */
export type SentRequest = { 
/**
 * What for.
 */
purpose: Purpose, 
/**
 * The conversation.
 */
messages: Array<SentMessage>, 
/**
 * The tools it was shown.
 */
tools: Array<ToolSpec>, 
/**
 * The tools that it tells of, callable or only by name, each with what that took of the budget.
 */
told: Array<ToldTool>, 
/**
 * How many tokens the names of the studio's tools took of it.
 */
studioTokens: number, 
/**
 * Tools that belong to it and that it does not tell of.
 */
leftOut: Array<UnshownTool>, 
/**
 * The tokens that there were for tools; 0 where it is none that tells of any.
 */
toolBudget: number, 
/**
 * Where tools were looked for: whether they were compared with the message by meaning, or by words alone.
 */
byMeaning: boolean | null, 
/**
 * `auto`, `required`, `none`, or the name of the one tool that had to be called.
 */
choice: string, 
/**
 * Tokens of the reply at most.
 */
maxTokens: number, 
/**
 * 0 for the most likely text.
 */
temperature: number, };

/**
 * Whether the program that runs embedded models is there.
 */
export type ServerState = { 
/**
 * Whether it is.
 */
ready: boolean, 
/**
 * Where it lies, or what to do.
 */
detail: string, };

/**
 * One chat, with its messages, plans and runs.
 */
export type SessionId = string;

/**
 * What kind of session.
 */
export type SessionKind = "chat" | "workflow";

/**
 * A session in a list.
 */
export type SessionRow = { 
/**
 * The session.
 */
id: SessionId, 
/**
 * Its name.
 */
title: string, 
/**
 * Its kind.
 */
kind: SessionKind, 
/**
 * The folder it works in.
 */
workspace: string | null, 
/**
 * Whether it is put away.
 */
archived: boolean, 
/**
 * When it was opened.
 */
createdAt: number, 
/**
 * When something last happened in it; while a run goes on, to the second.
 */
updatedAt: number, 
/**
 * Its latest run.
 */
run: RunId | null, 
/**
 * The status of its latest run.
 */
runStatus: RunStatus | null, 
/**
 * How many requests are open in it.
 */
openRequests: number, };

/**
 * What is to be changed: only what is there.
 */
export type SettingsChange = { 
/**
 * When a plan needs the person's word.
 */
policy?: ApprovalPolicy, 
/**
 * How a step on a specialist with others below it finds who does it, from the next run on.
 */
delegation?: Delegation, 
/**
 * Light or dark.
 */
appearance?: Appearance, 
/**
 * How large everything is, in percent; what is out of reach becomes the nearest that is not.
 */
zoom?: number, 
/**
 * What closing the window does while work goes on.
 */
closing?: Closing, 
/**
 * Whether the system tells of questions.
 */
notifications?: boolean, 
/**
 * The folder that new sessions begin in; empty for the one that was used last.
 */
workspace?: string, 
/**
 * Tokens of tool descriptions in one request, from 100 to 200000; 0 for as many as usual.
 */
toolBudget?: number, };

/**
 * What is set at the moment.
 */
export type SettingsView = { 
/**
 * When a plan needs the person's word.
 */
policy: ApprovalPolicy, 
/**
 * How a step on a specialist with others below it finds who does it.
 */
delegation: Delegation, 
/**
 * Light or dark.
 */
appearance: Appearance, 
/**
 * How large everything is, in percent.
 */
zoom: number, 
/**
 * What closing the window does while work goes on.
 */
closing: Closing, 
/**
 * Whether a question that comes while the window is not in front is told by the system.
 */
notifications: boolean, 
/**
 * The folder that new sessions begin in; without one the folder that was used last.
 */
workspace: Workspace | null, 
/**
 * Tokens of tool descriptions in one request, for plans that are made from now on.
 */
toolBudget: number, 
/**
 * Where everything is kept.
 */
dataFolder: string, };

/**
 * How one level was settled.
 */
export type Settled = "chooser" | "only_option" | "required_tools" | { "fallback": { 
/**
 * Why.
 */
reason: string, } } | "depth_limit";

/**
 * Something that happens. A sign of life may come after the event that ends what it tells of; it means nothing then.
 */
export type Signal = { "type": "committed", 
/**
 * What.
 */
event: Event, } | { "type": "behind", 
/**
 * The last event that was told.
 */
after: number, } | { "type": "planning", 
/**
 * What of it.
 */
progress: PlanningSign, 
/**
 * The chat.
 */
session: SessionId, 
/**
 * The turn.
 */
turn?: TurnId, 
/**
 * The run.
 */
run?: RunId, 
/**
 * The step.
 */
step?: StepId, } | { "type": "text", 
/**
 * What kind of text.
 */
kind: TextKind, 
/**
 * The piece.
 */
text: string, 
/**
 * The chat.
 */
session: SessionId, 
/**
 * The turn.
 */
turn?: TurnId, 
/**
 * The run.
 */
run?: RunId, 
/**
 * The step.
 */
step?: StepId, } | { "type": "again", 
/**
 * Why.
 */
reason: string, 
/**
 * The chat.
 */
session: SessionId, 
/**
 * The turn.
 */
turn?: TurnId, 
/**
 * The run.
 */
run?: RunId, 
/**
 * The step.
 */
step?: StepId, } | { "type": "call", 
/**
 * The call.
 */
call: CallId, 
/**
 * The piece.
 */
text: string, 
/**
 * The chat.
 */
session: SessionId, 
/**
 * The turn.
 */
turn?: TurnId, 
/**
 * The run.
 */
run?: RunId, 
/**
 * The step.
 */
step?: StepId, } | { "type": "under_way", 
/**
 * Which.
 */
session: SessionId, 
/**
 * In the order in which they began.
 */
pieces: Array<Signal>, } | { "type": "loading", 
/**
 * How far.
 */
state: LoadingState, 
/**
 * Since the start.
 */
elapsedMs: number, } | { "type": "pull", 
/**
 * Which.
 */
model: string, 
/**
 * Bytes that are there.
 */
done: number, 
/**
 * Bytes that there will be.
 */
total: number, } | { "type": "pull_ended", 
/**
 * Which.
 */
model: string, 
/**
 * Why it is not there.
 */
failure: Failure | null, } | { "type": "session_deleted", 
/**
 * Which.
 */
session: SessionId, } | { "type": "work", 
/**
 * Which.
 */
session: SessionId, 
/**
 * Whether it goes on.
 */
active: boolean, } | { "type": "trouble", 
/**
 * Where.
 */
session: SessionId, 
/**
 * Why.
 */
failure: Failure, } | { "type": "show", 
/**
 * Which.
 */
session: SessionId, } | { "type": "show_inbox" } | { "type": "closing" };

/**
 * Where a tool comes from.
 */
export type Source = "core" | "studio" | "mcp" | "catalogue" | "agent" | "human";

/**
 * What cannot be used of a folder.
 */
export type SourceFault = { 
/**
 * The file.
 */
file: string, 
/**
 * The name of the tool in it, as far as it has one.
 */
name: string | null, 
/**
 * What is wrong.
 */
reason: string, };

/**
 * A key that the tools of a folder send to one host.
 */
export type SourceKey = { 
/**
 * The host, to which alone it goes.
 */
host: string, 
/**
 * Where it is.
 */
key: KeyView, };

/**
 * A folder of tool descriptions.
 */
export type SourceView = { 
/**
 * What its tools' names begin with.
 */
name: string, 
/**
 * Where it is.
 */
folder: string, 
/**
 * The names of its tools that can be used.
 */
tools: Array<string>, 
/**
 * What it has that cannot be used.
 */
faults: Array<SourceFault>, 
/**
 * The hosts to which its tools send a key.
 */
hosts: Array<string>, 
/**
 * Why there is nothing of it.
 */
problem: string | null, };

/**
 * Who may do a step.
 */
export type SpecialistOption = { 
/**
 * What a step says.
 */
executor: Executor, 
/**
 * For people.
 */
name: string, 
/**
 * What it is for.
 */
description: string, 
/**
 * Its own tools.
 */
tools: Array<string>, };

/**
 * Where in the fixed order of validation a fault was found.
 */
export type Stage = "parse" | "route" | "plan" | "input_contract" | "scope" | "tool_arguments" | "grounding" | "permission" | "repetition" | "required_tools" | "output_contract";

/**
 * One unit of a plan.
 */
export type Step = { 
/**
 * Unique in the plan.
 */
id: StepId, 
/**
 * The step this one is a part of.
 */
parentId: StepId | null, 
/**
 * How it came into the plan.
 */
origin: Origin, 
/**
 * What to do.
 */
description: string, 
/**
 * Whether it must call something; absent means `reasoning`, or `tool` when tools are required.
 */
stepType?: StepType, 
/**
 * The tools it must call successfully.
 */
requiredTools: Array<string>, 
/**
 * What will be there afterwards.
 */
expectedOutcome: string | null, 
/**
 * Overrides the plan's default.
 */
toolValidationMode: ValidationMode | null, 
/**
 * Who does it.
 */
executor: Executor, 
/**
 * Further words for the executor.
 */
instructions: string | null, 
/**
 * The steps that must be completed first.
 */
dependencies: Array<StepId>, 
/**
 * Values that it is given.
 */
input: StepInput, 
/**
 * What approving the plan allows it to do; written by `check`.
 */
grants: Grants, 
/**
 * Schemas of what goes in and what comes out.
 */
contracts: Contracts, };

/**
 * The changed fields of a step.
 */
export type StepChange = { 
/**
 * The step.
 */
id: StepId, 
/**
 * Its fields.
 */
fields: Array<FieldChange>, };

/**
 * A step, unique within its plan (`s1`, `s2`, …; children get `parent/1`).
 */
export type StepId = string;

/**
 * Values that a step is given.
 */
export type StepInput = { 
/**
 * Explicit context; wins over the plan's extracted context.
 */
context: { [key in string]: JsonValue }, };

/**
 * A step at another place.
 */
export type StepMove = { 
/**
 * The step.
 */
id: StepId, 
/**
 * Its index in the older version.
 */
from: number, 
/**
 * Its index in the newer version.
 */
to: number, };

/**
 * The status of a step.
 */
export type StepStatus = "pending" | "in_progress" | "waiting" | "completed" | "failed" | "skipped" | "cancelled";

/**
 * Whether a step must act.
 */
export type StepType = "tool" | "reasoning";

/**
 * A step of a run.
 */
export type StepView = { 
/**
 * Names it in the plan.
 */
id: StepId, 
/**
 * How it stands.
 */
status: StepStatus, 
/**
 * From 1; 0 before the first.
 */
attempt: number, 
/**
 * What the ledger said at its end.
 */
validation: ValidationStatus | null, 
/**
 * What it gave.
 */
result: Content | null, 
/**
 * Why it did not complete, or the warning with which it did.
 */
reason: string | null, 
/**
 * Whether it completed with a warning.
 */
warning: boolean, 
/**
 * Whether it completed on something that was done again since.
 */
stale: boolean, 
/**
 * The earlier run whose completed step this is.
 */
carriedFrom: RunId | null, 
/**
 * When the current attempt began.
 */
startedAt: number | null, 
/**
 * When it was settled.
 */
endedAt: number | null, 
/**
 * Tokens of all attempts.
 */
usage: Usage, };

/**
 * What makes a call that worked count towards a step's required tools.
 */
export type SuccessRule = "status" | "exit_zero";

/**
 * A saved plan whose message resembles another.
 */
export type Suggestion = { 
/**
 * The plan.
 */
saved: SavedPlanRow, 
/**
 * How alike the messages are, to 1.
 */
likeness: number, };

/**
 * How a test went.
 */
export type TestResult = { 
/**
 * The model.
 */
id: string, 
/**
 * Whether it answered in the form that was asked for.
 */
structured: boolean, 
/**
 * From asking to the last token.
 */
durationMs: number, 
/**
 * Tokens.
 */
usage: Usage, };

/**
 * A text that a person picked.
 */
export type TextFile = { 
/**
 * Where it lies.
 */
path: string, 
/**
 * What it holds.
 */
text: string, };

/**
 * What kind of text a piece belongs to.
 */
export type TextKind = "text" | "thought" | "structure";

/**
 * A tool that a request tells of.
 */
export type ToldTool = { 
/**
 * Its name.
 */
name: string, 
/**
 * What telling of it took of the budget.
 */
tokens: number, };

/**
 * Which tools are looked for; what is empty holds for all.
 */
export type ToolFilter = { 
/**
 * Where they come from.
 */
sources: Array<Source>, 
/**
 * The servers, or folders that were added, that they come from.
 */
servers: Array<string>, 
/**
 * What they can do at worst.
 */
risks: Array<Risk>, };

/**
 * What came of a search for tools.
 */
export type ToolSearch = { 
/**
 * The tools, the best first.
 */
tools: Array<FoundTool>, 
/**
 * Why there is none.
 */
nothing: string | null, 
/**
 * What it had to do without.
 */
lacks: Array<SearchLack>, };

/**
 * The description of a tool.
 */
export type ToolSpec = { 
/**
 * Unique in the catalogue; letters, digits, `_`, `-` and `.`.
 */
name: string, 
/**
 * The first sentence says what it does; the rest when to use it.
 */
description: string, 
/**
 * JSON Schema (draft 2020-12) of the arguments: always an object.
 */
parameters: JsonValue, 
/**
 * Where it comes from.
 */
source: Source, 
/**
 * The worst it can do.
 */
risk: Risk, 
/**
 * How a call ends.
 */
mode: Mode, 
/**
 * When a call satisfies a required tool.
 */
success: SuccessRule, 
/**
 * Of what a call does, where that is written down beside the description; no model is told.
 */
template?: Digest, };

/**
 * All tools, with what their descriptions take in a request.
 */
export type ToolsView = { 
/**
 * The tools.
 */
tools: Array<ToolSpec>, 
/**
 * About how many tokens their descriptions take, in the same order.
 */
tokens: Array<number>, 
/**
 * The specialists on top that have them, themselves or by one below them, in the same order.
 */
owners: Array<string | null>, 
/**
 * Who may do a step: tools that come and go change that, too.
 */
specialists: Array<SpecialistOption>, 
/**
 * All specialists, those below others too.
 */
heap: HeapTree, 
/**
 * The packs that can be added, and a person's own.
 */
packs: Array<PackView>, 
/**
 * The folders that a person has added.
 */
sources: Array<SourceView>, 
/**
 * Whether agents are made in chats.
 */
studio: boolean, 
/**
 * Tokens of all descriptions in one request, at most.
 */
budget: number, };

/**
 * One user message and everything up to the answer or the question that ends it.
 */
export type TurnId = string;

/**
 * How a turn ended.
 */
export type TurnStatus = "answered" | "asked" | "failed" | "cancelled";

/**
 * Why there is nothing to compare.
 */
export type Unshown = "missing" | "outside" | "folder" | "binary" | "too_large" | "unreadable" | "not_there" | "ambiguous" | "unfit";

/**
 * A tool that was not shown.
 */
export type UnshownTool = { 
/**
 * Its name.
 */
name: string, 
/**
 * Why.
 */
why: UnshownWhy, };

/**
 * Why a tool was not shown.
 */
export type UnshownWhy = "unknown" | "cap" | "budget" | "channel" | "forbidden" | "required";

/**
 * Tokens of one model call, as the endpoint counted them.
 */
export type Usage = { 
/**
 * Tokens of the request, cached ones included.
 */
input: number, 
/**
 * Those of them that were in the prompt cache.
 */
cached: number, 
/**
 * Tokens written.
 */
output: number, };

/**
 * How a step is judged whose required tools were not all called.
 */
export type ValidationMode = "strict" | "advisory";

/**
 * What the ledger says of a step's required tools.
 */
export type ValidationStatus = "passed" | "failed" | "skipped";

/**
 * What kind of value something is.
 */
export type ValueKind = "url" | "path" | "quoted" | "id" | "number" | "word";

/**
 * A version of a plan in a list.
 */
export type VersionRow = { 
/**
 * The version, bound to its content.
 */
plan: PlanRef, 
/**
 * How it stands.
 */
status: PlanStatus, 
/**
 * When it was proposed.
 */
proposedAt: number, };

/**
 * A folder that was worked in.
 */
export type Workspace = { 
/**
 * Absolute.
 */
path: string, 
/**
 * Its last part.
 */
name: string, 
/**
 * Whether it is still there.
 */
usable: boolean, };

/**
 * A file that a run wrote, as it is now.
 */
export type WrittenFile = { 
/**
 * From the workspace.
 */
path: string, 
/**
 * Whether it was not there before the run.
 */
made: boolean, 
/**
 * How long it is.
 */
bytes: number, 
/**
 * How many lines it has, where it is a text that is not too long.
 */
lines: number | null, };
