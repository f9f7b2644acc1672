//! How a turn begins and how it ends.

use assent_core::contract::{Fault, listed};
use assent_core::ids::{RequestId, RunId, SessionId};
use assent_core::plan::{EditRefused, PlanRef, spelled_as_in};
use assent_core::run::JournalError;
use thiserror::Error;

use super::ApprovalPolicy;
use crate::executor::ExecutorError;
use crate::store::StoreError;

/// A message of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Where it was written.
    pub session: SessionId,
    /// Byte for byte.
    pub text: String,
    /// When its plan needs the person's word; the setting when absent.
    pub policy: Option<ApprovalPolicy>,
    /// The open question that it was written below; the oldest when absent.
    pub answers: Option<RequestId>,
}

/// How far a turn got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// It is answered.
    Answered {
        /// The session.
        session: SessionId,
    },
    /// A plan waits for a person's word.
    AwaitingApproval {
        /// The session.
        session: SessionId,
        /// The version.
        plan: PlanRef,
    },
    /// A request waits for a person's answer.
    Waiting {
        /// The session.
        session: SessionId,
        /// The run.
        run: RunId,
    },
    /// It failed.
    Failed {
        /// The session.
        session: SessionId,
    },
    /// A person stopped it.
    Cancelled {
        /// The session.
        session: SessionId,
    },
}

/// Why a turn could not be begun or carried on. What was written before is there.
#[derive(Debug, Error)]
pub enum TurnError {
    /// There is nothing to do.
    #[error("the message is empty: write what you want done")]
    EmptyMessage,
    /// The folder of the session cannot be worked in.
    #[error("the workspace {path} cannot be used: {reason}; name another folder")]
    Workspace {
        /// The folder.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The plan cannot run as it is.
    #[error("the plan cannot run as it is:\n{}", listed(.0))]
    PlanFaults(Vec<Fault>),
    /// The plan is not in a state for this.
    #[error("{0}")]
    PlanState(String),
    /// Which values of a saved plan are others cannot be told.
    #[error(
        "a model is needed to tell which values of the plan are others ({why}): {values}; use it as it is saved, or choose a model that is there"
    )]
    NeedsModel {
        /// Why none could be asked.
        why: String,
        /// The values.
        values: String,
    },
    /// A change of a plan is not possible.
    #[error(transparent)]
    Edit(#[from] EditRefused),
    /// There is no such tool.
    #[error("there is no tool {0:?}; see: assent tools list")]
    NoTool(String),
    /// The run could not be carried on.
    #[error(transparent)]
    Run(#[from] ExecutorError),
    /// Something could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl TurnError {
    /// The same of a plan that was read from a text: its faults at the places that they have there.
    #[must_use]
    pub fn placed_in(self, text: &str) -> Self {
        match self {
            Self::PlanFaults(faults) => Self::PlanFaults(spelled_as_in(text, faults)),
            other => other,
        }
    }
}
