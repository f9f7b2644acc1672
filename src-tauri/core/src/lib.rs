//! The pure heart of Assent: plans, contracts, the heap of specialists, and runs folded from events.
//!
//! Nothing here does IO, spawns anything, reads a clock or draws a random number: whatever changes comes in as an
//! argument. Modules in import order; one may use those above it, never those below.

#![deny(missing_docs)]

pub mod ids;

pub mod order;

pub mod contract;

pub mod discovery;

pub mod plan;

pub mod heap;

pub mod run;
