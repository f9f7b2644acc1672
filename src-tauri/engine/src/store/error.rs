//! Why nothing could be read from the store, or the data folder not be used.

use assent_core::run::JournalError;
use thiserror::Error;

/// Why nothing could be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// The file is not what was written.
    #[error(
        "the database {path} is damaged: {reason}; it was left as it is; put a copy of it back, or move it away to begin anew"
    )]
    Damaged {
        /// The file.
        path: String,
        /// What was found.
        reason: String,
    },
    /// A later version of the application made it.
    #[error(
        "the database {path} was written by a newer version of Assent (format {found}, this one knows {known}): update Assent; nothing was changed"
    )]
    Newer {
        /// The file.
        path: String,
        /// The version found.
        found: u32,
        /// The latest known.
        known: u32,
    },
    /// Another program holds it for too long.
    #[error("the database {path} is locked by another program: close it and try again")]
    Locked {
        /// The file.
        path: String,
    },
    /// There is no such thing.
    #[error("there is no {kind} {id}")]
    NotFound {
        /// What was looked for.
        kind: &'static str,
        /// Its id.
        id: String,
    },
    /// Several things have an id that begins like this.
    #[error("more than one {kind} has an id that begins with {id}: give more of it")]
    Ambiguous {
        /// What was looked for.
        kind: &'static str,
        /// The beginning.
        id: String,
    },
    /// Something could not be written.
    #[error(transparent)]
    Write(#[from] JournalError),
    /// The data folder cannot be used.
    #[error("{path} cannot be used: {reason}")]
    Folder {
        /// The folder or file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// Anything else the database says.
    #[error("the database could not be read: {0}")]
    Other(String),
}
