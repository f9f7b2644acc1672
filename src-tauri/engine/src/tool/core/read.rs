//! `read`: a text file, or the names in a folder.

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Stop, existing, in_workspace, spec, text_of, worked};
use crate::tool::present::one_line;
use crate::tool::workspace::{Kind, MAX_FILE_BYTES, PlaceError, Workspace};
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// More names of a folder are not given.
const MAX_ENTRIES: usize = 2000;

/// Gives a file's content, or a folder's names.
pub struct Read(ToolSpec);

impl Default for Read {
    fn default() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "file or folder, such as notes.md"},
                "max_bytes": {"type": "integer", "minimum": 1, "default": 1_048_576}
            },
            "required": ["path"],
            "additionalProperties": false
        });
        Self(spec("read", Risk::Read, "Read a text file, or list the names in a folder.", parameters))
    }
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    #[serde(default = "default_max_bytes")]
    max_bytes: u64,
}

fn default_max_bytes() -> u64 {
    1_048_576
}

#[async_trait]
impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["path"]
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { reads: text_of(arguments, "path").into_iter().collect(), ..Effects::none(Risk::Read) }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        in_workspace(arguments, context, |arguments: Arguments, workspace, _| read(&arguments, workspace)).await
    }

    fn present(&self, output: &Value) -> String {
        let truncated = output["truncated"].as_bool() == Some(true);
        if let Some(content) = output["content"].as_str() {
            return match (content, truncated) {
                ("", _) => "(empty file)".to_owned(),
                (content, false) => content.to_owned(),
                (content, true) => {
                    format!(
                        "{content}\n[cut here: {} bytes in all; use grep or bash for the rest]",
                        output["size_bytes"]
                    )
                }
            };
        }
        let entries = output["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut names: Vec<String> = entries
            .iter()
            .map(|entry| {
                let name = one_line(entry["name"].as_str().unwrap_or_default());
                if entry["type"] == "directory" { format!("{name}/") } else { name }
            })
            .collect();
        match (names.is_empty(), truncated) {
            (true, _) => return "(empty folder)".to_owned(),
            (false, true) => names.push("[more names are left out]".to_owned()),
            (false, false) => {}
        }
        names.join("\n")
    }
}

fn read(arguments: &Arguments, workspace: &Workspace) -> Result<Outcome, Stop> {
    let place = existing(workspace, &arguments.path)?;
    if workspace.kind(&place)? == Some(Kind::Folder) {
        let names = workspace.list(&place)?;
        let shown: Vec<Value> =
            names.iter().take(MAX_ENTRIES).map(|(name, kind)| json!({"name": name, "type": kind})).collect();
        return Ok(worked(json!({
            "type": "directory",
            "path": place.shown(),
            "entries": shown,
            "truncated": names.len() > MAX_ENTRIES,
        })));
    }
    let (bytes, size) = workspace.read(&place, arguments.max_bytes.min(MAX_FILE_BYTES))?;
    let truncated = (bytes.len() as u64) < size;
    let content = text(bytes, truncated).ok_or_else(|| PlaceError::NotText { path: place.shown() })?;
    Ok(worked(json!({
        "type": "file",
        "path": place.shown(),
        "content": content,
        "truncated": truncated,
        "size_bytes": size,
    })))
}

/// The bytes as text; the beginning of a character at the very end is dropped where the rest of it was cut off.
fn text(bytes: Vec<u8>, cut: bool) -> Option<String> {
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Some(text),
        Err(error) => error,
    };
    let valid = error.utf8_error().valid_up_to();
    let only_the_end_is_cut = cut && error.utf8_error().error_len().is_none();
    let mut bytes = error.into_bytes();
    bytes.truncate(valid);
    if only_the_end_is_cut { String::from_utf8(bytes).ok() } else { None }
}
