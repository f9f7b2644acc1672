//! What went wrong inside the store, before it is known whether a reader or the journal is told.

use std::path::Path;

use assent_core::run::JournalError;
use rusqlite::{ErrorCode, ffi};

use super::StoreError;

/// What went wrong.
#[derive(Debug)]
pub(super) enum Failure {
    /// The state does not allow it; only the batch that wanted it is refused.
    Conflict(String),
    /// There is no such thing.
    NotFound(&'static str, String),
    /// More than one thing has an id that begins like this.
    Ambiguous(&'static str, String),
    /// What is in the file cannot be read as what was written.
    Broken(String),
    /// A caller's mistake, told so that it is found.
    Misuse(String),
    /// The database says no.
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// What the database says, by meaning.
enum Meaning {
    Full,
    Locked,
    Damaged,
    Unusable,
    Other,
}

fn meaning(error: &rusqlite::Error) -> Meaning {
    use rusqlite::Error as E;
    match error {
        E::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DiskFull => Meaning::Full,
            // The shared-memory file of the write-ahead log could not grow.
            ErrorCode::SystemIoFailure if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE => Meaning::Full,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Meaning::Locked,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Meaning::Damaged,
            ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Meaning::Unusable,
            _ => Meaning::Other,
        },
        E::FromSqlConversionFailure(..)
        | E::IntegralValueOutOfRange(..)
        | E::InvalidColumnType(..)
        | E::Utf8Error(..) => Meaning::Damaged,
        _ => Meaning::Other,
    }
}

impl Failure {
    /// Whether there is no room on the disk.
    pub(super) fn is_full(&self) -> bool {
        matches!(self, Self::Sql(error) if matches!(meaning(error), Meaning::Full))
    }

    /// As a reader is told.
    pub(super) fn for_reader(self, path: &Path) -> StoreError {
        let path = path.display().to_string();
        match self {
            Self::NotFound(kind, id) => StoreError::NotFound { kind, id },
            Self::Ambiguous(kind, id) => StoreError::Ambiguous { kind, id },
            Self::Broken(reason) => StoreError::Damaged { path, reason },
            Self::Misuse(reason) => StoreError::Other(reason),
            Self::Conflict(reason) => StoreError::Write(JournalError::Conflict(reason)),
            Self::Sql(error) => match meaning(&error) {
                Meaning::Full => StoreError::Write(JournalError::Full),
                Meaning::Locked => StoreError::Locked { path },
                Meaning::Damaged => StoreError::Damaged { path, reason: error.to_string() },
                Meaning::Unusable => StoreError::Folder { path, reason: error.to_string() },
                Meaning::Other => StoreError::Other(error.to_string()),
            },
        }
    }

    /// As somebody who appends is told.
    pub(super) fn for_journal(self) -> JournalError {
        match self {
            Self::Conflict(reason) => JournalError::Conflict(reason),
            Self::NotFound(kind, id) => JournalError::Conflict(format!("there is no {kind} {id}")),
            Self::Ambiguous(kind, id) => JournalError::Conflict(format!("several {kind}s begin with {id}")),
            Self::Broken(reason) => JournalError::Damaged(reason),
            Self::Misuse(reason) => JournalError::Other(reason),
            Self::Sql(error) => match meaning(&error) {
                Meaning::Full => JournalError::Full,
                Meaning::Locked => JournalError::Locked,
                Meaning::Damaged => JournalError::Damaged(error.to_string()),
                Meaning::Unusable | Meaning::Other => JournalError::Other(error.to_string()),
            },
        }
    }
}
