//! Where events go.

use std::future::Future;
use std::pin::Pin;

use thiserror::Error;

use super::Draft;
use crate::ids::Digest;
use crate::plan::Plan;

/// What is written in one transaction, in order.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// What has happened.
    pub events: Vec<Draft>,
    /// Large contents that the events name. One that is there already is not written again.
    pub blobs: Vec<Blob>,
    /// The plan versions that the events name.
    pub plans: Vec<Plan>,
}

/// A content-addressed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// The SHA-256 of `bytes`.
    pub digest: Digest,
    /// UTF-8 text or JSON.
    pub bytes: Vec<u8>,
}

/// How safe a batch has to be when `append` returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// Queued in order; commits together with what follows. For events on which no effect and no answer relies yet.
    Queued,
    /// Committed: survives the death of the process.
    Committed,
    /// Committed and on the disk: survives a loss of power. Before an effect; after an approval or an answer.
    Synced,
}

/// Why nothing could be written. Nothing of the batch is there; what was committed before is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JournalError {
    /// No room.
    #[error("the disk is full: nothing was lost, free some space and try again")]
    Full,
    /// Another program holds the database for too long.
    #[error("the database is locked by another program: close it and try again")]
    Locked,
    /// The file is not what was written.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// A second answer to the same request, or another event that the state does not allow.
    #[error("{0}")]
    Conflict(String),
    /// The writer has stopped, by an earlier error or because the application ends.
    #[error("the database can no longer be written: {0}")]
    Closed(String),
    /// Anything else the database says.
    #[error("the database could not be written: {0}")]
    Other(String),
}

/// The result of an append, when it is there.
pub type Appended<'a> = Pin<Box<dyn Future<Output = Result<(), JournalError>> + Send + 'a>>;

/// The append-only history.
pub trait Journal: Send + Sync {
    /// Writes a batch after all batches before it. The batch is in the queue when this returns, before the future is
    /// polled; the future is ready when the asked-for durability is reached. After a failure every later append fails
    /// too, so that no event is ever missing between two that are there. A [`JournalError::Conflict`] alone refuses its
    /// own batch and nothing else: what may conflict is appended with [`Durability::Committed`] or more, and waited for.
    fn append(&self, batch: Batch, durability: Durability) -> Appended<'_>;
}
