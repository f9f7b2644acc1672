//! What Assent remembers beside its history: facts about tools, and what was done with them.
//!
//! Remembering never delays or fails what is remembered, and recalling never fails what asks: it says that it is
//! degraded instead. Never here: models, tools' doings, the executor.

mod recall;

pub use recall::{Recall, Recalled, Recalls};
