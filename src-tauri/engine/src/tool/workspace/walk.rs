//! Walking the workspace: sorted, bounded, never through a symbolic link.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};
use tokio_util::sync::CancellationToken;

use super::{Place, Workspace, shown};

/// Folders that are made by tools and never by people.
const SKIPPED: [&str; 3] = ["target", "node_modules", "vendor"];

/// More entries than this are not visited; the result says so.
const MAX_ENTRIES: usize = 500_000;

/// Something that was met, below the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Where.
    pub place: Place,
    /// The path from where the walk started; the file's name when it started at a file.
    pub from_start: PathBuf,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// How a walk came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// Everything was visited.
    Whole,
    /// There was too much, or the visitor had enough.
    Cut,
    /// A person stopped it.
    Cancelled,
}

impl Workspace {
    /// Visits regular files and folders in and below a place, sorted by name; without folders whose name begins with a
    /// dot, `target`, `node_modules`, `vendor`, hidden folders, and links.
    pub fn walk(
        &self,
        start: &Place,
        cancel: &CancellationToken,
        mut visit: impl FnMut(Visit) -> ControlFlow<()>,
    ) -> Walk {
        let hidden = self.hidden.clone();
        let entries = WalkBuilder::new(start.absolute())
            .standard_filters(false)
            .follow_links(false)
            .sort_by_file_name(std::ffi::OsStr::cmp)
            .filter_entry(move |entry| entry.depth() == 0 || !is_skipped(entry, &hidden))
            .build();
        for (count, entry) in entries.enumerate() {
            if cancel.is_cancelled() {
                return Walk::Cancelled;
            }
            if count > MAX_ENTRIES {
                return Walk::Cut;
            }
            // A folder that may not be read, or is gone by now, is like an empty one.
            let Some(found) = entry.ok().and_then(|entry| self.visit_of(&entry, start)) else {
                continue;
            };
            if visit(found).is_break() {
                return Walk::Cut;
            }
        }
        Walk::Whole
    }

    fn visit_of(&self, entry: &DirEntry, start: &Place) -> Option<Visit> {
        let kind = entry.file_type()?;
        if !kind.is_file() && !kind.is_dir() {
            return None;
        }
        let relative = entry.path().strip_prefix(self.root()).ok()?.to_path_buf();
        let mut from_start = entry.path().strip_prefix(start.absolute()).ok()?.to_path_buf();
        if from_start.as_os_str().is_empty() {
            if kind.is_dir() {
                return None;
            }
            from_start = PathBuf::from(entry.file_name());
        }
        let place = Place { relative, absolute: entry.path().to_path_buf() };
        Some(Visit { place, from_start, is_folder: kind.is_dir() })
    }
}

impl Visit {
    /// The path from the start of the walk, with `/`.
    pub fn below(&self) -> String {
        shown(&self.from_start)
    }
}

fn is_skipped(entry: &DirEntry, hidden: &[PathBuf]) -> bool {
    if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return false;
    }
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.') || SKIPPED.contains(&name.as_ref()) || in_any(entry.path(), hidden)
}

fn in_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}
