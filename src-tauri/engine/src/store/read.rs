//! What may be asked of the store: narrow traits, so that a reader says what it needs and a test can stand in for it.

use std::path::Path;
use std::sync::Arc;

use assent_core::ids::{Digest, PlanId, RequestId, RunId, SessionId, StepId, TurnId};
use assent_core::plan::Plan;
use assent_core::run::{
    Answer, AnswerDraft, Event, PlanRef, PlanStatus, Request, RequestStatus, RunStatus, SessionKind, StepStatus,
};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

use super::{PlanStanding, StoreError};

/// Which entries of a list are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ListFilter {
    /// Also what was put away.
    pub archived: bool,
    /// At most so many; 0 for all.
    pub limit: usize,
    /// After so many.
    pub offset: usize,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    /// The session.
    pub id: SessionId,
    /// Its name.
    pub title: String,
    /// Its kind.
    pub kind: SessionKind,
    /// The folder it works in.
    pub workspace: Option<String>,
    /// Whether it is put away.
    pub archived: bool,
    /// When it was opened.
    pub created_at: i64,
    /// When something last happened in it; while a run goes on, to the second.
    pub updated_at: i64,
    /// Its latest run.
    pub run: Option<RunId>,
    /// The status of its latest run.
    pub run_status: Option<RunStatus>,
    /// How many requests are open in it.
    pub open_requests: u32,
}

impl SessionRow {
    /// What the id of a workflow's session begins with; the workflow's name comes after it.
    pub const WORKFLOW: &str = "workflow-";

    /// The name of the workflow whose runs the session has.
    pub fn workflow(&self) -> Option<&str> {
        let name = self.id.as_str().strip_prefix(Self::WORKFLOW);
        name.filter(|_| self.kind == SessionKind::Workflow)
    }
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// Its session.
    pub session: SessionId,
    /// The turn that started it.
    pub turn: Option<TurnId>,
    /// What it carries out.
    pub plan: PlanRef,
    /// How it stands, folded from its events.
    pub status: RunStatus,
    /// How many steps it has, and how many of them are completed.
    pub steps: u32,
    /// Completed ones.
    pub completed: u32,
    /// When it was queued.
    pub created_at: i64,
    /// When something last happened in it.
    pub updated_at: i64,
}

/// A turn that nobody has ended: a process died in it, or works on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnRow {
    /// The turn.
    pub id: TurnId,
    /// Its session.
    pub session: SessionId,
    /// When it was opened.
    pub opened_at: i64,
}

/// A step of a run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepRow {
    /// The step.
    pub id: StepId,
    /// How it stands.
    pub status: StepStatus,
    /// The current attempt, from 1; 0 before the first.
    pub attempt: u32,
}

/// A version of a plan in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct VersionRow {
    /// The version, bound to its content.
    pub plan: PlanRef,
    /// How it stands.
    pub status: PlanStatus,
    /// When it was proposed.
    pub proposed_at: i64,
}

/// A request with its place and status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RequestRow {
    /// The request.
    pub request: Request,
    /// Its session.
    pub session: SessionId,
    /// Its turn.
    pub turn: Option<TurnId>,
    /// Its run.
    pub run: Option<RunId>,
    /// Its step.
    pub step: Option<StepId>,
    /// How it stands.
    pub status: RequestStatus,
    /// What was answered.
    pub answer: Option<Answer>,
    /// The unfinished answer.
    pub draft: Option<AnswerDraft>,
    /// When it was opened.
    pub opened_at: i64,
}

/// A mutable draft of the next version of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PlanDraft {
    /// The document as it stands; its `version` is the one it was made from.
    pub plan: Plan,
    /// When it was last changed.
    pub updated_at: i64,
}

/// A comment beside a plan or a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// The version it was written on.
    pub plan: PlanRef,
    /// The step; the whole plan when absent.
    pub step: Option<StepId>,
    /// The text.
    pub text: String,
    /// When.
    pub at: i64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The session.
    pub session: SessionId,
    /// The session's name.
    pub title: String,
    /// What kind of text.
    pub kind: HitKind,
    /// The event or plan that holds it: a sequence number.
    pub seq: u64,
    /// The surroundings, with the matches between `⟦` and `⟧`.
    pub snippet: String,
    /// When it was written.
    pub at: i64,
}

/// What kind of text a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HitKind {
    /// A session's name.
    Title,
    /// A message of the person.
    Message,
    /// An answer.
    Answer,
    /// A plan or one of its steps.
    Plan,
    /// A call's arguments.
    Call,
    /// A call's or step's result.
    Result,
    /// What a person was asked.
    Question,
    /// A comment beside a plan.
    Comment,
}

/// Chats, and their history.
pub trait Sessions: Send + Sync {
    /// The sessions, last used first.
    fn sessions(&self, filter: &ListFilter) -> Result<Vec<SessionRow>, StoreError>;
    /// The sessions of workflows that were not put away, the oldest first.
    fn workflows(&self) -> Result<Vec<SessionRow>, StoreError>;
    /// One of them; an unambiguous beginning of its id is enough.
    fn session(&self, id: &str) -> Result<SessionRow, StoreError>;
    /// Its events after a sequence number, in order.
    fn session_events(&self, id: &SessionId, after: u64) -> Result<Vec<Event>, StoreError>;
    /// The turns of all sessions that are not over, oldest first.
    fn unended_turns(&self) -> Result<Vec<TurnRow>, StoreError>;
    /// Removes a session whole: events, plans, requests, and blobs that nothing else names.
    fn delete_session(&self, id: &SessionId) -> Result<(), StoreError>;
    /// Sessions, plans, steps, calls and results that hold all words of a text: of all sessions the best first, within one
    /// in the order in which they came.
    fn search(&self, text: &str, within: Option<&SessionId>, limit: usize) -> Result<Vec<Hit>, StoreError>;
}

