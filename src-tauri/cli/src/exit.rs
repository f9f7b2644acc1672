//! How the process ends: scripts rely on these numbers.

use std::process::ExitCode;

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
