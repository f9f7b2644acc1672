//! Finding example plans by the words of a message, and an overview of a workspace. Local, without a model or a file.
//! Tools are found by `assent_core::discovery`, which knows their fields.
//!
//! The ranking is BM25 in Lucene's form; an exact name comes first. The same documents and query always give the same
//! order, whatever was added or removed in between.

mod index;
mod overview;
mod words;

pub use index::{Document, Hit, Index};
pub use overview::{Detail, workspace_files, workspace_overview};
