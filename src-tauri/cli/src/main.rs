//! The `assent` command: the engine without a window.

fn main() {}
