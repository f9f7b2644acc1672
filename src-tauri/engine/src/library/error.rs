//! Why a saved plan cannot be had, kept or changed.

use thiserror::Error;

use super::names::{MOST_TAGS, NAME_CHARS, TAG_CHARS};
use crate::store::StoreError;

/// Why a saved plan cannot be had, kept or changed.
#[derive(Debug, Error)]
pub enum LibraryError {
    /// It cannot be called so.
    #[error(
        "{shown:?} is no name of a saved plan: {why}; use one line of at most {NAME_CHARS} characters that can be seen"
    )]
    Name {
        /// As much of it as a message needs.
        shown: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is one of that name.
    #[error("there is already a saved plan {0:?}: use another name, or have it replaced")]
    Taken(String),
    /// It cannot be tagged so.
    #[error(
        "{shown:?} is no tag: {why}; a plan has at most {MOST_TAGS} tags of at most {TAG_CHARS} characters that can be seen, without commas"
    )]
    Tag {
        /// As much of it as a message needs.
        shown: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It is too long to be kept.
    #[error("the plan has {bytes} bytes, {most} can be kept: leave out what it does not need")]
    TooLong {
        /// What it has.
        bytes: usize,
        /// What it may have.
        most: usize,
    },
    /// Something could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
