//! What processes on one data folder share about one running server: two locks and a state file, in a folder of its own.
//!
//! - `model.lock`: everybody who uses the server holds it shared; the guard tries it exclusively to see if anybody does.
//! - `guard.lock`: the guard holds it as long as it lives.
//! - `server.json` (mode 0600): port and key, or why there is no server. Written only by the guard.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Nest(pub(super) PathBuf);

/// What the guard says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    /// Tells one guard from the next.
    pub(super) guard: String,
    /// Its process.
    pub(super) guard_pid: u32,
    /// How far it is.
    pub(super) phase: Phase,
}

/// How far a guard is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "phase")]
pub(super) enum Phase {
    /// The server loads.
    Loading,
    /// The server answers.
    Ready {
        /// Its port on the loopback address.
        port: u16,
        /// The key that it asks for.
        key: String,
        /// Its process.
        pid: u32,
    },
    /// The guard has given up.
    Failed {
        /// What happened, why, what to do.
        reason: String,
    },
}

impl Nest {
    pub(super) fn create(data: &Path, model: &str) -> io::Result<Self> {
        let folder = data.join("local-model").join(model);
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    pub(super) fn log(&self) -> PathBuf {
        self.0.join("server.log")
    }

    /// The lock of those who use the server.
    pub(super) fn use_lock(&self) -> io::Result<File> {
        self.lock_file("model.lock")
    }

    /// The lock of the guard.
    pub(super) fn guard_lock(&self) -> io::Result<File> {
        self.lock_file("guard.lock")
    }

    fn lock_file(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().create(true).truncate(false).write(true).open(self.0.join(name))
    }

    /// Whether a guard lives.
    pub(super) fn is_guarded(&self) -> io::Result<bool> {
        match self.guard_lock()?.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// What the last guard said; `None` for nothing, or nothing readable.
    pub(super) fn state(&self) -> Option<State> {
        serde_json::from_slice(&std::fs::read(self.0.join("server.json")).ok()?).ok()
    }

    /// Replaces the state as a whole, readable by this user only.
    pub(super) fn say(&self, state: &State) -> io::Result<()> {
        let text = serde_json::to_vec(state)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.0)?;
        file.write_all(&text)?;
        file.persist(self.0.join("server.json")).map(drop).map_err(|error| error.error)
    }
}
