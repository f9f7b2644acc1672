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
    /// The disk did not say that it has what was committed.
    Unsure,
    Other,
}

fn meaning(error: &rusqlite::Error) -> Meaning {
    use rusqlite::Error as E;
    match error {
        E::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DiskFull => Meaning::Full,
            // The shared-memory file of the write-ahead log could not grow.
            ErrorCode::SystemIoFailure if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE => Meaning::Full,
            ErrorCode::SystemIoFailure if failure.extended_code == ffi::SQLITE_IOERR_FSYNC => Meaning::Unsure,
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

fn is_of_file(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::SqliteFailure(failure, _) if failure.extended_code != ffi::SQLITE_CORRUPT_VTAB)
}

/// Whom a failure to write concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// What was to be written; anything else can be.
    Batch,
    /// There is no room for it; for something smaller there may be.
    Room,
    /// Everything, for a moment.
    Moment,
    /// Everything that this connection writes: another one has to be opened.
    Connection,
    /// The file itself: nothing is written to it any more.
    File,
}

impl Failure {
    /// Whom it concerns.
    pub(super) fn reach(&self) -> Reach {
        let Self::Sql(error) = self else { return Reach::Batch };
        match meaning(error) {
            Meaning::Full => Reach::Room,
            Meaning::Locked => Reach::Moment,
            // What can be made anew, like the search index, is not the history.
            Meaning::Damaged if is_of_file(error) => Reach::File,
            Meaning::Damaged => Reach::Batch,
            Meaning::Unusable | Meaning::Unsure => Reach::Connection,
            Meaning::Other => match error.sqlite_error_code() {
                None | Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch) => {
                    Reach::Batch
                }
                Some(_) => Reach::Connection,
            },
        }
    }

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
                Meaning::Unsure => StoreError::Write(JournalError::Unsure(error.to_string())),
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
                Meaning::Unsure => JournalError::Unsure(error.to_string()),
                Meaning::Unusable => JournalError::Other(format!("{error}; allow writing to its file and try again")),
                Meaning::Other => JournalError::Other(error.to_string()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use assent_core::run::JournalError;
    use rusqlite::ffi;

    use super::{Failure, Reach};

    fn sql(code: i32) -> Failure {
        Failure::Sql(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    #[test]
    fn a_failure_concerns_no_more_than_it_has_to() {
        let reaches = [
            (sql(ffi::SQLITE_CONSTRAINT_UNIQUE), Reach::Batch),
            (sql(ffi::SQLITE_TOOBIG), Reach::Batch),
            (Failure::Conflict("the request is answered".to_owned()), Reach::Batch),
            (Failure::Broken("a run's events do not fit".to_owned()), Reach::Batch),
            (sql(ffi::SQLITE_FULL), Reach::Room),
            (sql(ffi::SQLITE_IOERR_SHMSIZE), Reach::Room),
            (sql(ffi::SQLITE_BUSY), Reach::Moment),
            (sql(ffi::SQLITE_IOERR_WRITE), Reach::Connection),
            (sql(ffi::SQLITE_CANTOPEN), Reach::Connection),
            (sql(ffi::SQLITE_READONLY), Reach::Connection),
            (sql(ffi::SQLITE_CORRUPT), Reach::File),
            (sql(ffi::SQLITE_NOTADB), Reach::File),
            (sql(ffi::SQLITE_CORRUPT_VTAB), Reach::Batch),
        ];
        for (failure, reach) in reaches {
            assert_eq!(failure.reach(), reach, "{failure:?}");
        }
    }

    #[test]
    fn a_disk_that_did_not_confirm_is_told_as_unsure_and_one_that_refused_is_not() {
        assert!(matches!(sql(ffi::SQLITE_IOERR_FSYNC).for_journal(), JournalError::Unsure(_)));
        assert!(matches!(sql(ffi::SQLITE_IOERR_WRITE).for_journal(), JournalError::Other(_)));
        assert_eq!(sql(ffi::SQLITE_FULL).for_journal(), JournalError::Full);
    }
}
