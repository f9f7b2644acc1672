//! What the style guide promises, checked on the sources themselves. Every check is a function from text to complaints,
//! tried on bad samples beside it, and then run on the tree.

mod additive;
mod dependencies;
mod experiments;
mod imports;
mod layout;
mod migrations;
mod prompts;
mod scan;
mod setup;
mod shell;
mod tree;
mod words;

/// Fails the test with one complaint a line.
#[track_caller]
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
