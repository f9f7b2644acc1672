//! `read`: a text file, or the names in a folder.

use std::ops::Range;

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Stop, existing, in_workspace, spec, text_of, worked};
use crate::texts::literal;
use crate::tool::present::one_line;
use crate::tool::secrets::holds_secrets;
use crate::tool::workspace::{MAX_FILE_BYTES, Place, PlaceError, Workspace};
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use crate::vault::Mask;

/// What the name of an earlier result begins with.
pub const RESULT: &str = "result:";

/// More names of a folder are not given.
const MAX_ENTRIES: usize = 2000;

/// Gives a file's content, or a folder's names.
pub struct Read(ToolSpec);

impl Default for Read {
    fn default() -> Self {
        let parameters = literal!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "file or folder, such as notes.md"},
                "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "byte to begin at, as the end of a cut text names it"},
                "max_bytes": {"type": "integer", "minimum": 1, "default": 1048576}
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
    #[serde(default)]
    offset: u64,
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

    fn is_brief(&self) -> bool {
        true
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects { reads: text_of(arguments, "path").into_iter().collect(), ..Effects::none(Risk::Read) }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        in_workspace(arguments, context, |arguments: Arguments, workspace, context| {
            match arguments.path.strip_prefix(RESULT) {
                Some(_) => read_result(&arguments, context),
                None => read(&arguments, workspace, context),
            }
        })
    }

    fn present(&self, output: &Value) -> String {
        let truncated = output["truncated"].as_bool() == Some(true);
        if let Some(content) = output["content"].as_str() {
            return match (content, truncated) {
                ("", _) if output["offset"].is_u64() => {
                    format!("(nothing there: {} bytes in all)", output["size_bytes"])
                }
                ("", _) => "(empty file)".to_owned(),
                (content, false) => content.to_owned(),
                (content, true) => {
                    format!(
                        "{content}\n[cut here: {} bytes in all; read on with offset {}, or use grep or bash]",
                        output["size_bytes"], output["next_offset"]
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

fn read(arguments: &Arguments, workspace: &Workspace, context: &CallContext) -> Result<Outcome, Stop> {
    let place = existing(workspace, &arguments.path)?;
    if holds_secrets(&place.shown()) && !holds_secrets(&arguments.path) {
        let (path, real) = (&arguments.path, place.shown());
        return Err(Stop::Told(format!("{path} leads to {real}, which may hold secrets: read it by that name")));
    }
    // What the part cuts in the middle of a secret is hidden too.
    let reach = context.mask.longest();
    let from = arguments.offset.saturating_sub(reach as u64);
    let before = arguments.offset - from;
    let limit = arguments.max_bytes.min(MAX_FILE_BYTES);
    let (bytes, size) = match workspace.read_from(&place, from, before + limit + reach as u64) {
        Err(PlaceError::IsFolder { .. }) => return names(workspace, &place),
        read => read?,
    };
    let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX).min(bytes.len());
    let (path, wanted) = (place.shown(), at(before)..at(before + limit));
    let part = Part { path: &path, offset: arguments.offset, around: &bytes, wanted, size };
    part.told(&context.mask).ok_or_else(|| PlaceError::NotText { path }.into())
}

/// The names in a folder.
fn names(workspace: &Workspace, place: &Place) -> Result<Outcome, Stop> {
    let names = workspace.list(place)?;
    let shown: Vec<Value> =
        names.iter().take(MAX_ENTRIES).map(|(name, kind)| json!({"name": name, "type": kind})).collect();
    Ok(worked(json!({
        "type": "directory",
        "path": place.shown(),
        "entries": shown,
        "truncated": names.len() > MAX_ENTRIES,
    })))
}

/// A part of an earlier result that was too long to be shown whole.
fn read_result(arguments: &Arguments, context: &CallContext) -> Result<Outcome, Stop> {
    let path = arguments.path.as_str();
    let Some(whole) = context.results.get(path) else {
        return Err(Stop::Told(format!("there is no {path}; the end of a cut result names it")));
    };
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(whole.len());
    let from = place(arguments.offset);
    let end = place(arguments.offset.saturating_add(arguments.max_bytes));
    let not_text = || Stop::Told(format!("{path} cannot be read as text"));
    let size = whole.len() as u64;
    let part = Part { path, offset: from as u64, around: whole.as_bytes(), wanted: from..end.max(from), size };
    part.told(&context.mask).ok_or_else(not_text)
}

/// A part of a text.
struct Part<'a> {
    path: &'a str,
    /// Where it begins in the whole.
    offset: u64,
    /// Its bytes, with some before and behind it.
    around: &'a [u8],
    wanted: Range<usize>,
    /// Bytes of the whole.
    size: u64,
}

impl Part<'_> {
    /// The part with where it goes on; nothing when it is no text. A character that the beginning cuts is left out.
    fn told(&self, mask: &Mask) -> Option<Outcome> {
        let (offset, size, bytes) = (self.offset, self.size, &self.around[self.wanted.clone()]);
        let continues = |byte: &u8| *byte & 0b1100_0000 == 0b1000_0000;
        let skipped = if offset == 0 { 0 } else { bytes.iter().take(3).take_while(|byte| continues(byte)).count() };
        let begins = offset + skipped as u64;
        let bytes = &bytes[skipped..];
        let length = text(bytes, begins + (bytes.len() as u64) < size)?.len();
        let next = begins + length as u64;
        let first = self.wanted.start + skipped;
        let content = String::from_utf8_lossy(&mask.part(self.around, first..first + length)).into_owned();
        let mut output = json!({
            "type": "file",
            "path": self.path,
            "content": content,
            "truncated": next < size,
            "size_bytes": size,
        });
        if offset > 0 {
            output["offset"] = begins.into();
        }
        if next < size {
            output["next_offset"] = next.into();
        }
        Some(worked(output))
    }
}

/// The bytes as text; the beginning of a character at the very end is dropped where the rest of it was cut off.
fn text(bytes: &[u8], cut: bool) -> Option<&str> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Some(text),
        Err(error) => error,
    };
    let only_the_end_is_cut = cut && error.error_len().is_none();
    if only_the_end_is_cut { std::str::from_utf8(&bytes[..error.valid_up_to()]).ok() } else { None }
}
