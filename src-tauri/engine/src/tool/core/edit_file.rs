//! `edit_file`: replaces a text in a file, or several at once, or the whole.

mod replace;

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Stop, arguments_of, existing, in_workspace, spec, text_of, worked};
use crate::texts::literal;
use crate::tool::change::{New, replace};
use crate::tool::present::cut;
use crate::tool::preview::{NoPreview, Preview};
use crate::tool::workspace::{Place, PlaceError, Workspace};
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use replace::{Done, EditError, Replacement};

/// Its name.
pub const EDIT_FILE: &str = "edit_file";

/// Contents up to so many bytes are part of the output.
const CONTENT_LIMIT: usize = 16 * 1024;

/// Characters of the file as it is now that a model is shown.
const SHOWN: usize = 1500;

/// Changes a file.
pub struct EditFile(ToolSpec);

impl Default for EditFile {
    fn default() -> Self {
        let parameters = literal!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "the file"},
                "old_string": {
                    "type": "string",
                    "description": "the text to replace, exactly as it is in the file; without it the whole file is replaced"
                },
                "new_string": {"type": "string", "description": "the new text"},
                "replace_all": {"type": "boolean", "default": false},
                "edits": {
                    "type": "array",
                    "minItems": 1,
                    "description": "several replacements instead, all or none",
                    "items": {
                        "type": "object",
                        "properties": {
                            "old_string": {"type": "string"},
                            "new_string": {"type": "string"},
                            "replace_all": {"type": "boolean"}
                        },
                        "required": ["old_string", "new_string"],
                        "additionalProperties": false
                    }
                }
            },
            "required": ["path"],
            "additionalProperties": false
        });
        let description = "Replace a text in an existing file by another. \
            old_string must be in the file exactly once, or set replace_all.";
        Self(spec(EDIT_FILE, Risk::Write, description, parameters))
    }
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    old_string: Option<String>,
    new_string: Option<String>,
    #[serde(default)]
    replace_all: bool,
    edits: Option<Vec<Replacement>>,
}

/// What is to become of the text.
enum Change {
    Whole(String),
    One(Replacement),
    Several(Vec<Replacement>),
}

impl Arguments {
    /// The path, and what is to become of the text there.
    fn change(self) -> Result<(String, Change), &'static str> {
        let change = match (self.edits, self.old_string, self.new_string) {
            (Some(edits), None, None) => Change::Several(edits),
            (Some(_), ..) => {
                return Err(
                    "give edits, or old_string and new_string, not both: which of them comes first is not said",
                );
            }
            (None, None, Some(new)) => Change::Whole(new),
            (None, Some(old), Some(new)) if old.is_empty() => Change::Whole(new),
            (None, Some(old_string), Some(new_string)) => {
                Change::One(Replacement { old_string, new_string, replace_all: self.replace_all })
            }
            (None, _, None) => return Err("give old_string and new_string, or edits"),
        };
        Ok((self.path, change))
    }
}

#[async_trait]
impl Tool for EditFile {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["path", "old_string", "new_string", "replace_all"]
    }

    /// Without the old text the whole file would be replaced by a line that was meant for one place in it.
    fn hold_small(&self, parameters: &mut Value) {
        parameters["required"] = json!(["path", "old_string", "new_string"]);
        parameters["properties"]["old_string"]["minLength"] = json!(1);
    }

    fn effects(&self, arguments: &Value) -> Effects {
        let path: Vec<String> = text_of(arguments, "path").into_iter().collect();
        let looks =
            text_of(arguments, "old_string").is_some_and(|old| !old.is_empty()) || arguments["edits"].is_array();
        let reads = if looks { path.clone() } else { Vec::new() };
        Effects { reads, writes: path, ..Effects::none(Risk::Write) }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        in_workspace(arguments, context, edit)
    }

    /// The text that is replaced is there once, and gone then, unless what takes its place has it in it.
    fn can_be_repeated(&self, arguments: &Value) -> bool {
        let change = arguments_of::<Arguments>(arguments).ok().and_then(|arguments| arguments.change().ok());
        let is_gone = |edits: &[Replacement]| {
            let stays = |old: &Replacement| edits.iter().any(|edit| edit.new_string.contains(&old.old_string));
            !edits.iter().any(stays)
        };
        match change {
            Some((_, Change::Whole(_))) => true,
            Some((_, Change::One(edit))) => is_gone(std::slice::from_ref(&edit)),
            Some((_, Change::Several(edits))) => is_gone(&edits),
            None => false,
        }
    }

    fn preview(&self, arguments: &Value, workspace: &Workspace) -> Result<Preview, NoPreview> {
        let arguments: Arguments = arguments_of(arguments)?;
        let (path, change) = arguments.change().map_err(|problem| NoPreview::Unfit(problem.to_owned()))?;
        match change {
            Change::Whole(text) => Preview::of_whole(workspace, &path, text),
            Change::One(edit) => Preview::of_edit(workspace, &path, |text| Ok(edit.apply(text)?.text)),
            Change::Several(edits) => Preview::of_edit(workspace, &path, |text| Ok(all(&edits, text)?.text)),
        }
    }

    fn present(&self, output: &Value) -> String {
        let path = output["path"].as_str().unwrap_or_default();
        let done = match output["mode"].as_str() {
            Some("overwrite") => format!("Wrote {path} ({} bytes).", output["bytes_written"]),
            Some("multiedit") => {
                let (edits, places) = (&output["edits_applied"], &output["total_matches_replaced"]);
                format!("Edited {path}: {edits} edits, {places} places replaced.")
            }
            _ => {
                format!("Edited {path}: {} of {} places replaced.", output["matches_replaced"], output["matches_found"])
            }
        };
        // Without the text as it is now, the second of two edits is claimed and not made.
        match output["new_content"].as_str() {
            Some(now) => format!("{done} It is now:\n{}", cut(now, SHOWN)),
            None => done,
        }
    }
}

