//! Finding things by what they say: tools for a message, example plans for a task. Local, without a model or a file.
//!
//! The ranking is BM25 in Lucene's form over the parts of names, descriptions, and parameters; an exact name comes
//! first. The same documents and query always give the same order, whatever was added or removed in between.

mod index;
mod overview;
mod words;

pub use index::{Document, Hit, Index};
pub use overview::{Detail, workspace_files, workspace_overview};
