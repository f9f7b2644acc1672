//! One file per group of commands: convert, call the engine, show.

pub mod answer;
pub mod ask;
pub mod chat;
pub mod contract;
pub mod doctor;
pub mod edit;
pub mod eval;
pub mod explain;
pub mod follow;
pub mod heap;
pub mod library;
pub mod memory;
pub mod model;
pub mod offer;
pub mod plan;
pub mod retry;
pub mod sessions;
pub mod sources;
pub mod tools;
pub mod vault;
pub mod workflow;
