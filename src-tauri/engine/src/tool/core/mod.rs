//! The tools of the workspace: one a file.
//!
//! They never leave the workspace, never decide whether they may run, and bound what they give: what is cut is said.

mod bash;
mod create_file;
mod edit_file;
mod finder;
mod glob;
mod grep;
mod read;
mod search;
mod undo_edit;

use std::sync::Arc;

use assent_core::contract::{Risk, Source, ToolSpec};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::preview::NoPreview;
use super::workspace::{Place, PlaceError, Workspace};
use super::{CallContext, Outcome, Tool, ToolStop};

pub use bash::Bash;
pub use create_file::CreateFile;
pub use edit_file::{EDIT_FILE, EditFile};
pub use finder::Finder;
pub use glob::Glob;
pub use grep::Grep;
pub use read::{RESULT, Read};
pub use undo_edit::UndoEdit;

/// The names that a single agent always has, in order: seven tools of the workspace and two about tools.
pub const CORE_TOOLS: [&str; 9] =
    ["bash", EDIT_FILE, "create_file", "undo_edit", "glob", "grep", "finder", "tool_search", "tool_explain"];

/// The seven tools of the workspace, in the order of [`CORE_TOOLS`], and `read`.
pub fn core_tools() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Bash::default()),
        Arc::new(EditFile::default()),
        Arc::new(CreateFile::default()),
        Arc::new(UndoEdit::default()),
        Arc::new(Glob::default()),
        Arc::new(Grep::default()),
        Arc::new(Finder::default()),
        Arc::new(Read::default()),
    ]
}

fn spec(name: &str, risk: Risk, description: &str, parameters: Value) -> ToolSpec {
    ToolSpec::new(name, description, parameters, Source::Core, risk)
}

fn failed(message: impl std::fmt::Display) -> Outcome {
    Outcome::Error { message: message.to_string(), output: Value::Null }
}

fn worked(output: impl Serialize) -> Outcome {
    match serde_json::to_value(output) {
        Ok(output) => Outcome::Success(output),
        Err(error) => failed(format!("the result cannot be written down: {error}")),
    }
}

/// The text of an argument, where there is one.
fn text_of(arguments: &Value, name: &str) -> Option<String> {
    arguments.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// The arguments of a call that is only looked at.
fn arguments_of<A: DeserializeOwned>(arguments: &Value) -> Result<A, NoPreview> {
    serde_json::from_value(arguments.clone())
        .map_err(|error| NoPreview::Unfit(format!("the arguments cannot be read: {error}")))
}

/// Reads the arguments, opens the workspace and does the work.
fn in_workspace<A: DeserializeOwned>(
    arguments: Value,
    context: &CallContext,
    work: impl FnOnce(A, &Workspace, &CallContext) -> Result<Outcome, Stop>,
) -> Result<Outcome, ToolStop> {
    if context.cancel.is_cancelled() {
        return Err(ToolStop::Cancelled);
    }
    let arguments = match serde_json::from_value(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return Ok(failed(format!("the arguments cannot be read: {error}"))),
    };
    let workspace = Workspace::open(context)?;
    match work(arguments, &workspace, context) {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Told(message)) => Ok(failed(message)),
        Err(Stop::Cancelled) => Err(ToolStop::Cancelled),
    }
}

/// Something that is there; where it is not, the error names what is.
fn existing(workspace: &Workspace, path: &str) -> Result<Place, Stop> {
    workspace.existing(path).map_err(|error| match error {
        PlaceError::NotFound { .. } => Stop::Told(format!("{error}. {}", workspace.near(path))),
        other => other.into(),
    })
}

/// Why a tool's work ends early.
enum Stop {
    /// The model is told.
    Told(String),
    /// A person stopped it.
    Cancelled,
}

impl<E: std::error::Error> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Told(error.to_string())
    }
}

#[cfg(test)]
mod tests;
