//! What a call would make of a file, for the person who is asked about it: found by the code that makes it, compared
//! line by line.
//!
//! Only reads, and only inside the workspace. Everything is bounded: the file, the lines that are given, their lengths,
//! the time for comparing.

use std::time::Duration;

use serde::Serialize;
use similar::{Algorithm, ChangeTag, TextDiff};
use thiserror::Error;

use super::workspace::{Kind, Place, PlaceError, Workspace};

/// A longer text is not compared: 1 MiB.
const MOST_BYTES: u64 = 1 << 20;
/// So many unchanged lines are shown around what changes.
const AROUND: usize = 3;
/// More lines are not given.
const MOST_LINES: usize = 2000;
/// Characters of a line that are given.
const LONGEST: usize = 400;
/// After this the comparison gets coarser instead of longer.
const PATIENCE: Duration = Duration::from_millis(300);

/// A file before and after a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// From the workspace.
    pub path: String,
    /// What is in it; nothing where the call makes it.
    pub before: Option<String>,
    /// What the call would leave in it.
    pub after: String,
}

/// Why there is nothing to compare.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoPreview {
    /// The call is not about the text of one file.
    #[error("this call changes no file that could be compared")]
    Nothing,
    /// The file is none that could be shown.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The text that is to be replaced is not in the file.
    #[error("the text to replace is not in the file")]
    NotThere,
    /// The text that is to be replaced is in the file several times.
    #[error("the text to replace is in the file {0} times")]
    Ambiguous(usize),
    /// The arguments make no sense.
    #[error("{0}")]
    Unfit(String),
}

/// The lines in which two texts differ, with those around them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// How many lines come.
    pub added: usize,
    /// How many lines go.
    pub removed: usize,
    /// Places of the file, from the top; between them nothing changes.
    pub blocks: Vec<Vec<Line>>,
    /// So many lines more belong to it and are not given.
    pub left_out: usize,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// What becomes of it.
    pub fate: Fate,
    /// Its number, from 1: in the new text, or for a line that goes in the old one.
    pub number: usize,
    /// Its text, without the line feed at its end.
    pub text: String,
    /// Whether the text goes on.
    pub cut: bool,
    /// Whether the file ends with it, without a line feed.
    pub open_end: bool,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It stays.
    Same,
    /// It comes.
    Added,
    /// It goes.
    Removed,
}

impl Preview {
    /// Of a call that leaves exactly `after` in a file, whatever was there.
    pub(super) fn of_whole(workspace: &Workspace, path: &str, after: String) -> Result<Self, NoPreview> {
        let place = workspace.target(path)?;
        let before = if workspace.kind(&place)?.is_some() { Some(text_at(workspace, &place)?) } else { None };
        Self::of(&place, before, after)
    }

    /// Of a call that changes the text of a file that is there.
    pub(super) fn of_edit(
        workspace: &Workspace,
        path: &str,
        edit: impl FnOnce(&str) -> Result<String, NoPreview>,
    ) -> Result<Self, NoPreview> {
        let place = workspace.existing(path)?;
        let before = text_at(workspace, &place)?;
        let after = edit(&before)?;
        Self::of(&place, Some(before), after)
    }

    /// Of a file that was changed: from what it held to what it holds now.
    ///
    /// # Errors
    /// [`NoPreview::Place`] when one of them is no text, or too large to be compared.
    pub fn of_change(workspace: &Workspace, place: &Place, before: Option<Vec<u8>>) -> Result<Self, NoPreview> {
        let path = place.shown();
        let bytes = before.as_ref().map_or(0, |before| before.len() as u64);
        if bytes > MOST_BYTES {
            return Err(PlaceError::TooLarge { path, bytes, limit: MOST_BYTES }.into());
        }
        let before = before.map(String::from_utf8).transpose().map_err(|_| PlaceError::NotText { path })?;
        Self::of(place, before, text_at(workspace, place)?)
    }

    fn of(place: &Place, before: Option<String>, after: String) -> Result<Self, NoPreview> {
        let (path, bytes) = (place.shown(), after.len() as u64);
        match bytes > MOST_BYTES && before.is_some() {
            true => Err(PlaceError::TooLarge { path, bytes, limit: MOST_BYTES }.into()),
            false => Ok(Self { path, before, after }),
        }
    }

    /// The lines that change; nothing for a file that is made.
    pub fn compared(&self) -> Option<Comparison> {
        let before = self.before.as_deref()?;
        let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(PATIENCE).diff_lines(before, &self.after);
        let mut found = Comparison::default();
        let mut given = 0;
        for group in diff.grouped_ops(AROUND) {
            let mut block = Vec::new();
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let fate = match change.tag() {
                    ChangeTag::Equal => Fate::Same,
                    ChangeTag::Insert => Fate::Added,
                    ChangeTag::Delete => Fate::Removed,
                };
                found.added += usize::from(fate == Fate::Added);
                found.removed += usize::from(fate == Fate::Removed);
                given += 1;
                if given > MOST_LINES {
                    found.left_out += 1;
                    continue;
                }
                let index = change.new_index().or(change.old_index()).unwrap_or_default();
                block.push(Line::new(fate, index + 1, change.value(), change.missing_newline()));
            }
            if !block.is_empty() {
                found.blocks.push(block);
            }
        }
        Some(found)
    }
}

impl Line {
    fn new(fate: Fate, number: usize, value: &str, open_end: bool) -> Self {
        let whole = value.strip_suffix('\n').unwrap_or(value);
        let end = whole.char_indices().nth(LONGEST).map(|(at, _)| at);
        Self { fate, number, text: whole[..end.unwrap_or(whole.len())].to_owned(), cut: end.is_some(), open_end }
    }
}

/// The text of a file that is there.
fn text_at(workspace: &Workspace, place: &Place) -> Result<String, NoPreview> {
    let path = place.shown();
    if workspace.kind(place)? == Some(Kind::Folder) {
        return Err(PlaceError::IsFolder { path }.into());
    }
    let (bytes, size) = workspace.read(place, MOST_BYTES + 1)?;
    if size.max(bytes.len() as u64) > MOST_BYTES {
        return Err(PlaceError::TooLarge { path, bytes: size, limit: MOST_BYTES }.into());
    }
    String::from_utf8(bytes).map_err(|_| PlaceError::NotText { path }.into())
}

#[cfg(test)]
mod tests;
