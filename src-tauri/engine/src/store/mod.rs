//! The one local SQLite file: the journal, the rows that lists and filters need, full-text search, and run locks.
//!
//! One writer thread owns the writing connection; readers have their own. Rows for sessions, runs, steps and requests
//! are written in the same transaction as the events they are folded from. Never here: models, tools, the executor.

mod read;

pub use read::{
    Blobs, Changes, Comment, FileHistory, Hit, HitKind, ListFilter, PlanDraft, Plans, RequestRow, Requests, RunRow,
    Runs, SessionRow, Sessions, Settings, StoreError,
};
