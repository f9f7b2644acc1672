//! Finding tools by what is wanted: exact names first, then a ranking by words, then what past runs teach.
//!
//! No model, no file, no network: the index is built of the tools' own texts, one tool at a time. The same tools and
//! request always give the same order, whatever was added or removed in between. Tools' texts and requests are
//! hostile: whatever their size or shape, work is bounded and nothing panics.
//!
//! How methods and weights were chosen: `bench/retrieval/FINDINGS.md`.

mod words;

mod cues;
mod document;
mod likeness;
mod request;

mod index;
mod learned;
mod rank;

mod tools;

pub use document::Document;
pub use index::{Hit, Index};
pub use learned::Learned;
pub use likeness::Likeness;
pub use rank::{Reason, Reasons};
pub use tools::{Filter, Found, Nothing, Query, Standing, ToolMatch, Tools};
pub use words::{is_stop_word, joins, stands_for, stems};

#[cfg(test)]
mod tests;
