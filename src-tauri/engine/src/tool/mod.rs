//! Tools: what they are, what they may touch, and the catalogue of all of them.
//!
//! A tool never decides whether it may run: scope, arguments, grounding and permission are checked before it is
//! called, and the ledger is written around it. Never here: plan parsing, the executor.

mod call;
mod catalogue;
mod change;

pub mod arguments;
pub mod core;
pub mod crawl;
pub mod described;
pub mod folders;
pub mod grounding;
mod help;
pub mod human;
pub mod look;
pub mod meant;
pub mod meta;
pub mod permission;
pub mod present;
pub mod preview;
pub mod sandbox;
pub mod scope;
pub(crate) mod secrets;
pub(crate) mod shelf;
mod wanted;
pub mod workspace;

#[cfg(test)]
pub(crate) mod testing;

pub use call::{Ask, CallContext, Changed, Effects, Outcome, Progress, Tool, ToolStop};
pub use catalogue::{Catalogue, CatalogueError, Small};
pub use core::{CORE_TOOLS, core_tools};
pub use help::RequestUserHelp;
pub use human::human_tools;

pub use crate::store::FileHistory;
