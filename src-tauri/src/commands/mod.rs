//! What the page may ask: one file a group of commands, each a conversion, one call into the engine, a conversion.

pub mod contents;
pub mod desktop;
mod exact;
pub mod files;
pub mod library;
pub mod memory;
pub mod messages;
pub mod models;
pub mod plans;
pub mod requests;
pub mod runs;
pub mod sessions;
pub mod settings;
pub mod stream;
pub mod tools;
pub mod vault;

use tauri::State;

use crate::shell::Shell;
use crate::wire::Failure;

/// What every command gets.
type Here<'s> = State<'s, Shell>;

/// What every command gives.
type Answered<T> = Result<T, Failure>;
