//! Finding tools, example plans by the words of a message, and an overview of a workspace. Local, and without a model or
//! a file that would have to be there. Tools are ranked by `assent_core::discovery`, which knows their fields.
//!
//! The ranking of example plans is BM25 in Lucene's form. The same texts and query always give the same order.

mod directory;
mod index;
mod meaning;
mod meta;
mod overview;
mod teacher;
mod words;

pub use directory::{Directory, Lack};
pub(crate) use index::Index;
pub use meaning::Meaning;
pub use meta::meta_tools;
pub use overview::{Detail, text_for_change, workspace_files, workspace_overview};
pub use teacher::{Told, Untold};
