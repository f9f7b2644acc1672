//! Workflows: saved plans that are carried out as often as they are wanted.
//!
//! A workflow is a session of its own kind, named after it, with one plan in it: its versions are the plan's versions, its
//! approvals the plan's, and each run has a ledger and a turn of its own, as any run has. Nothing is kept elsewhere.
//! Invariants: what nobody has approved does not run; a run never does more than the approval of its version binds; only
//! a person approves.

mod document;
mod error;
mod runs;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_core::ids::{PlanId, RunId, SessionId};
use assent_core::plan::{CheckedPlan, Effects, Plan, PlanRef, check, effects, save};
use assent_core::run::{
    Batch, Draft, Durability, EventKind, Journal, JournalError, Place, PlanStatus, RunStatus, SessionKind,
};
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use document::timed;
pub use error::WorkflowError;
pub use runs::{Begun, Ended};
pub use tools::workflow_tools;

use crate::clock::{Clock, IdSource};
use crate::executor::Executor;
use crate::heap::is_name;
use crate::store::{Plans, Requests, Runs, SessionRow, Sessions, StoreError, VersionRow};
use crate::turn::{Knowledge, Turns, workspace_of};

/// What workflows are made of.
pub struct WorkflowParts {
    /// Where events go.
    pub journal: Arc<dyn Journal>,
    /// Where sessions are read and removed.
    pub sessions: Arc<dyn Sessions>,
    /// Where plans are read.
    pub plans: Arc<dyn Plans>,
    /// Where runs are read.
    pub runs: Arc<dyn Runs>,
    /// Where requests are read.
    pub requests: Arc<dyn Requests>,
    /// What plans may refer to.
    pub knowledge: Arc<Knowledge>,
    /// Approves and begins runs.
    pub turns: Arc<Turns>,
    /// Stops them.
    pub executor: Arc<Executor>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn IdSource>,
}

/// All workflows.
pub struct Workflows {
    parts: WorkflowParts,
    /// Runs that were begun by a call, each with a token of its own below this one.
    followed: TaskTracker,
    stop: CancellationToken,
}

/// A workflow as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Workflow {
    /// Its name.
    pub name: String,
    /// What it is for, in a few words.
    pub title: String,
    /// Its session.
    pub session: SessionId,
    /// The folder it works in.
    pub workspace: Option<String>,
    /// Its latest version.
    pub plan: PlanRef,
    /// How that version stands: only what is approved runs.
    pub status: PlanStatus,
    /// When it is to run, in a person's words. Nothing starts it by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Its latest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRun>,
    /// How many questions of its runs wait for a person.
    pub open_requests: u32,
}

/// The latest run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    /// The run.
    pub run: RunId,
    /// The version that it carries out.
    pub version: u32,
    /// How it stands.
    pub status: RunStatus,
    /// When it was queued.
    pub at: i64,
}

/// The session of a workflow of this name.
fn session_of(name: &str) -> SessionId {
    SessionId::new(format!("{}{name}", SessionRow::WORKFLOW))
}

impl Workflows {
    /// Workflows over these parts.
    pub fn new(parts: WorkflowParts) -> Self {
        Self { parts, followed: TaskTracker::new(), stop: CancellationToken::new() }
    }

