//! Changing a file so that it can be taken back.

use thiserror::Error;

use super::FileHistory;
use super::workspace::{Kind, Place, PlaceError, Workspace};

/// Why a file was not changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ChangeError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Nothing is changed that could not be undone.
    #[error("nothing was changed: what was in {path} could not be kept for undo_edit: {reason}")]
    NotKept {
        /// The file.
        path: String,
        /// What the history said.
        reason: String,
    },
    /// There is nothing to take back.
    #[error("nothing to undo: {path} was not changed by a tool, or everything was taken back")]
    NothingToUndo {
        /// The file.
        path: String,
    },
}

/// Remembers what a file holds, then replaces it in one step. When the write fails nothing has changed and nothing is
/// remembered.
///
/// # Errors
/// [`ChangeError`], and the file is as it was.
pub fn replace(
    workspace: &Workspace,
    history: &dyn FileHistory,
    place: &Place,
    bytes: &[u8],
    make_folders: bool,
) -> Result<(), ChangeError> {
    let before = match workspace.kind(place)? {
        Some(Kind::File(_)) => Some(workspace.read_whole(place)?),
        Some(Kind::Folder) => return Err(PlaceError::IsFolder { path: place.shown() }.into()),
        Some(Kind::Other) => return Err(PlaceError::NotRegular { path: place.shown() }.into()),
        None => None,
    };
    history
        .remember(place.absolute(), before.as_deref())
        .map_err(|reason| ChangeError::NotKept { path: place.shown(), reason: reason.to_string() })?;
    workspace.write(place, bytes, make_folders).map_err(|error| {
        // An entry that stays behind would only make the next undo restore what is there anyway.
        let _ = history.take_back(place.absolute());
        error.into()
    })
}

/// What taking back did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    /// The earlier content is there again.
    Restored,
    /// The file had been made, and is gone again.
    Removed,
}

/// Takes back the last change of a file that a tool made: an edit, an overwriting, or its creation.
///
/// # Errors
/// [`ChangeError`], and the file is as it was.
pub fn undo(workspace: &Workspace, history: &dyn FileHistory, place: &Place) -> Result<Undone, ChangeError> {
    let not_kept = |reason: String| ChangeError::NotKept { path: place.shown(), reason };
    let kind = workspace.kind(place)?;
    match kind {
        Some(Kind::Folder) => return Err(PlaceError::IsFolder { path: place.shown() }.into()),
        Some(Kind::Other) => return Err(PlaceError::NotRegular { path: place.shown() }.into()),
        Some(Kind::File(_)) | None => {}
    }
    let Some(before) = history.take_back(place.absolute()).map_err(|reason| not_kept(reason.to_string()))? else {
        return Err(match kind {
            None => PlaceError::NotFound { path: place.shown() }.into(),
            Some(_) => ChangeError::NothingToUndo { path: place.shown() },
        });
    };
    let done = match &before {
        Some(bytes) => workspace.write(place, bytes, true).map(|()| Undone::Restored),
        None if kind.is_none() => Ok(Undone::Removed),
        None => workspace.remove(place).map(|()| Undone::Removed),
    };
    done.map_err(|error| {
        // The entry goes back, so that a second try can still undo.
        let _ = history.remember(place.absolute(), before.as_deref());
        error.into()
    })
}
