//! Changing a file so that it can be taken back.

use assent_core::ids::Digest;
use thiserror::Error;

use super::CallContext;
use super::look::as_it_is;
use super::workspace::{Kind, Place, PlaceError, Workspace};
use crate::store::TakenBack;

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
    /// A person has approved a change of what was in it before.
    #[error(
        "nothing was changed: {path} is not as it was when a person approved this call. Look at the file again; where the call is still right, make it once more and they are asked about the file as it is now"
    )]
    NotAsApproved {
        /// The file.
        path: String,
    },
    /// Somebody else wrote it while the change was worked out.
    #[error("nothing was changed: something else changed {path} at the same moment; look at the file again")]
    Meanwhile {
        /// The file.
        path: String,
    },
    /// What somebody wrote after the change would be lost with it.
    #[error(
        "nothing was undone: {path} has been changed since, so that taking the earlier text back would lose what was written after it; look at the file, and change only what is meant"
    )]
    ChangedSince {
        /// The file.
        path: String,
    },
    /// There is nothing to take back.
    #[error("nothing to undo: {path} was not changed by a tool, or everything was taken back")]
    NothingToUndo {
        /// The file.
        path: String,
    },
}

/// What a file is to hold.
pub struct New<'a> {
    /// The whole of it.
    pub bytes: &'a [u8],
    /// What it was made from; nothing where it does not matter what was there.
    pub made_from: Option<&'a [u8]>,
    /// Whether folders that are not there are made.
    pub make_folders: bool,
}

/// Remembers what a file holds, then replaces it in one step. When the write fails nothing has changed and nothing is
/// remembered.
///
/// # Errors
/// [`ChangeError`], and the file is as it was.
pub fn replace(
    workspace: &Workspace,
    context: &CallContext,
    place: &Place,
    New { bytes, made_from, make_folders }: New<'_>,
) -> Result<(), ChangeError> {
    let history = context.history.as_ref();
    let before = match workspace.kind(place)? {
        Some(Kind::File(_)) => Some(workspace.read_whole(place)?),
        Some(Kind::Folder) => return Err(PlaceError::IsFolder { path: place.shown() }.into()),
        Some(Kind::Other) => return Err(PlaceError::NotRegular { path: place.shown() }.into()),
        None => None,
    };
    check_approved(context, place, before.as_deref())?;
    if made_from.is_some_and(|from| before.as_deref() != Some(from)) {
        return Err(ChangeError::Meanwhile { path: place.shown() });
    }
    history
        .remember(place.absolute(), before.as_deref(), bytes)
        .map_err(|reason| ChangeError::NotKept { path: place.shown(), reason: reason.to_string() })?;
    workspace.write(place, bytes, make_folders).map_err(|error| {
        // An entry that stays behind would only make the next undo restore what is there anyway.
        let _ = history.take_back(place.absolute(), Some(bytes));
        error.into()
    })
}

/// Whether a file is as it was when a person approved the call, where one did.
fn check_approved(context: &CallContext, place: &Place, before: Option<&[u8]>) -> Result<(), ChangeError> {
    let is_approved = |approved: &Digest| *approved == as_it_is(&place.shown(), before);
    if context.approved.as_ref().is_none_or(is_approved) {
        return Ok(());
    }
    Err(ChangeError::NotAsApproved { path: place.shown() })
}

/// What taking back did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    /// The earlier content is there again.
    Restored,
    /// The file had been made, and is gone again.
    Removed,
}

/// Takes back the last change of a file that a tool made: an edit, an overwriting, or its creation. Where somebody has
/// written the file since, it stays.
///
/// # Errors
/// [`ChangeError`], and the file is as it was.
pub fn undo(workspace: &Workspace, context: &CallContext, place: &Place) -> Result<Undone, ChangeError> {
    let history = context.history.as_ref();
    let not_kept = |reason: String| ChangeError::NotKept { path: place.shown(), reason };
    let kind = workspace.kind(place)?;
    match kind {
        Some(Kind::Folder) => return Err(PlaceError::IsFolder { path: place.shown() }.into()),
        Some(Kind::Other) => return Err(PlaceError::NotRegular { path: place.shown() }.into()),
        Some(Kind::File(_)) | None => {}
    }
    let now = kind.map(|_| workspace.read_whole(place)).transpose()?;
    check_approved(context, place, now.as_deref())?;
    let taken = history.take_back(place.absolute(), now.as_deref());
    let before = match taken.map_err(|reason| not_kept(reason.to_string()))? {
        TakenBack::Content(before) => before,
        TakenBack::ChangedSince => return Err(ChangeError::ChangedSince { path: place.shown() }),
        TakenBack::Nothing if kind.is_none() => return Err(PlaceError::NotFound { path: place.shown() }.into()),
        TakenBack::Nothing => return Err(ChangeError::NothingToUndo { path: place.shown() }),
    };
    let done = match &before {
        Some(bytes) => workspace.write(place, bytes, true).map(|()| Undone::Restored),
        None if kind.is_none() => Ok(Undone::Removed),
        None => workspace.remove(place).map(|()| Undone::Removed),
    };
    done.map_err(|error| {
        // The entry goes back, so that a second try can still undo.
        let _ = history.remember(place.absolute(), before.as_deref(), now.as_deref().unwrap_or_default());
        error.into()
    })
}
