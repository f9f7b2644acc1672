//! What a stored run carries out: the approved version, checked again.

use std::path::PathBuf;
use std::sync::Arc;

use assent_core::contract::Fault;
use assent_core::ids::SessionId;
use assent_core::plan::{ApprovedPlan, Plan, PlanRef, check};

use super::Knowledge;
use super::direct::by_hand;
use crate::executor::{ExecutorError, Job, Jobs};
use crate::planner::PlanningError;
use crate::store::{FileHistory, Plans, RunRow, SessionRow, Sessions, StoreError};

/// Earlier contents of files, those of each session apart.
pub trait Histories: Send + Sync {
    /// The history of what a session's tools change.
    fn of(&self, session: &SessionId) -> Arc<dyn FileHistory>;
}

/// Plans and sessions of the store as jobs.
pub struct StoredJobs {
    /// Where plans are read.
    pub plans: Arc<dyn Plans>,
    /// Where sessions are read.
    pub sessions: Arc<dyn Sessions>,
    /// Where earlier contents of files are.
    pub histories: Arc<dyn Histories>,
    /// What plans may refer to.
    pub knowledge: Arc<Knowledge>,
}

impl StoredJobs {
    /// The version that a decision was about, in its session's folder, as approved by it.
    ///
    /// # Errors
    /// The plan cannot be read, no longer holds, or is not what the decision was about.
    pub fn approved(&self, decision: &PlanRef, session: &SessionRow) -> Result<Job, ExecutorError> {
        let plan = self.plans.plan(decision.id.as_str(), Some(decision.version))?;
        let workspace = workspace_of(session)?;
        let checked = check(plan, &self.knowledge.known(&workspace, session.kind)).map_err(|faults| {
            ExecutorError::PlanFaults(faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; "))
        })?;
        let approved: ApprovedPlan = checked.approve(decision)?;
        let history = self.histories.of(&session.id);
        let models = by_hand(approved.plan());
        Ok(Job { plan: Arc::new(approved), kind: session.kind, workspace, history, models })
    }
}

impl Jobs for StoredJobs {
    fn job(&self, run: &RunRow) -> Result<Job, ExecutorError> {
        self.approved(&run.plan, &self.sessions.session(run.session.as_str())?)
    }

    fn plan(&self, run: &RunRow) -> Result<Plan, ExecutorError> {
        Ok(self.plans.plan(run.plan.id.as_str(), Some(run.plan.version))?)
    }

    fn folder(&self, run: &RunRow) -> Result<PathBuf, ExecutorError> {
        Ok(workspace_of(&self.sessions.session(run.session.as_str())?)?)
    }
}

/// The folder of a session, absolute and with symbolic links resolved.
///
/// # Errors
/// It has none, or the folder is gone or cannot be read.
pub fn workspace_of(session: &SessionRow) -> Result<PathBuf, StoreError> {
    let named = session.workspace.clone().unwrap_or_default();
    let unusable = |error: std::io::Error| StoreError::Folder {
        path: named.clone(),
        reason: format!("{error}; this session works there: put the folder back, or begin a session in another"),
    };
    let folder = std::fs::canonicalize(&named).map_err(unusable)?;
    std::fs::read_dir(&folder).map_err(unusable)?;
    Ok(folder)
}

/// The folder of a session in which a turn has begun already.
pub(super) fn still_there(session: &SessionRow) -> Result<PathBuf, PlanningError> {
    workspace_of(session).map_err(|gone| PlanningError::Workspace(gone.to_string()))
}
