//! What a command did to the files, seen from before and after.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::SystemTime;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::tool::present::{one_line, window};
use crate::tool::workspace::{Place, Walk, Workspace};
use crate::vault::Mask;

/// In a larger workspace nobody looks.
const MOST_FILES: usize = 5000;
/// More names are not given.
const MOST_NAMES: usize = 200;
/// Files whose beginning is given, how many lines of each, and how wide.
const PREVIEWS: usize = 3;
const PREVIEW_LINES: usize = 6;
const PREVIEW_WIDTH: usize = 160;
/// Larger files are not previewed.
const PREVIEW_BYTES: u64 = 4 * 1024 * 1024;

/// The files of a workspace at one time.
pub(super) struct Snapshot(BTreeMap<String, (Place, Option<SystemTime>, u64)>);

/// What is different.
#[derive(Debug, Default, Serialize)]
pub(super) struct Changes {
    pub written: Vec<String>,
    pub gone: Vec<String>,
    pub previews: Vec<Preview>,
}

/// The beginning of a text file that was written.
#[derive(Debug, Serialize)]
pub(super) struct Preview {
    file: String,
    lines: usize,
    begins: String,
}

impl Snapshot {
    /// The files as they are; `None` when there are too many to look.
    pub(super) fn of(workspace: &Workspace, cancel: &CancellationToken) -> Option<Self> {
        let root = workspace.existing(".").ok()?;
        let mut files = BTreeMap::new();
        let walk = workspace.walk(&root, cancel, |found| {
            if !found.is_folder {
                let state = std::fs::symlink_metadata(found.place.absolute()).ok();
                let (time, size) = state.map_or((None, 0), |state| (state.modified().ok(), state.len()));
                files.insert(found.place.shown(), (found.place, time, size));
            }
            if files.len() > MOST_FILES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (walk == Walk::Whole).then_some(Self(files))
    }

    /// What is different now.
    pub(super) fn changes(self, workspace: &Workspace, mask: &Mask, cancel: &CancellationToken) -> Changes {
        let Some(after) = Self::of(workspace, cancel) else {
            return Changes::default();
        };
        let gone = self.0.keys().filter(|name| !after.0.contains_key(*name)).take(MOST_NAMES).cloned().collect();
        let written = after.0.iter().filter(|(name, (_, time, size))| {
            self.0.get(*name).is_none_or(|(_, before, length)| (before, length) != (time, size))
        });
        let written: Vec<(&String, &Place)> =
            written.map(|(name, (place, ..))| (name, place)).take(MOST_NAMES).collect();
        let previews = written.iter().filter_map(|(_, place)| preview(workspace, mask, place)).take(PREVIEWS).collect();
        Changes { written: written.into_iter().map(|(name, _)| name.clone()).collect(), gone, previews }
    }
}

fn preview(workspace: &Workspace, mask: &Mask, place: &Place) -> Option<Preview> {
    let (bytes, size) = workspace.read(place, PREVIEW_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|text| size <= PREVIEW_BYTES && !text.contains('\0'))?;
    let text = if mask.is_empty() { text } else { mask.text(&text) };
    let first: Vec<String> =
        text.lines().take(PREVIEW_LINES).map(|line| one_line(&window(line, 0, PREVIEW_WIDTH).0)).collect();
    Some(Preview { file: place.shown(), lines: text.lines().count(), begins: first.join("\n") })
}
