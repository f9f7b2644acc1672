//! Runs of workflows: begun by name, carried on as any run, told as a whole.

use std::sync::Arc;

use assent_core::ids::{RequestId, RunId, SessionId, TurnId};
use assent_core::plan::to_markdown;
use assent_core::run::{Answer, Content, Decider, EventKind, PlanStatus, RequestKind, RunStatus};
use serde::Serialize;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Workflow, WorkflowError, Workflows};
use crate::executor::literal;
use crate::store::{RequestRow, RunRow, StoreError};
use crate::turn::TurnEnd;

/// A run that was written down; [`Workflows::carry_on`] carries it on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// Its workflow.
    pub name: String,
    /// The run.
    pub run: RunId,
    /// Its turn.
    pub turn: Option<TurnId>,
}

/// A run that is carried on in a task of its own.
pub(super) struct Followed {
    pub(super) carrying: JoinHandle<Result<TurnEnd, WorkflowError>>,
    /// Ends it where it stands.
    pub(super) stop: CancellationToken,
}

/// A run as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// Its workflow.
    pub workflow: String,
    /// The run.
    pub run: RunId,
    /// The version that it carries out.
    pub version: u32,
    /// Over, or waiting for a person.
    pub status: RunStatus,
    /// What it came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What a person has to say first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<Waiting>,
}

