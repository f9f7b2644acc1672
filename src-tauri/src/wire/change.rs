//! What a call would make of a file.

use assent_core::ids::Digest;
use assent_engine::tool::look::Look;
use assent_engine::tool::preview::{Comparison, NoPreview, Preview};
use assent_engine::tool::workspace::PlaceError;
use serde::Serialize;

/// A look at what a call would make of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileLook {
    /// What the person is shown.
    pub change: FileChange,
    /// Names what was seen: an approval that says it is refused once the file is another.
    pub seen: Digest,
}

impl From<Look> for FileLook {
    fn from(look: Look) -> Self {
        Self { change: look.found.into(), seen: look.digest }
    }
}

/// What a call would make of a file, as that is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FileChange {
    /// The call is not about the text of one file.
    None,
    /// It makes the file: nothing is there now.
    New {
        /// From the workspace.
        path: String,
    },
    /// It leaves the file with these differences; with none where it leaves it as it is.
    Changed {
        /// From the workspace.
        path: String,
        /// The lines.
        lines: Comparison,
    },
    /// There is nothing to compare.
    Unshown {
        /// Why.
        why: Unshown,
    },
}

/// Why there is nothing to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Unshown {
    /// The file is not there.
    Missing,
    /// It does not lie in the workspace, or is hidden.
    Outside,
    /// It is a folder.
    Folder,
    /// It holds no text.
    Binary,
    /// It is, or would be, too large to be compared.
    TooLarge,
    /// It cannot be read.
    Unreadable,
    /// The text that is to be replaced is not in it.
    NotThere,
    /// The text that is to be replaced is in it several times.
    Ambiguous,
    /// The arguments make no sense.
    Unfit,
}

impl From<Result<Preview, NoPreview>> for FileChange {
    fn from(seen: Result<Preview, NoPreview>) -> Self {
        let preview = match seen {
            Ok(preview) => preview,
            Err(NoPreview::Nothing) => return Self::None,
            Err(why) => return Self::Unshown { why: why.into() },
        };
        let lines = preview.compared();
        let path = preview.path;
        match lines {
            Some(lines) => Self::Changed { path, lines },
            None => Self::New { path },
        }
    }
}

impl From<NoPreview> for Unshown {
    fn from(why: NoPreview) -> Self {
        match why {
            NoPreview::NotThere => Self::NotThere,
            NoPreview::Ambiguous(_) => Self::Ambiguous,
            NoPreview::Unfit(_) | NoPreview::Nothing => Self::Unfit,
            NoPreview::Place(place) => match place {
                PlaceError::NotFound { .. } => Self::Missing,
                PlaceError::Outside { .. } => Self::Outside,
                PlaceError::IsFolder { .. } => Self::Folder,
                PlaceError::NotText { .. } => Self::Binary,
                PlaceError::TooLarge { .. } => Self::TooLarge,
                PlaceError::Empty => Self::Unfit,
                PlaceError::NotFolder { .. } | PlaceError::NotRegular { .. } | PlaceError::Refused { .. } => {
                    Self::Unreadable
                }
            },
        }
    }
}
