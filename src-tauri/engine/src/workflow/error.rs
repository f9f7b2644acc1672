//! Why a workflow cannot be had, made, changed or run.

use assent_core::contract::{Fault, listed};
use assent_core::ids::RunId;
use assent_core::run::JournalError;
use thiserror::Error;

use crate::executor::ExecutorError;
use crate::heap::NAME_CHARS;
use crate::store::StoreError;
use crate::turn::TurnError;

/// Why a workflow cannot be had, made, changed or run.
#[derive(Debug, Error)]
pub enum WorkflowError {
    /// It cannot be called so.
    #[error(
        "{0:?} is no name of a workflow: use small letters, digits and -, a letter first, at most {NAME_CHARS} in all"
    )]
    Name(String),
    /// There is one of that name.
    #[error("there is already a workflow {0:?}; change it as its next version, or use another name")]
    Taken(String),
    /// There is none of that name.
    #[error("there is no workflow {0:?}")]
    Missing(String),
    /// It has no such version.
    #[error("the workflow {name:?} has no version {version}")]
    Version {
        /// The workflow.
        name: String,
        /// What was named.
        version: u32,
    },
    /// Its plan does not hold.
    #[error("the workflow cannot be saved as it is, nothing was changed:\n{}", listed(.0))]
    Faults(Vec<Fault>),
    /// Nobody has approved what is to run.
    #[error(
        "version {version} of the workflow {name:?} was never approved: run it as version {version}, and a person is asked first, shown what it may do"
    )]
    NotApproved {
        /// The workflow.
        name: String,
        /// The version.
        version: u32,
    },
    /// Its version was rejected, or a later one took its place.
    #[error(
        "version {version} of the workflow {name:?} runs no more: it was rejected, or a later version took its place"
    )]
    Retired {
        /// The workflow.
        name: String,
        /// The version.
        version: u32,
    },
    /// A run of it is not over.
    #[error(
        "the workflow {name:?} is being carried out (run {run}): answer what it waits for, or stop it (in a terminal: `assent workflow stop {name}`)"
    )]
    Unfinished {
        /// The workflow.
        name: String,
        /// The run.
        run: RunId,
    },
    /// Another process carries a run of it on.
    #[error(
        "another window or command carries run {run} of the workflow {name:?} on; it was asked to stop: remove the workflow once it has"
    )]
    Running {
        /// The workflow.
        name: String,
        /// The run.
        run: RunId,
    },
    /// It is not there any more.
    #[error("the workflow {0:?} was deleted while it ran; what it had done by then is done")]
    Deleted(String),
    /// There is nothing to answer, or too much.
    #[error("{0}")]
    Request(String),
    /// Its run could not be begun or carried on.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// A run of it could not be looked at.
    #[error(transparent)]
    Run(#[from] ExecutorError),
    /// Something could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl WorkflowError {
    pub(super) fn missing(name: &str) -> Self {
        Self::Missing(shown(name))
    }

    pub(super) fn name(name: &str) -> Self {
        Self::Name(shown(name))
    }
}

/// As much of a name as a message needs.
fn shown(name: &str) -> String {
    name.chars().take(NAME_CHARS + 1).collect()
}
