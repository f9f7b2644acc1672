//! Where events go.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

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
    /// The batches that this one relies on; one of its own unless said otherwise.
    pub line: Line,
}

/// Batches of which each relies on those before it: what somebody writes who keeps a state in mind.
///
/// Once a batch of a line is lost, every later one of it is refused with the same error, so that no event is ever
/// missing between two that are there. Whoever wants to go on reads what is there and begins a new line. Other lines
/// are not touched. Clones are the same line.
#[derive(Debug, Clone, Default)]
pub struct Line(Arc<OnceLock<JournalError>>);

impl Line {
    /// Why nothing more can be added, once a batch of the line is lost.
    pub fn broken(&self) -> Option<&JournalError> {
        self.0.get()
    }

    /// Ends the line, because one of its batches is lost; what broke it first stays the reason.
    pub fn break_off(&self, error: &JournalError) {
        self.0.get_or_init(|| error.clone());
    }
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

/// Why nothing could be written. Nothing of the batch is there, unless the error says that this is not known; what was
/// committed before is there.
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
    /// The system could not say whether the disk has it: not there now, but perhaps there after a loss of power.
    #[error("the disk did not confirm what was written ({0}): look whether it is there before you do it again")]
    Unsure(String),
    /// The writer has stopped, because the application ends.
    #[error("the database can no longer be written: {0}")]
    Closed(String),
    /// Anything else the database says.
    #[error("the database could not be written: {0}")]
    Other(String),
}

impl JournalError {
    /// Whether the same can be written later.
    pub fn passes(&self) -> bool {
        matches!(self, Self::Full | Self::Locked | Self::Unsure(_) | Self::Closed(_))
    }
}

/// The result of an append, when it is there.
pub type Appended<'a> = Pin<Box<dyn Future<Output = Result<(), JournalError>> + Send + 'a>>;

/// The append-only history.
pub trait Journal: Send + Sync {
    /// Writes a batch after all batches before it. The batch is in the queue when this returns, before the future is
    /// polled; the future is ready when the asked-for durability is reached. A failure is the end of the batch's
    /// [`Line`], so that what was queued and lost is told by the next append of its line; batches of other lines, and
    /// new lines, are tried as if nothing had happened. Only a damaged file is never written again. A
    /// [`JournalError::Conflict`] of a batch that is waited for leaves its line whole.
    fn append(&self, batch: Batch, durability: Durability) -> Appended<'_>;
}
