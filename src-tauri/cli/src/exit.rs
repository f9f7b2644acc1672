//! How the process ends: scripts rely on these numbers.

use std::process::ExitCode;

use assent_engine::executor::ExecutorError;
use assent_engine::library::LibraryError;
use assent_engine::store::StoreError;
use assent_engine::turn::TurnError;
use serde::de::DeserializeOwned;

/// The outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: it failed or was stopped.
    Failed,
    /// 2: it waits for a person.
    Waiting,
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Waiting => 2,
        })
    }
}

/// The number for a command line that makes no sense (`EX_USAGE`).
pub const USAGE: u8 = 64;

/// An argument that makes no sense: what is wrong with it, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Where what was not found can be looked up.
pub fn hint(problem: &anyhow::Error) -> Option<&'static str> {
    let store = match problem.downcast_ref::<TurnError>() {
        Some(TurnError::Store(error) | TurnError::Run(ExecutorError::Store(error))) => Some(error),
        _ => problem.downcast_ref::<StoreError>(),
    };
    let store = match problem.downcast_ref::<LibraryError>() {
        Some(LibraryError::Store(error)) => Some(error),
        _ => store,
    };
    match store? {
        StoreError::NotFound { kind: "plan", .. } => Some("see: assent plan list"),
        StoreError::NotFound { kind: "session", .. } => Some("see: assent sessions --all --archived"),
        StoreError::NotFound { kind: "request", .. } => Some("see: assent requests"),
        StoreError::NotFound { kind: "saved plan", .. } => Some("see: assent library list"),
        _ => None,
    }
}

/// An argument that has to be JSON.
///
/// # Errors
/// [`Usage`] with the place where it is not, and with what would be right.
pub fn json_argument<T: DeserializeOwned>(text: &str, wanted: &str) -> Result<T, Usage> {
    serde_json::from_str(text).map_err(|error| Usage(format!("{wanted}: {error}")))
}
