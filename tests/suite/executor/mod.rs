//! Runs through the public door, on the real store, with a model that a test writes.

mod again;
mod answers;
mod branches;
mod crash;
mod grounded;
mod held;
mod help;
mod ladder;
mod limits;
mod model;
mod record;
mod results;
mod small;
mod specialists;
mod speed;
mod support;
mod tools;
mod walls;
mod witness;