/// Runs.
pub trait Runs: Send + Sync {
    /// One run.
    fn run(&self, id: &RunId) -> Result<RunRow, StoreError>;
    /// Its events, in order.
    fn run_events(&self, id: &RunId) -> Result<Vec<Event>, StoreError>;
    /// The sequence number of the last of them.
    fn last_event(&self, id: &RunId) -> Result<u64, StoreError>;
    /// The turns that it has a part in, oldest first, each with whether it is not over.
    fn turns_of(&self, id: &RunId) -> Result<Vec<(TurnId, bool)>, StoreError>;
    /// Its steps, in the order in which they came into it.
    fn steps(&self, id: &RunId) -> Result<Vec<StepRow>, StoreError>;
    /// The runs of a session, oldest first.
    fn runs_of(&self, session: &SessionId) -> Result<Vec<RunRow>, StoreError>;
    /// The newest runs of a session, the newest first.
    fn latest_runs(&self, session: &SessionId, limit: usize) -> Result<Vec<RunRow>, StoreError>;
    /// Every run that is not over.
    fn unended(&self) -> Result<Vec<RunRow>, StoreError>;
}

/// Plans and their versions.
pub trait Plans: Send + Sync {
    /// A version; the latest when none is named. An unambiguous beginning of the id is enough.
    fn plan(&self, id: &str, version: Option<u32>) -> Result<Plan, StoreError>;
    /// The plans of a session, or of all: the latest version of each, newest first.
    fn plans(&self, session: Option<&SessionId>) -> Result<Vec<Plan>, StoreError>;
    /// How the latest version of each plan stands, newest first.
    fn standings(&self) -> Result<Vec<PlanStanding>, StoreError>;
    /// All versions of a plan, oldest first.
    fn versions(&self, id: &PlanId) -> Result<Vec<Plan>, StoreError>;
    /// How each version of a plan stands, oldest first.
    fn history(&self, id: &PlanId) -> Result<Vec<VersionRow>, StoreError>;
    /// The plan of a session that was proposed last, where it waits for approval.
    fn waiting(&self, session: &SessionId) -> Result<Option<PlanRef>, StoreError>;
    /// The session that a version belongs to.
    fn session_of(&self, plan: &PlanRef) -> Result<SessionId, StoreError>;
    /// The turn that a version belongs to: the latest in which a planner wrote it, or one before it. A person's edits
    /// belong to the turn whose plan they change.
    fn turn_of(&self, plan: &PlanRef) -> Result<Option<TurnId>, StoreError>;
    /// The comments on a plan, oldest first.
    fn comments(&self, id: &PlanId) -> Result<Vec<Comment>, StoreError>;
    /// What a person said of a version: comments on it and on those before it, and with what words it was approved; oldest
    /// first.
    fn said_of(&self, plan: &PlanRef) -> Result<Vec<Comment>, StoreError>;
    /// The draft of a plan's next version, if there is one.
    fn draft(&self, id: &PlanId) -> Result<Option<PlanDraft>, StoreError>;
    /// Keeps a draft, or with `None` throws it away.
    fn keep_draft(&self, id: &PlanId, draft: Option<&PlanDraft>) -> Result<(), StoreError>;
}

/// Requests to a person.
pub trait Requests: Send + Sync {
    /// The open ones, oldest first.
    fn open_requests(&self) -> Result<Vec<RequestRow>, StoreError>;
    /// One of them, whatever its status; an unambiguous beginning of its id is enough.
    fn request(&self, id: &str) -> Result<RequestRow, StoreError>;
    /// Keeps an unfinished answer; an empty one is forgotten.
    fn keep_answer_draft(&self, id: &RequestId, draft: &AnswerDraft) -> Result<(), StoreError>;
}

/// Large contents.
pub trait Blobs: Send + Sync {
    /// The bytes of a blob.
    fn blob(&self, digest: &Digest) -> Result<Vec<u8>, StoreError>;
}

/// What became of an earlier content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenBack {
    /// None is remembered.
    Nothing,
    /// Somebody has written the file since, so that it stays remembered.
    ChangedSince,
    /// What it held, which is remembered no longer; `None`: it was not there.
    Content(Option<Vec<u8>>),
}

/// Earlier contents of files, so that an edit can be undone, also after a restart. At most 50 are kept of one file.
pub trait FileHistory: Send + Sync {
    /// Remembers what a file held before it was changed (`None`: it was not there), and what the change writes.
    ///
    /// # Errors
    /// Nothing was remembered, so nothing may be changed: it could not be undone.
    fn remember(&self, path: &Path, before: Option<&[u8]>, written: &[u8]) -> Result<(), StoreError>;
    /// Takes back the latest remembered content, where the file still holds what that change wrote: `now`, unless it is gone.
    ///
    /// # Errors
    /// It stays remembered.
    fn take_back(&self, path: &Path, now: Option<&[u8]>) -> Result<TakenBack, StoreError>;
}

/// What is new.
pub trait Changes: Send + Sync {
    /// Every event that is committed from now on: by this process at once, by others within 250 ms. A listener that falls
    /// too far behind is told so.
    fn subscribe(&self) -> broadcast::Receiver<Arc<Event>>;
}