/// A request of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The request.
    pub request: RequestId,
    /// What kind it is of.
    pub kind: RequestKind,
    /// What is asked.
    pub question: String,
    /// Answers to choose from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl Workflows {
    /// Whether a version may run without anybody being asked: the latest, when none is named.
    ///
    /// # Errors
    /// There is no such workflow or version.
    pub fn status(&self, name: &str, version: Option<u32>) -> Result<PlanStatus, WorkflowError> {
        Ok(self.version(name, version)?.1)
    }

    /// A version with everything that it may do, for whoever has to approve it.
    ///
    /// # Errors
    /// There is no such workflow or version.
    pub fn shown(&self, name: &str, version: Option<u32>) -> Result<String, WorkflowError> {
        let plan = self.plan(name, version)?;
        Ok(to_markdown(&plan, Some(&self.effects(name, &plan)?)))
    }

    /// Writes down a run of an approved version; the latest when none is named. With a person's word for it, given with
    /// what it may do before their eyes, that version is approved by it.
    ///
    /// # Errors
    /// There is no such workflow or version; it is not approved, and nobody approves it; a run of it is not over; it
    /// does not hold any more.
    pub async fn begin(&self, name: &str, version: Option<u32>, word: Option<Decider>) -> Result<Begun, WorkflowError> {
        let (plan, status) = self.version(name, version)?;
        let (name, version) = (name.to_owned(), plan.version);
        let session = self.session(&name)?.id;
        if let Some(run) = self.unfinished(&session)? {
            return Err(WorkflowError::Unfinished { name, run: run.id });
        }
        match (status, word) {
            (PlanStatus::Approved, _) => {}
            (PlanStatus::Proposed, Some(by)) => self.parts.turns.approve_for_later(&plan, by, None).await?,
            (PlanStatus::Proposed, None) => return Err(WorkflowError::NotApproved { name, version }),
            _ => return Err(WorkflowError::Retired { name, version }),
        }
        match self.parts.turns.queue(&plan).await {
            Ok((run, turn)) => Ok(Begun { name, run, turn }),
            // Of several that begin at once, in whatever process, the store takes one.
            Err(error) => match self.unfinished(&session)? {
                Some(run) => Err(WorkflowError::Unfinished { name, run: run.id }),
                None => Err(error.into()),
            },
        }
    }

    /// Carries a run on to its end, or to where a person has to say something.
    ///
    /// # Errors
    /// The workflow was deleted meanwhile, or the run cannot go on.
    pub async fn carry_on(&self, begun: &Begun, cancel: &CancellationToken) -> Result<TurnEnd, WorkflowError> {
        let end = self.parts.turns.carry_on(&begun.run, begun.turn.clone(), cancel).await;
        match self.parts.runs.run(&begun.run) {
            Err(StoreError::NotFound { .. }) => Err(WorkflowError::Deleted(begun.name.clone())),
            _ => Ok(end?),
        }
    }

    /// Whether runs go on here that a call has begun and has not waited for to their end.
    pub fn goes_on(&self) -> bool {
        !self.followed.is_empty()
    }

    /// Waits for those runs, so that a program does not end in the middle of one. Once `stop` is cancelled they end
    /// where they stand.
    pub async fn rest(&self, stop: &CancellationToken) {
        self.followed.close();
        tokio::select! {
            () = self.followed.wait() => {}
            () = stop.cancelled() => {
                self.stop.cancel();
                self.followed.wait().await;
            }
        }
        self.followed.reopen();
    }

    /// Carries a run on beside whoever began it, so that it is not lost with them.
    pub(super) fn follow(self: &Arc<Self>, begun: &Begun) -> Followed {
        let stop = self.stop.child_token();
        let (of, begun, token) = (self.clone(), begun.clone(), stop.clone());
        let carrying = self.followed.spawn(async move { of.carry_on(&begun, &token).await });
        Followed { carrying, stop }
    }

    /// Ends the run of a workflow that is not over; whether there was one.
    ///
    /// # Errors
    /// There is no such workflow, or it cannot be read or written.
    pub async fn stop(&self, name: &str) -> Result<bool, WorkflowError> {
        let session = self.session(name)?.id;
        let unfinished = self.unfinished(&session)?;
        if let Some(run) = &unfinished {
            self.parts.executor.cancel(&run.id).await?;
        }
        Ok(unfinished.is_some())
    }

    /// The newest runs of a workflow, the newest first.
    ///
    /// # Errors
    /// There is no such workflow, or they cannot be read.
    pub fn runs(&self, name: &str, limit: usize) -> Result<Vec<RunRow>, WorkflowError> {
        Ok(self.parts.runs.latest_runs(&self.session(name)?.id, limit)?)
    }

    /// How a run stands.
    ///
    /// # Errors
    /// It is not there any more, or cannot be read.
    pub fn told(&self, begun: &Begun) -> Result<Ended, WorkflowError> {
        let row = match self.parts.runs.run(&begun.run) {
            Err(StoreError::NotFound { .. }) => return Err(WorkflowError::Deleted(begun.name.clone())),
            row => row?,
        };
        let (mut answer, mut error) = (None, None);
        // How its turn ended comes after all that happened in it.
        let last = self.parts.runs.last_event(&row.id)?;
        for event in self.parts.sessions.session_events(&row.session, last)? {
            if event.place.turn != row.turn {
                continue;
            }
            match event.kind {
                EventKind::Answered { text } => answer = Some(self.text(&text)?),
                EventKind::TurnEnded { error: why, .. } => error = why,
                _ => {}
            }
        }
        let waits_for = self.open(&row.session.to_string())?.into_iter().map(|row| Waiting {
            request: row.request.id,
            kind: row.request.kind,
            question: row.request.prompt,
            options: row.request.input.options.into_iter().map(|option| option.label).collect(),
        });
        Ok(Ended {
            workflow: begun.name.clone(),
            run: row.id,
            version: row.plan.version,
            status: row.status,
            answer,
            error,
            waits_for: waits_for.collect(),
        })
    }

    /// The request for help of a workflow's run that a reply is for: the only open one, or the one that is named.
    ///
    /// # Errors
    /// There is none, or several, or it is none that a reply settles: what a run may do is decided where it is shown.
    pub fn help(&self, name: &str, request: Option<&str>) -> Result<RequestRow, WorkflowError> {
        let session = self.session(name)?.id;
        let open = self.open(session.as_str())?.into_iter().filter(|row| row.request.kind == RequestKind::Help);
        let mut open: Vec<RequestRow> =
            open.filter(|row| request.is_none_or(|id| row.request.id.as_str().starts_with(id))).collect();
        match (open.pop(), open.len()) {
            (Some(only), 0) => Ok(only),
            (None, _) => Err(WorkflowError::Request(format!("no run of the workflow {name:?} waits for a reply"))),
            (Some(_), more) => {
                let message = format!("{} questions of the workflow {name:?} are open: name the request", more + 1);
                Err(WorkflowError::Request(message))
            }
        }
    }

    /// Writes down a reply to a run that waits for help; [`Workflows::carry_on`] goes on with it.
    ///
    /// # Errors
    /// As [`Workflows::help`], or the reply does not fit what was asked.
    pub async fn reply(&self, name: &str, request: Option<&str>, reply: &str) -> Result<Begun, WorkflowError> {
        let row = self.help(name, request)?;
        let value = literal(&row.request, reply).unwrap_or_else(|| Value::String(reply.trim().to_owned()));
        let (row, turn) = self.parts.turns.record_answer(&row.request.id, Answer::Value { value }, None).await?;
        match row.run {
            Some(run) => Ok(Begun { name: name.to_owned(), run, turn }),
            None => Err(WorkflowError::Request("the question belongs to no run".to_owned())),
        }
    }

    /// The run of a workflow that is not over: there is one at a time.
    pub(super) fn unfinished(&self, session: &SessionId) -> Result<Option<RunRow>, StoreError> {
        Ok(self.parts.runs.unended()?.into_iter().find(|run| run.session == *session))
    }

    fn open(&self, session: &str) -> Result<Vec<RequestRow>, StoreError> {
        let open = self.parts.requests.open_requests()?;
        Ok(open.into_iter().filter(|row| row.session.as_str() == session).collect())
    }

    fn version(
        &self,
        name: &str,
        version: Option<u32>,
    ) -> Result<(assent_core::plan::PlanRef, PlanStatus), WorkflowError> {
        let Workflow { plan, status, .. } = self.get(name)?;
        let Some(wanted) = version.filter(|wanted| *wanted != plan.version) else { return Ok((plan, status)) };
        let found = self.versions(&plan.id)?.into_iter().find(|row| row.plan.version == wanted);
        let missing = || WorkflowError::Version { name: name.to_owned(), version: wanted };
        found.map(|row| (row.plan, row.status)).ok_or_else(missing)
    }

    fn text(&self, content: &Content) -> Result<String, WorkflowError> {
        let value = self.parts.executor.content(content)?;
        Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }
}
