//! Walking the workspace: sorted, bounded, never through a symbolic link.

use std::fs::Metadata;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

/// Something that was met in the whole workspace, whatever it is.
#[derive(Debug, Clone)]
pub struct Met {
    /// Where.
    pub place: Place,
    /// Whether it lies in a folder whose name begins with a dot, or is one.
    pub is_aside: bool,
    /// Its size, its times and its rights; a link is looked at itself, and not what it leads to.
    pub state: Metadata,
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

/// How a survey came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey {
    /// How the walk did.
    pub walk: Walk,
    /// Whether everything was met but what tools make and what is hidden.
    pub is_whole: bool,
    /// Whether there is any of that, or a folder that may not be read.
    pub has_skipped: bool,
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

    /// Meets everything in the workspace but what tools make and hidden folders, sorted by name: also links, and what lies
    /// in folders whose name begins with a dot, as far as that is no more than so much.
    pub fn survey(
        &self,
        most_aside: usize,
        cancel: &CancellationToken,
        mut meet: impl FnMut(Met) -> ControlFlow<()>,
    ) -> Survey {
        let (root, hidden) = (self.root.clone(), self.hidden.clone());
        let (met_aside, has_skipped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, skips) = (met_aside.clone(), has_skipped.clone());
        let ended = |walk| Survey {
            walk,
            is_whole: walk == Walk::Whole && met_aside.load(Ordering::Relaxed) <= most_aside,
            has_skipped: has_skipped.load(Ordering::Relaxed),
        };
        let entries = WalkBuilder::new(&self.root)
            .standard_filters(false)
            .follow_links(false)
            .sort_by_file_name(std::ffi::OsStr::cmp)
            .filter_entry(move |entry| {
                let skipped = entry.depth() > 0
                    && is_folder(entry)
                    && (is_made_by_tools(&entry.file_name().to_string_lossy()) || in_any(entry.path(), &hidden));
                skips.fetch_or(skipped, Ordering::Relaxed);
                let aside = || lies_aside(entry.path().strip_prefix(&root).unwrap_or(entry.path()), is_folder(entry));
                let fits = || !aside() || counted.fetch_add(1, Ordering::Relaxed) < most_aside;
                entry.depth() == 0 || !skipped && fits()
            })
            .build();
        for (count, entry) in entries.enumerate() {
            if cancel.is_cancelled() {
                return ended(Walk::Cancelled);
            }
            if count > MAX_ENTRIES {
                return ended(Walk::Cut);
            }
            // What is gone by now is met by nobody; in a folder that may not be read there may be anything.
            let is_closed =
                |error: &ignore::Error| error.io_error().is_none_or(|why| why.kind() != ErrorKind::NotFound);
            has_skipped.fetch_or(entry.as_ref().is_err_and(is_closed), Ordering::Relaxed);
            let Some(met) = entry.ok().and_then(|entry| self.met(&entry)) else { continue };
            if meet(met).is_break() {
                return ended(Walk::Cut);
            }
        }
        ended(Walk::Whole)
    }

    fn met(&self, entry: &DirEntry) -> Option<Met> {
        let relative = entry.path().strip_prefix(self.root()).ok().filter(|path| !path.as_os_str().is_empty())?;
        let is_aside = lies_aside(relative, is_folder(entry));
        let place = Place { relative: relative.to_path_buf(), absolute: entry.path().to_path_buf() };
        Some(Met { place, is_aside, state: std::fs::symlink_metadata(entry.path()).ok()? })
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

/// Whether a folder of this name is made by tools and never by people: no walk looks into it.
pub fn is_made_by_tools(name: &str) -> bool {
    SKIPPED.contains(&name)
}

fn is_skipped(entry: &DirEntry, hidden: &[PathBuf]) -> bool {
    if !is_folder(entry) {
        return false;
    }
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.') || is_made_by_tools(&name) || in_any(entry.path(), hidden)
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Whether something is, or lies in, a folder whose name begins with a dot.
fn lies_aside(relative: &Path, is_folder: bool) -> bool {
    let folders = if is_folder { Some(relative) } else { relative.parent() };
    let has_dot = |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with('.');
    folders.is_some_and(|folders| folders.components().any(has_dot))
}

fn in_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}
