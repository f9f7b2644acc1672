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
    /// Whether it is beyond what was asked for of that.
    pub is_beyond: bool,
    /// Whether it is a link.
    pub is_link: bool,
}

impl Met {
    /// Its size, its times and its rights; a link is looked at itself, and not what it leads to. `None` where it is gone.
    pub fn state(&self) -> Option<Metadata> {
        std::fs::symlink_metadata(self.place.absolute()).ok()
    }

    /// Whether it is git's own.
    pub fn is_of_git(&self) -> bool {
        is_of_git(self.place.relative())
    }
}

/// How much is met of what lies in folders whose name begins with a dot.
#[derive(Debug, Clone, Copy)]
pub struct Aside {
    /// So many entries.
    pub most: usize,
    /// So many more that are not git's own, told as beyond.
    pub beyond: usize,
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

    /// Meets everything in the workspace but what tools make and hidden folders, a folder before what is in it: also
    /// links, and what lies in folders whose name begins with a dot, as far as that is no more than so much. Sorted by name,
    /// where that decides what is met.
    pub fn survey(
        &self,
        aside: Aside,
        cancel: &CancellationToken,
        mut meet: impl FnMut(Met) -> ControlFlow<()>,
    ) -> Survey {
        let (root, hidden) = (self.root.clone(), self.hidden.clone());
        let (met_aside, has_skipped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, skips) = (met_aside.clone(), has_skipped.clone());
        let ended = |walk| Survey {
            walk,
            is_whole: walk == Walk::Whole && met_aside.load(Ordering::Relaxed) <= aside.most,
            has_skipped: has_skipped.load(Ordering::Relaxed),
        };
        let mut walk = WalkBuilder::new(&self.root);
        if aside.most > 0 {
            walk.sort_by_file_name(std::ffi::OsStr::cmp);
        }
        let entries = walk
            .standard_filters(false)
            .follow_links(false)
            .filter_entry(move |entry| {
                let skipped = entry.depth() > 0
                    && is_folder(entry)
                    && (is_made_by_tools(&entry.file_name().to_string_lossy()) || in_any(entry.path(), &hidden));
                skips.fetch_or(skipped, Ordering::Relaxed);
                let relative = entry.path().strip_prefix(&root).unwrap_or(entry.path());
                let fits = || {
                    let count = counted.fetch_add(1, Ordering::Relaxed);
                    count < aside.most || count < aside.most + aside.beyond && !is_of_git(relative)
                };
                entry.depth() == 0 || !skipped && (!lies_aside(relative, is_folder(entry)) || fits())
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
            let Some(mut met) = entry.ok().and_then(|entry| self.met(&entry)) else { continue };
            met.is_beyond = met.is_aside && met_aside.load(Ordering::Relaxed) > aside.most;
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
        Some(Met { place, is_aside, is_beyond: false, is_link: entry.path_is_symlink() })
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
    let has_dot = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
    folders.is_some_and(|folders| folders.components().any(has_dot))
}

fn is_of_git(relative: &Path) -> bool {
    relative.components().any(|part| part.as_os_str() == ".git")
}

fn in_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}
