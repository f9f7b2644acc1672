//! The closed set of events, a published format: database, window, command line and tests all read the same ones.

use serde::{Deserialize, Serialize};

use super::{
    Answer, CallStatus, Content, Place, PlannedCall, Purpose, Request, RunStatus, StepStatus, TurnStatus, Usage,
    ValidationStatus,
};
use crate::contract::{Fault, Risk};
use crate::heap::{Expanded, Settled};
use crate::ids::{CallId, Digest, RequestId, RunId, StepId};
pub use crate::plan::PlanRef;
use crate::plan::Step;

/// Something that has happened and is about to be written down.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Where.
    pub place: Place,
    /// When: milliseconds since 1970, UTC.
    pub at: i64,
    /// What.
    pub kind: EventKind,
}

/// Something that has happened and is written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Grows with every event of the database.
    pub seq: u64,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// When: milliseconds since 1970, UTC.
    pub at: i64,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What kind of session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// A person's chat.
    #[default]
    Chat,
    /// The runs of a workflow.
    Workflow,
}

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// A person.
    User,
    /// The approval policy that the person has set.
    Policy,
}

/// What has happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(optional_fields))]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// A session was opened.
    SessionCreated {
        /// Its name.
        title: String,
        /// Its kind.
        session_kind: SessionKind,
        /// The folder it works in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workspace: Option<String>,
    },
    /// A session has another name.
    SessionRenamed {
        /// The name.
        title: String,
    },
    /// A session was put away or taken back.
    SessionArchived {
        /// Whether it is put away.
        archived: bool,
    },
    /// A person wrote; this opens a turn.
    MessageReceived {
        /// Byte for byte; of an answer on a card the words for it.
        text: String,
        /// The question that it answers, or was written below.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answers: Option<RequestId>,
        /// The version whose message it is once more, to be planned anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replans: Option<PlanRef>,
    },
    /// A model was asked and answered. In a step this is committed before the first of its calls starts.
    ModelReplied {
        /// What for.
        purpose: Purpose,
        /// Which model.
        model: String,
        /// How the request can be rebuilt byte for byte.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recipe: Option<Content>,
        /// What it wrote beside calls.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Content>,
        /// What it thought aloud.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thoughts: Option<Content>,
        /// The calls it asks for, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
        calls: Vec<PlannedCall>,
        /// What could not be read of it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
        faults: Vec<Fault>,
        /// How many replies came before it that did not have the asked form.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
        before: u32,
        /// Tokens.
        #[serde(default)]
        usage: Usage,
        /// From sending to the last token.
        #[serde(default)]
        duration_ms: u64,
    },
    /// A model could not be asked.
    ModelFailed {
        /// What for.
        purpose: Purpose,
        /// Which model.
        model: String,
        /// What happened, why, what to do.
        error: String,
        /// Whether it is tried again.
        retrying: bool,
    },
    /// A plan version was made: by a planner, an edit or an import.
    PlanProposed {
        /// The version.
        plan: PlanRef,
        /// What does not hold yet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
        faults: Vec<Fault>,
    },
    /// A version may run.
    PlanApproved {
        /// The version, bound to its content.
        plan: PlanRef,
        /// Who said so.
        by: Decider,
        /// With what words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// Whether it is to be carried out at once: where no run of it follows, whoever takes its turn up begins one.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
        starts: bool,
    },
    /// A version may not run.
    PlanRejected {
        /// The version.
        plan: PlanRef,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A later version was approved.
    PlanSuperseded {
        /// The version.
        plan: PlanRef,
        /// The later one.
        by_version: u32,
    },
    /// A person wrote beside a plan or one of its steps.
    Commented {
        /// The version.
        plan: PlanRef,
        /// The step; the whole plan when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<StepId>,
        /// The comment.
        text: String,
    },
    /// A run waits for its turn.
    RunQueued {
        /// What it carries out.
        plan: PlanRef,
    },
    /// A process carries the run on, for the first time or again.
    RunStarted,
    /// A step is being worked on.
    StepStarted {
        /// From 1; a retry is the next.
        attempt: u32,
    },
    /// A step that names a specialist with others below it, or a part of one, is brought to the leaf that does it.
    StepExpanded {
        /// Which leaf, and how it was found.
        expanded: Box<Expanded>,
    },
    /// A specialist has handed its step on to those below it: the step goes on until these steps are over.
    StepDelegated {
        /// What it said of that.
        summary: String,
        /// The steps, each with this one above it.
        steps: Vec<Step>,
        /// How those were found who do them; of an agent that was called, its caller has named it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Settled>,
        /// The call of an agent that the only step carries out: the step that called it goes on with what it gives.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// The template of that agent's user message, where it has one of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<Content>,
        /// All that the agent's files said of it when it began.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        does: Option<Digest>,
    },
    /// A call begins; committed before the tool does anything.
    CallStarted {
        /// The call.
        call: CallId,
        /// The tool.
        tool: String,
        /// The arguments where they differ from the planned ones.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Content>,
        /// The worst these arguments can do, as judged when the call began: a recovery relies on it.
        #[serde(default = "Risk::harmless", skip_serializing_if = "Risk::is_harmless")]
        #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
        risk: Risk,
        /// The call that is made once more, on a person's word, because nobody knows how it ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repeats: Option<CallId>,
    },
    /// A call is over.
    CallEnded {
        /// The call.
        call: CallId,
        /// Whether the tool worked.
        status: CallStatus,
        /// What it gave.
        output: Content,
        /// Why it did not work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// Whether it counts towards the required tools.
        satisfied: bool,
        /// What its step names and it had nothing to do with, where that is so: then it does not count by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missed: Option<String>,
        /// Whether it has surely had to do with a file that its step is to change: then one that wrote others counts beside it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
        met: bool,
        /// Set where the result is a person's word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Decider>,
        /// How long it took.
        #[serde(default)]
        duration_ms: u64,
    },
    /// A call waits for a person; for the recovery this is an end.
    CallSuspended {
        /// The call.
        call: CallId,
        /// What it waits for.
        request: RequestId,
    },
    /// A call with effects has to wait for a decision that an earlier step asks for.
    CallHeld {
        /// The call.
        call: CallId,
        /// The request of the earlier step.
        request: RequestId,
    },
    /// A call was not started.
    CallRefused {
        /// The call.
        call: CallId,
        /// Why.
        fault: Fault,
    },
    /// The model was told which required calls are missing.
    Enforced {
        /// Only those.
        missing: Vec<String>,
        /// How often it was told.
        attempt: u32,
    },
    /// The model was told what is wrong with its reply, other than missing calls.
    Reprompted {
        /// What is wrong; `attempt` counts within its stage.
        fault: Box<Fault>,
    },
    /// A step is over.
    StepEnded {
        /// How.
        status: StepStatus,
        /// What the ledger says.
        validation: ValidationStatus,
        /// What it gave.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Content>,
        /// Why it did not complete, or the warning with which it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The step because of which this one was skipped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<StepId>,
        /// The earlier run whose completed step is taken over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        carried_from: Option<RunId>,
    },
    /// A person wants a step done again: it and the skipped ones after it are pending.
    StepReset {
        /// Completed steps whose results no longer hold.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
        stale: Vec<StepId>,
    },
    /// A person is asked.
    RequestOpened {
        /// What.
        request: Box<Request>,
    },
    /// A person has answered; a second answer is never written.
    RequestAnswered {
        /// What.
        request: RequestId,
        /// With what.
        answer: Answer,
        /// The file that the approved call changes, as it was then: where it is another once the call is made, the call
        /// fails and changes nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<Digest>,
    },
    /// A request is no longer of use.
    RequestCancelled {
        /// Which.
        request: RequestId,
        /// Why.
        reason: String,
    },
    /// A limit was reached.
    LimitReached {
        /// Its name in the plan's `limits`, or `loop` for the loop guard.
        limit: String,
        /// Its value.
        value: u32,
    },
    /// Something a person should know that stops nothing.
    Warned {
        /// What happened, why, what to do.
        message: String,
    },
    /// A person wants the run stopped; whoever carries it on ends it.
    RunStopAsked,
    /// A run is over.
    RunEnded {
        /// How.
        status: RunStatus,
    },
    /// The assistant answered.
    Answered {
        /// The answer in Markdown.
        text: Content,
    },
    /// A turn is over.
    TurnEnded {
        /// How.
        status: TurnStatus,
        /// What happened, why, what to do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
