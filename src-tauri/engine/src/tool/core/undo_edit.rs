//! `undo_edit`: takes back the last change of a file.

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{in_workspace, spec, text_of, worked};
use crate::texts::literal;
use crate::tool::change::{Undone, undo};
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// Takes back what `edit_file` or `create_file` did last.
pub struct UndoEdit(ToolSpec);

impl Default for UndoEdit {
    fn default() -> Self {
        let parameters = literal!({
            "type": "object",
            "properties": {"path": {"type": "string", "description": "the changed file"}},
            "required": ["path"],
            "additionalProperties": false
        });
        let description = "Take back the last change of a file made by edit_file or create_file. A file that was made then is removed.";
        Self(spec("undo_edit", Risk::Write, description, parameters))
    }
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
}

#[async_trait]
impl Tool for UndoEdit {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { writes: text_of(arguments, "path").into_iter().collect(), ..Effects::none(Risk::Write) }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        in_workspace(arguments, context, |arguments: Arguments, workspace, context| {
            let place = workspace.target(&arguments.path)?;
            let message = match undo(workspace, context, &place)? {
                Undone::Restored => "Reverted to previous content",
                Undone::Removed => "Removed the file, which the last change had made",
            };
            Ok(worked(json!({"success": true, "path": place.shown(), "message": message})))
        })
    }

    fn present(&self, output: &Value) -> String {
        let text = |name: &str| output[name].as_str().unwrap_or_default().to_owned();
        format!("{}: {}.", text("path"), text("message"))
    }
}
