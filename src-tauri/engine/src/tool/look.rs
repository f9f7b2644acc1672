//! A look at the file that a call would change, and the file's identity: what a person approves is what they saw.

use std::path::Path;

use assent_core::ids::Digest;
use serde_json::{Value, json};

use super::Tool;
use super::preview::{NoPreview, Preview};
use super::workspace::{Kind, Place, PlaceError, Workspace};

/// What a call would make of a file, as that was when somebody looked.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The file before and after, or why there is nothing to compare.
    pub found: Result<Preview, NoPreview>,
    /// Another one where anything of it is different.
    pub digest: Digest,
    /// The file as it was; nothing where the call is not about one file.
    pub file: Option<Digest>,
    /// The command line that the call would run.
    pub command: Option<String>,
}

impl Look {
    /// Looks at what a call would do in a folder.
    pub fn at(folder: &Path, hidden: &[std::path::PathBuf], tool: &dyn Tool, arguments: &Value) -> Self {
        let refused = |error: std::io::Error| PlaceError::Refused {
            path: folder.display().to_string(),
            reason: error.to_string(),
        };
        let opened = Workspace::at(folder, hidden).map_err(|error| NoPreview::from(refused(error)));
        let found = opened.as_ref().map_err(Clone::clone).and_then(|workspace| tool.preview(arguments, workspace));
        let effects = tool.effects(arguments);
        let file = match (&found, &opened) {
            // The file that a call takes back a change of counts as well, although what it would hold is not known yet.
            (Err(NoPreview::Nothing), _) if effects.writes.len() != 1 => None,
            // What was compared is what counts, whatever has happened to the file since.
            (Ok(Preview { path, before, .. }), _) => Some(as_it_is(path, before.as_deref().map(str::as_bytes))),
            (Err(_), Ok(workspace)) => effects.writes.first().map(|path| uncompared(workspace, path)),
            (Err(why), Err(_)) => Some(as_it_is(&why.to_string(), None)),
        };
        let seen = match &found {
            Ok(Preview { path, before, after }) => json!([path, before, after]),
            Err(why) => json!([why.to_string(), file.as_ref().map(Digest::as_str)]),
        };
        Self { found, digest: Digest::of_json(&seen), file, command: effects.command }
    }

    /// Of a request that is about no file.
    pub fn at_no_file(command: Option<String>) -> Self {
        let found = NoPreview::Nothing;
        Self { digest: Digest::of_json(&json!(found.to_string())), found: Err(found), file: None, command }
    }
}

/// Names a file by its path from the workspace and what is in it; `None` where nothing is there.
pub(super) fn as_it_is(path: &str, bytes: Option<&[u8]>) -> Digest {
    Digest::of_json(&json!([path, bytes.map(Digest::of_bytes)]))
}

/// A file that cannot be shown; one that cannot be read either is named by the reason.
fn uncompared(workspace: &Workspace, path: &str) -> Digest {
    let read = |place: &Place| match workspace.kind(place)? {
        Some(Kind::File(_)) => workspace.read_whole(place).map(Some),
        _ => Ok(None),
    };
    let found = workspace.target(path).and_then(|place| Ok((place.shown(), read(&place)?)));
    match found {
        Ok((path, bytes)) => as_it_is(&path, bytes.as_deref()),
        Err(error) => as_it_is(&error.to_string(), None),
    }
}
