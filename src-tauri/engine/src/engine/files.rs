//! The files that a run wrote: found in its ledger and in what was kept of them before, never in anybody's words.
//!
//! Only files of the run's workspace that are there now and are other than before the run. What a command wrote is not
//! known here: no tool told it.

use std::path::{Path, PathBuf};

use assent_core::contract::Risk;
use assent_core::ids::{RunId, SessionId};
use assent_core::run::{CallState, CallStatus};
use serde::Serialize;

use super::RunHandle;
use crate::executor::ExecutorError;
use crate::store::{Sessions, StoreError};
use crate::tool::preview::{NoPreview, Preview};
use crate::tool::workspace::{Kind, Place, Workspace};
use crate::turn::workspace_of;

/// More files are not told.
const MOST_FILES: usize = 200;
/// The lines of a longer file are not counted: 1 MiB.
const MOST_COUNTED: u64 = 1 << 20;

/// A file that a run wrote, as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
pub struct WrittenFile {
    /// From the workspace.
    pub path: String,
    /// Whether it was not there before the run.
    pub made: bool,
    /// How long it is.
    pub bytes: u64,
    /// How many lines it has, where it is a text that is not too long.
    pub lines: Option<usize>,
}

/// The files that were written by a run, each with the moment of the first call that wrote it.
struct Written {
    session: SessionId,
    workspace: Workspace,
    files: Vec<(Place, i64)>,
}

impl RunHandle<'_> {
    /// The files that a run wrote, in the order in which it first wrote them. One that is as it was before is left out,
    /// as is one that is gone.
    ///
    /// # Errors
    /// There is no such run, its folder is gone, or the database cannot be read.
    pub fn files(&self, id: &RunId) -> Result<Vec<WrittenFile>, ExecutorError> {
        let written = self.written(id)?;
        let mut found = Vec::new();
        for (place, since) in written.files.iter().take(MOST_FILES) {
            let Ok(Some(Kind::File(bytes))) = written.workspace.kind(place) else { continue };
            let Some(before) = self.before(&written, place, *since)? else { continue };
            let is_short = bytes <= MOST_COUNTED;
            let now = if is_short { written.workspace.read_whole(place).ok() } else { None };
            if before.is_some() && before == now {
                continue;
            }
            let lines = now.and_then(|now| String::from_utf8(now).ok()).map(|text| text.lines().count());
            found.push(WrittenFile { path: place.shown(), made: before.is_none(), bytes, lines });
        }
        Ok(found)
    }

    /// What became of a file that a run wrote, from before the run until now.
    ///
    /// # Errors
    /// The run did not write it, its folder is gone, or the database cannot be read.
    pub fn file_change(&self, id: &RunId, path: &str) -> Result<Result<Preview, NoPreview>, ExecutorError> {
        let written = self.written(id)?;
        let (place, since) = written.one(path)?;
        match self.before(&written, place, since)? {
            Some(before) => Ok(Preview::of_change(&written.workspace, place, before)),
            None => Err(missing(path).into()),
        }
    }

    /// Where a file that a run wrote is on this machine.
    ///
    /// # Errors
    /// The run did not write it, it is gone or no regular file, or the database cannot be read.
    pub fn file_at(&self, id: &RunId, path: &str) -> Result<PathBuf, ExecutorError> {
        let written = self.written(id)?;
        let (place, _) = written.one(path)?;
        match written.workspace.kind(place) {
            Ok(Some(Kind::File(_))) => Ok(place.absolute().to_owned()),
            _ => Err(missing(path).into()),
        }
    }

    fn written(&self, id: &RunId) -> Result<Written, ExecutorError> {
        let engine = self.0;
        let carried = self.get(id)?;
        let session = carried.row.session;
        let folder = workspace_of(&engine.store.session(session.as_str())?)?;
        let workspace = Workspace::at(&folder, &engine.hidden).map_err(|error| unusable(&folder, &error))?;
        let mut files: Vec<(Place, i64)> = Vec::new();
        for entry in carried.state.ledger() {
            let worked = matches!(&entry.state, CallState::Ended(end) if end.status == CallStatus::Success);
            let (true, Some(since), true) = (worked, entry.started_at, entry.risk.is_some_and(Risk::writes)) else {
                continue;
            };
            let Some(tool) = engine.catalogue.get(&entry.tool) else { continue };
            let effects = tool.effects(&engine.content(&entry.arguments)?);
            for place in effects.writes.iter().filter_map(|path| workspace.target(path).ok()) {
                if files.iter().all(|(known, _)| *known != place) {
                    files.push((place, since));
                }
            }
        }
        Ok(Written { session, workspace, files })
    }

    fn before(&self, written: &Written, place: &Place, since: i64) -> Result<Option<Option<Vec<u8>>>, StoreError> {
        self.0.store.file_before(&written.session, place.absolute(), since)
    }
}

impl Written {
    /// One of the files, by its path from the workspace exactly as it was told.
    fn one(&self, path: &str) -> Result<(&Place, i64), StoreError> {
        let found = self.files.iter().find(|(place, _)| place.shown() == path);
        found.map(|(place, since)| (place, *since)).ok_or_else(|| missing(path))
    }
}

fn missing(path: &str) -> StoreError {
    StoreError::NotFound { kind: "file that this run wrote", id: path.to_owned() }
}

fn unusable(folder: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Folder { path: folder.display().to_string(), reason: error.to_string() }
}
