//! Why a run could not be started or carried on.

use assent_core::ids::{RequestId, RunId, StepId};
use assent_core::plan::OtherContent;
use assent_core::run::{Conflict, JournalError, RequestStatus};
use thiserror::Error;

use super::answer::Unfitting;
use crate::prompt::PromptError;
use crate::store::StoreError;

/// Why a run could not be started or carried on. What was written before is there.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ExecutorError {
    /// Another holder carries the run on.
    #[error("run {0} is being carried on by another window or command")]
    Busy(RunId),
    /// The run was stopped before it began.
    #[error("stopped")]
    Stopped,
    /// The step cannot be done again now.
    #[error("{0}")]
    Conflict(#[from] Conflict),
    /// Something under way builds on the step and has begun an effect, which would be had twice or on a result that counts
    /// no more.
    #[error(
        "step {step} builds on step {on} and has begun something that has effects: let it end first, or stop the run"
    )]
    BuiltOn {
        /// What is under way.
        step: StepId,
        /// What was to be done again.
        on: StepId,
    },
    /// The plan is not what was approved.
    #[error(transparent)]
    Plan(#[from] OtherContent),
    /// The plan cannot be used any more.
    #[error("the plan cannot be carried on: {0}")]
    PlanFaults(String),
    /// The request is settled.
    #[error("request {request} is already {}", status.word())]
    Settled {
        /// The request.
        request: RequestId,
        /// How it stands.
        status: RequestStatus,
    },
    /// The file is not as the person saw it who approves a change of it.
    #[error("the file was changed after you looked: nothing was approved, look again at what would be done")]
    FileChanged,
    /// The answer does not fit what was asked.
    #[error(transparent)]
    Answer(#[from] Unfitting),
    /// Something could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A prompt could not be made.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

/// Why a step's work stops without the step being over.
#[derive(Debug)]
pub(super) enum Stop {
    /// A person stopped the run.
    Cancelled,
    /// The run cannot go on in this process.
    Error(ExecutorError),
}

impl<E: Into<ExecutorError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}
