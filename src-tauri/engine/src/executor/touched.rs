//! Whether files of the workspace were touched since a moment, by what the system keeps of each.

use std::path::Path;

use crate::tool::workspace::Workspace;

/// Milliseconds by which the times of files may be behind the clock.
const SLACK: i64 = 100;

/// Whether anything was done to a file, its name or its rights since then; `None` where it is not there. Where that
/// cannot be known, it may have been.
pub(super) fn touched_since(workspace: &Workspace, file: &str, since: i64) -> Option<bool> {
    let place = workspace.existing(file).ok()?;
    Some(last_changed(place.absolute()).is_none_or(|at| at + SLACK >= since))
}

/// When a file, its name or its rights were last changed, in milliseconds.
fn last_changed(path: &Path) -> Option<i64> {
    let state = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some(state.ctime() * 1000 + state.ctime_nsec() / 1_000_000)
    }
    #[cfg(not(unix))]
    {
        let since = state.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    }
}
