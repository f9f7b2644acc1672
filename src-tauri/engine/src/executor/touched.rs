//! Whether files of the workspace were touched since a moment, by what the system keeps of each.

use std::path::Path;

use crate::tool::workspace::Workspace;

/// Milliseconds by which the times of files may be behind the clock.
const SLACK: i128 = 100;

/// Whether anything was done to a file, its name or its rights since then; `None` where it is not there. Where that
/// cannot be known, it may have been.
pub(super) fn touched_since(workspace: &Workspace, file: &str, since: i64) -> Option<bool> {
    let place = workspace.existing(file).ok()?;
    Some(last_changed(place.absolute()).is_none_or(|at| at / 1_000_000 + SLACK >= since.into()))
}

/// Files as they were at one moment.
#[derive(Debug)]
pub(super) struct Before(Vec<(String, Option<i128>)>);

impl Before {
    /// These files as they are now.
    pub(super) fn of(workspace: &Workspace, files: impl IntoIterator<Item = String>) -> Self {
        let as_it_is = |file: String| {
            let at = stamp(workspace, &file);
            (file, at)
        };
        Self(files.into_iter().map(as_it_is).collect())
    }

    /// Whether anything was done to a file since then; `None` where nobody has looked at it then.
    pub(super) fn is_touched(&self, workspace: &Workspace, file: &str) -> Option<bool> {
        let (_, before) = self.0.iter().find(|(known, _)| known == file)?;
        Some(*before != stamp(workspace, file))
    }
}

fn stamp(workspace: &Workspace, file: &str) -> Option<i128> {
    last_changed(workspace.existing(file).ok()?.absolute())
}

/// When a file, its name or its rights were last changed, in nanoseconds.
fn last_changed(path: &Path) -> Option<i128> {
    let state = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some(i128::from(state.ctime()) * 1_000_000_000 + i128::from(state.ctime_nsec()))
    }
    #[cfg(not(unix))]
    {
        let since = state.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        i128::try_from(since.as_nanos()).ok()
    }
}