fn edit(arguments: Arguments, workspace: &Workspace, context: &CallContext) -> Result<Outcome, Stop> {
    let (path, change) = arguments.change().map_err(|problem| Stop::Told(problem.to_owned()))?;
    match change {
        Change::Whole(text) => overwrite(&path, &text, workspace, context),
        Change::One(edit) => one(&path, &edit, workspace, context),
        Change::Several(edits) => several(&path, &edits, workspace, context),
    }
}

/// Makes one replacement after the other.
fn all(edits: &[Replacement], text: &str) -> Result<Done, EditError> {
    let mut made = Done { text: text.to_owned(), found: 0, replaced: 0 };
    for (index, edit) in edits.iter().enumerate() {
        let done = edit
            .apply(&made.text)
            .map_err(|error| EditError::Numbered { number: index + 1, error: Box::new(error) })?;
        made = Done { text: done.text, found: made.found + done.found, replaced: made.replaced + done.replaced };
    }
    Ok(made)
}

fn overwrite(path: &str, text: &str, workspace: &Workspace, context: &CallContext) -> Result<Outcome, Stop> {
    let place = workspace.target(path)?;
    let new = New { bytes: text.as_bytes(), made_from: None, make_folders: true };
    replace(workspace, context, &place, new)?;
    let mut output = head(&place, "overwrite");
    output.insert("bytes_written".to_owned(), text.len().into());
    Ok(worked(output))
}

fn one(path: &str, edit: &Replacement, workspace: &Workspace, context: &CallContext) -> Result<Outcome, Stop> {
    let (place, before) = text_at(path, workspace)?;
    let done = edit.apply(&before)?;
    let new = New { bytes: done.text.as_bytes(), made_from: Some(before.as_bytes()), make_folders: false };
    replace(workspace, context, &place, new)?;
    let mut output = head(&place, "edit");
    output.insert("matches_found".to_owned(), done.found.into());
    output.insert("matches_replaced".to_owned(), done.replaced.into());
    add_contents(&mut output, &before, &done.text);
    Ok(worked(output))
}

fn several(path: &str, edits: &[Replacement], workspace: &Workspace, context: &CallContext) -> Result<Outcome, Stop> {
    let (place, before) = text_at(path, workspace)?;
    let done = all(edits, &before)?;
    let new = New { bytes: done.text.as_bytes(), made_from: Some(before.as_bytes()), make_folders: false };
    replace(workspace, context, &place, new)?;
    let mut output = head(&place, "multiedit");
    output.insert("edits_applied".to_owned(), edits.len().into());
    output.insert("total_matches_found".to_owned(), done.found.into());
    output.insert("total_matches_replaced".to_owned(), done.replaced.into());
    add_contents(&mut output, &before, &done.text);
    Ok(worked(output))
}

fn text_at(path: &str, workspace: &Workspace) -> Result<(Place, String), Stop> {
    let place = existing(workspace, path)?;
    let bytes = workspace.read_whole(&place)?;
    let text = String::from_utf8(bytes).map_err(|_| PlaceError::NotText { path: place.shown() })?;
    Ok((place, text))
}

fn head(place: &Place, mode: &str) -> Map<String, Value> {
    let fields = [
        ("success", Value::Bool(true)),
        ("path", place.shown().into()),
        ("absolute_path", place.absolute().display().to_string().into()),
        ("mode", mode.into()),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn add_contents(output: &mut Map<String, Value>, before: &str, after: &str) {
    if before.len().max(after.len()) <= CONTENT_LIMIT {
        output.insert("old_content".to_owned(), before.into());
        output.insert("new_content".to_owned(), after.into());
    }
}
