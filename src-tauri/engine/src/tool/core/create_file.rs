//! `create_file`: a file with a given text.

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Stop, arguments_of, in_workspace, spec, text_of, worked};
use crate::texts::literal;
use crate::tool::change::{New, replace};
use crate::tool::preview::{NoPreview, Preview};
use crate::tool::workspace::Workspace;
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// Writes a whole file.
pub struct CreateFile(ToolSpec);

impl Default for CreateFile {
    fn default() -> Self {
        let parameters = literal!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "the file, such as notes.md"},
                "content": {"type": "string", "description": "the whole text"},
                "create_dirs": {"type": "boolean", "default": true}
            },
            "required": ["path", "content"],
            "additionalProperties": false
        });
        let description = "Write a new file whose text you know or that is made from earlier results. \
            content is its whole text; what was in the file is replaced.";
        Self(spec("create_file", Risk::Write, description, parameters))
    }
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    content: String,
    #[serde(default = "yes")]
    create_dirs: bool,
}

fn yes() -> bool {
    true
}

#[async_trait]
impl Tool for CreateFile {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["path", "content"]
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { writes: text_of(arguments, "path").into_iter().collect(), ..Effects::none(Risk::Write) }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        in_workspace(arguments, context, create)
    }

    fn can_be_repeated(&self, _arguments: &Value) -> bool {
        true
    }

    fn preview(&self, arguments: &Value, workspace: &Workspace) -> Result<Preview, NoPreview> {
        let arguments: Arguments = arguments_of(arguments)?;
        Preview::of_whole(workspace, &arguments.path, arguments.content)
    }

    fn present(&self, output: &Value) -> String {
        format!("Wrote {} ({} bytes).", output["path"].as_str().unwrap_or_default(), output["bytes_written"])
    }
}

fn create(arguments: Arguments, workspace: &Workspace, context: &CallContext) -> Result<Outcome, Stop> {
    let place = workspace.target(&arguments.path)?;
    let new = New { bytes: arguments.content.as_bytes(), made_from: None, make_folders: arguments.create_dirs };
    replace(workspace, context, &place, new)?;
    let bytes = arguments.content.len();
    Ok(worked(json!({
        "success": true,
        "path": place.shown(),
        "absolute_path": place.absolute().display().to_string(),
        "bytes_written": bytes,
        "size": bytes,
    })))
}
