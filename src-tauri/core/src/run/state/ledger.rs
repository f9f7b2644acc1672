//! Calls, replies and requests as the fold keeps them.

use crate::contract::{Fault, Risk};
use crate::ids::{CallId, Digest};
use crate::run::{Answer, CallStatus, Content, Decider, Request, RequestKind, RequestStatus};

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerEntry {
    /// The call.
    pub call: CallId,
    /// The step that makes it, by its place in the plan's order.
    pub step: usize,
    /// The tool.
    pub tool: String,
    /// The arguments with which it is or will be made.
    pub arguments: Content,
    /// Those that the model asked for, where a person has changed them.
    pub planned: Option<Content>,
    /// How it stands.
    pub state: CallState,
    /// The worst it can do; known once it began.
    pub risk: Option<Risk>,
    /// The latest request about it, by its place in [`RunState::requests`](super::RunState::requests); none at a limit.
    pub request: Option<usize>,
    /// The entry that makes it once more.
    pub repeated_by: Option<usize>,
    /// How many calls of the run had begun before it; known once it began.
    pub begun: Option<usize>,
    /// When it began.
    pub started_at: Option<i64>,
    /// The step that carries it out, where it calls an agent.
    pub carried_out_by: Option<usize>,
}

/// How a call stands.
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// A reply asks for it; nothing has happened.
    Planned,
    /// It has begun and has no end.
    Open,
    /// It waits for a person.
    Suspended,
    /// It is over.
    Ended(Ended),
    /// It was not started.
    Refused(Fault),
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Whether the tool worked.
    pub status: CallStatus,
    /// What it gave.
    pub output: Content,
    /// Why it did not work.
    pub error: Option<String>,
    /// Whether it counts towards the required tools.
    pub satisfied: bool,
    /// What its step names and it had nothing to do with, where that is so.
    pub missed: Option<String>,
    /// Whether it has surely had to do with a file that its step is to change.
    pub met: bool,
    /// Set where the result is a person's word.
    pub by: Option<Decider>,
    /// How long it took.
    pub duration_ms: u64,
}

impl LedgerEntry {
    /// Whether it ended and its tool did what it is for.
    pub fn did(&self) -> bool {
        matches!(&self.state, CallState::Ended(end) if end.satisfied)
    }

    /// Whether it has begun and may have changed something.
    pub fn has_effects(&self) -> bool {
        self.risk.is_some_and(Risk::has_effects)
    }

    /// What its step names and it had nothing to do with.
    pub fn missed(&self) -> Option<&str> {
        match &self.state {
            CallState::Ended(end) => end.missed.as_deref(),
            _ => None,
        }
    }

    /// Whether it counts towards the required tools, among the entries of its step: its tool did what it is for. One that
    /// had nothing to do with what the step names does not, but for one that writes, beside another that has written what
    /// the step is to change: a script is written first, and run then. What only looks at something else, or talks to
    /// somebody else, is mended by nothing but the right call.
    pub fn counts_among<'a, E: Iterator<Item = &'a Self>>(&self, entries: impl FnOnce() -> E) -> bool {
        let writes = || matches!(self.risk, Some(Risk::Write | Risk::Execute | Risk::Destructive));
        let met = |entry: &Self| matches!(&entry.state, CallState::Ended(end) if end.satisfied && end.met);
        self.did() && (self.missed().is_none() || (writes() && entries().any(met)))
    }
}

/// One thing said in an attempt of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Exchange {
    /// The model's reply.
    Reply(ReplyRecord),
    /// The model was told which required calls are missing.
    Enforced {
        /// Only those.
        missing: Vec<String>,
        /// How often it was told.
        attempt: u32,
    },
    /// The model was told what else is wrong.
    Reprompted(Fault),
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyRecord {
    /// How the request can be rebuilt.
    pub recipe: Option<Content>,
    /// What it wrote beside calls.
    pub text: Option<Content>,
    /// Its calls: places in the ledger, in order.
    pub calls: Vec<usize>,
    /// What could not be read of it.
    pub faults: Vec<Fault>,
}

/// A request to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestState {
    /// What is asked.
    pub request: Request,
    /// The step that asks, by its place in the plan's order.
    pub step: Option<usize>,
    /// How it stands.
    pub status: RequestStatus,
    /// What was answered.
    pub answer: Option<Answer>,
    /// The file that an approved call changes, as it was when it was approved.
    pub file: Option<Digest>,
    /// Later steps with a call that waits for it.
    pub(super) holds: Vec<usize>,
}

impl RequestState {
    /// Whether a person has given a permission by it that goes beyond its own call.
    pub fn allows_more(&self) -> bool {
        self.request.kind == RequestKind::Permit
            && matches!(&self.answer, Some(Answer::Approve { reach, .. }) if !reach.is_once())
    }

    /// Whether calls with effects of later steps wait for it: it was asked for by a tool, so that what a person says
    /// may change what comes after.
    pub fn is_barrier(&self) -> bool {
        matches!(self.request.kind, RequestKind::Confirm | RequestKind::Question | RequestKind::Help)
    }
}
