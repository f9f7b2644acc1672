//! Everything Assent does, without a window and without a command line.
//!
//! `engine::Engine` is the door; the modules stand in import order: one may use those above it, never those below.

#![deny(missing_docs)]

pub mod clock;

mod texts;

pub mod store;

pub mod model;

pub mod vault;

pub mod prompt;

pub mod tool;

pub mod memory;

pub mod discovery;

pub mod heap;

pub mod planner;

pub mod live;

pub mod executor;

pub mod turn;

pub mod library;

pub mod studio;

pub mod workflow;

pub mod engine;

pub use engine::Engine;
