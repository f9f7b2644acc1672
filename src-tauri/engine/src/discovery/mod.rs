//! Finding example plans by the words of a message, and an overview of a workspace. Local, without a model or a file.
//! Tools are found by `assent_core::discovery`, which knows their fields.
//!
//! The ranking is BM25 in Lucene's form. The same texts and query always give the same order.

mod index;
mod overview;
mod words;

pub(crate) use index::Index;
pub use overview::{Detail, workspace_files, workspace_overview};
