//! Runs: how they stand, and what a person may do to them.

use assent_core::ids::{RunId, SessionId, StepId};
use assent_core::plan::Plan;
use assent_core::run::{EventKind, Purpose, RunState};
use serde_json::Value;

use super::Engine;
use crate::executor::{ExecutorError, NotRebuilt, Sent};
use crate::planner;
use crate::store::{Plans, RunRow, Runs, Sessions, StoreError};
use crate::turn::TurnError;

/// Runs.
pub struct RunHandle<'e>(pub(super) &'e Engine);

/// A run as its events say.
#[derive(Debug, Clone, PartialEq)]
pub struct Carried {
    /// Its row in lists.
    pub row: RunRow,
    /// The version that it carries out.
    pub plan: Plan,
    /// What its events fold to.
    pub state: RunState,
}

impl RunHandle<'_> {
    /// The runs of a session, oldest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn list(&self, session: &SessionId) -> Result<Vec<RunRow>, StoreError> {
        self.0.store.runs_of(session)
    }

    /// Every run that is not over, of all sessions.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn unended(&self) -> Result<Vec<RunRow>, StoreError> {
        self.0.store.unended()
    }

    /// The runs that are not over and wait for nobody, of all sessions: those that are to be carried on, or whose stop is
    /// to be finished.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn interrupted(&self) -> Result<Vec<RunRow>, ExecutorError> {
        self.0.executor.interrupted()
    }

    /// One of them, folded.
    ///
    /// # Errors
    /// There is none, or its events cannot be read.
    pub fn get(&self, id: &RunId) -> Result<Carried, ExecutorError> {
        let row = self.0.store.run(id)?;
        let plan = self.0.store.plan(row.plan.id.as_str(), Some(row.plan.version))?;
        let state = RunState::folded(id.clone(), &plan, self.0.store.run_events(id)?)?;
        Ok(Carried { row, plan, state })
    }

    /// Whether a run is being carried on, here or by another process.
    ///
    /// # Errors
    /// The data folder cannot be used.
    pub fn is_carried_on(&self, id: &RunId) -> Result<bool, ExecutorError> {
        self.0.executor.is_carried_on(id)
    }

    /// Stops a run. It is over when this returns, unless another process carries it on.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub async fn cancel(&self, id: &RunId) -> Result<(), TurnError> {
        self.0.executor.cancel(id).await?;
        self.0.turns.end_stopped(id).await
    }

    /// Makes a settled step pending again; [`Turns::carry_on`](crate::turn::Turns::carry_on) does the work.
    ///
    /// # Errors
    /// The step is not settled, or the run was cancelled.
    pub async fn retry(&self, id: &RunId, step: &StepId) -> Result<(), ExecutorError> {
        self.0.executor.retry(id, step).await
    }

    /// What a model was sent for the reply with this sequence number, byte for byte, and what was left out of it.
    ///
    /// # Errors
    /// [`NotRebuilt`] when there is no such reply, or its request cannot be had exactly.
    pub fn sent(&self, session: &SessionId, seq: u64) -> Result<Sent, NotRebuilt> {
        let events = self.0.store.session_events(session, seq.saturating_sub(1))?;
        let Some(event) = events.into_iter().find(|event| event.seq == seq) else {
            return Err(NotRebuilt::NoReply(seq));
        };
        let EventKind::ModelReplied { purpose, recipe, .. } = &event.kind else {
            return Err(NotRebuilt::NoReply(seq));
        };
        match (&event.place.run, recipe) {
            (Some(run), _) => {
                let row = self.0.store.run(run)?;
                let plan = self.0.store.plan(row.plan.id.as_str(), Some(row.plan.version))?;
                self.0.executor.sent(&plan, run, seq)
            }
            (None, Some(recipe)) if matches!(purpose, Purpose::Plan | Purpose::Relation) => {
                let recipe: Value = self.0.executor.content(recipe)?;
                let rebuilt = planner::request_of(&recipe, self.0.store.as_ref())?;
                let (request, told) = rebuilt.ok_or(NotRebuilt::NoReply(seq))?;
                Ok(Sent::telling(request, told))
            }
            (None, _) => Err(NotRebuilt::NoReply(seq)),
        }
    }
}