    /// All of them, the oldest first.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn list(&self) -> Result<Vec<Workflow>, WorkflowError> {
        let sessions = self.parts.sessions.workflows()?;
        // A session that was begun and never got a plan is none.
        Ok(sessions
            .into_iter()
            .map(|row| self.view(row))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    /// One of them.
    ///
    /// # Errors
    /// There is none of that name, or it cannot be read.
    pub fn get(&self, name: &str) -> Result<Workflow, WorkflowError> {
        self.view(self.session(name)?)?.ok_or_else(|| WorkflowError::missing(name))
    }

    /// A version of its plan; the latest when none is named.
    ///
    /// # Errors
    /// There is no such workflow or version.
    pub fn plan(&self, name: &str, version: Option<u32>) -> Result<Plan, WorkflowError> {
        let workflow = self.get(name)?;
        match self.parts.plans.plan(workflow.plan.id.as_str(), version) {
            Err(StoreError::NotFound { .. }) => {
                Err(WorkflowError::Version { name: workflow.name, version: version.unwrap_or_default() })
            }
            plan => Ok(plan?),
        }
    }

    /// What a version would be allowed to do.
    ///
    /// # Errors
    /// The workflow cannot be read.
    pub fn effects(&self, name: &str, plan: &Plan) -> Result<Effects, WorkflowError> {
        let session = self.session(name)?;
        let workspace = PathBuf::from(session.workspace.unwrap_or_default());
        Ok(effects(plan, &self.parts.knowledge.known(&workspace, SessionKind::Workflow)))
    }

    /// Saves a plan as a workflow that works in a folder. It runs once a person has approved it.
    ///
    /// # Errors
    /// The name will not do or is taken, or the plan does not hold; nothing is saved.
    pub async fn create(&self, name: &str, document: Plan, workspace: &Path) -> Result<Workflow, WorkflowError> {
        if !is_name(name) {
            return Err(WorkflowError::name(name));
        }
        let session = session_of(name);
        let plan = Plan {
            id: PlanId::new(self.parts.ids.fresh()),
            version: 1,
            supersedes: None,
            session_id: session.clone(),
            created_at: self.parts.clock.now(),
            ..document.from_outside()
        };
        let title = if plan.title.trim().is_empty() { name.to_owned() } else { plan.title.clone() };
        let plan = self.checked(plan, workspace)?;
        let created = EventKind::SessionCreated {
            title,
            session_kind: SessionKind::Workflow,
            workspace: Some(workspace.display().to_string()),
        };
        match self.write(&session, vec![created, proposed(&plan)], vec![plan.plan().clone()]).await {
            // Of two that make it at once one comes first.
            Err(JournalError::Conflict(_)) if self.session(name).is_ok() => Err(WorkflowError::Taken(name.to_owned())),
            written => Ok(written?),
        }?;
        self.get(name)
    }

    /// Saves a document as the next version of a workflow; without one the latest version is saved once more, as it is
    /// checked now. What was approved before goes on to be approved until this version is.
    ///
    /// # Errors
    /// There is no such workflow, or the document does not hold; nothing is saved.
    pub async fn update(&self, name: &str, document: Option<Plan>) -> Result<Workflow, WorkflowError> {
        let session = self.session(name)?;
        let latest = self.plan(name, None)?;
        let document = document.unwrap_or_else(|| latest.clone()).from_outside();
        let based_on = Plan { id: latest.id, version: latest.version, session_id: session.id.clone(), ..document };
        let plan = save(based_on, latest.version + 1, self.parts.clock.now());
        let workspace = workspace_of(&session)?;
        let plan = self.checked(plan, &workspace)?;
        self.write(&session.id, vec![proposed(&plan)], vec![plan.plan().clone()]).await?;
        self.get(name)
    }

    /// Removes a workflow with its runs. A run that is under way ends first.
    ///
    /// # Errors
    /// There is none; or another window or command carries a run of it on, which was asked to stop: nothing is removed.
    pub async fn delete(&self, name: &str) -> Result<(), WorkflowError> {
        let session = self.session(name)?.id;
        if let Some(run) = self.unfinished(&session)? {
            // One that cannot go on any more, because its tools have gone, cannot be ended either, and needs not.
            let ended = self.parts.executor.cancel(&run.id).await;
            let is_over = ended.is_ok() && self.parts.runs.run(&run.id)?.status.is_final();
            if !is_over && self.parts.executor.is_carried_on(&run.id)? {
                return Err(WorkflowError::Running { name: name.to_owned(), run: run.id });
            }
        }
        self.parts.sessions.delete_session(&session)?;
        Ok(())
    }

    fn session(&self, name: &str) -> Result<SessionRow, WorkflowError> {
        let missing = || WorkflowError::missing(name);
        if !is_name(name) {
            return Err(missing());
        }
        match self.parts.sessions.session(session_of(name).as_str()) {
            Ok(row) if row.workflow() == Some(name) => Ok(row),
            // The beginning of another name is no name.
            Ok(_) | Err(StoreError::NotFound { .. } | StoreError::Ambiguous { .. }) => Err(missing()),
            Err(error) => Err(error.into()),
        }
    }

    /// The plan as it can be approved, in a folder.
    fn checked(&self, plan: Plan, workspace: &Path) -> Result<CheckedPlan, WorkflowError> {
        let known = self.parts.knowledge.known(workspace, SessionKind::Workflow);
        check(plan, &known).map_err(WorkflowError::Faults)
    }

    fn view(&self, row: SessionRow) -> Result<Option<Workflow>, WorkflowError> {
        let Some(name) = row.workflow().map(str::to_owned) else { return Ok(None) };
        let Some(plan) = self.parts.plans.plans(Some(&row.id))?.into_iter().next() else { return Ok(None) };
        let Some(version) = self.versions(&plan.id)?.pop() else { return Ok(None) };
        let last_run = self.parts.runs.latest_runs(&row.id, 1)?.pop().map(|run| LastRun {
            run: run.id,
            version: run.plan.version,
            status: run.status,
            at: run.created_at,
        });
        let when = document::when(&self.parts.plans.plan(plan.id.as_str(), Some(version.plan.version))?);
        Ok(Some(Workflow {
            name,
            title: row.title,
            session: row.id,
            workspace: row.workspace,
            plan: version.plan,
            status: version.status,
            when,
            last_run,
            open_requests: row.open_requests,
        }))
    }

    fn versions(&self, plan: &PlanId) -> Result<Vec<VersionRow>, StoreError> {
        self.parts.plans.history(plan)
    }

    async fn write(&self, session: &SessionId, kinds: Vec<EventKind>, plans: Vec<Plan>) -> Result<(), JournalError> {
        let place = Place { session: session.clone(), turn: None, run: None, step: None };
        let at = self.parts.clock.now();
        let events = kinds.into_iter().map(|kind| Draft { place: place.clone(), at, kind }).collect();
        let batch = Batch { events, plans, ..Batch::default() };
        self.parts.journal.append(batch, Durability::Synced).await
    }
}

fn proposed(plan: &CheckedPlan) -> EventKind {
    EventKind::PlanProposed { plan: plan.plan_ref(), faults: Vec::new() }
}
