//! Chats and their history.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assent_core::ids::SessionId;
use assent_core::run::{Batch, Draft, Durability, Event, EventKind, JournalError, Place, SessionKind};

use super::Engine;
use crate::executor::ExecutorError;
use crate::store::{Hit, ListFilter, Runs, SessionRow, Sessions, StoreError};

/// How long a run may take to stop before its session is deleted.
const STOPPED_WITHIN: Duration = Duration::from_secs(10);
/// So many of the latest sessions are looked at for their folders.
const LOOKED_AT: usize = 500;

/// Chats and their history.
pub struct SessionHandle<'e>(pub(super) &'e Engine);

impl SessionHandle<'_> {
    /// The sessions, last used first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn list(&self, filter: &ListFilter) -> Result<Vec<SessionRow>, StoreError> {
        self.0.store.sessions(filter)
    }

    /// One of them; an unambiguous beginning of its id is enough.
    ///
    /// # Errors
    /// There is none, or the database cannot be read.
    pub fn get(&self, id: &str) -> Result<SessionRow, StoreError> {
        self.0.store.session(id)
    }

    /// Its events after a sequence number, in order.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn events(&self, id: &SessionId, after: u64) -> Result<Vec<Event>, StoreError> {
        self.0.store.session_events(id, after)
    }

    /// Opens a session in a folder.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn create(&self, workspace: &Path) -> Result<SessionId, JournalError> {
        let id = SessionId::new(self.0.ids.fresh());
        let created = EventKind::SessionCreated {
            title: String::new(),
            session_kind: SessionKind::Chat,
            workspace: Some(workspace.display().to_string()),
        };
        self.write(&id, created).await?;
        Ok(id)
    }

    /// Gives a session another name.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn rename(&self, id: &SessionId, title: &str) -> Result<(), JournalError> {
        self.write(id, EventKind::SessionRenamed { title: title.to_owned() }).await
    }

    /// Puts a session away, or takes it back.
    ///
    /// # Errors
    /// It cannot be written.
    pub async fn archive(&self, id: &SessionId, archived: bool) -> Result<(), JournalError> {
        self.write(id, EventKind::SessionArchived { archived }).await
    }

    /// Removes a session with everything that belongs to it. Its runs are stopped first, wherever they are carried on:
    /// what goes on without being written down is known to nobody.
    ///
    /// # Errors
    /// There is none, it cannot be written, or [`ExecutorError::Busy`] where a run did not end in time.
    pub async fn delete(&self, id: &SessionId) -> Result<(), ExecutorError> {
        for run in self.0.store.runs_of(id)?.into_iter().filter(|run| !run.status.is_final()) {
            if !self.0.executor.cancel_within(&run.id, STOPPED_WITHIN).await? {
                return Err(ExecutorError::Busy(run.id));
            }
        }
        Ok(self.0.store.delete_session(id)?)
    }

    /// Messages, answers, plans, calls and results that hold all words of a text: of all sessions the best first, within
    /// one in the order in which they came.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn search(&self, text: &str, within: Option<&SessionId>, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.0.store.search(text, within, limit)
    }

    /// The folders of sessions, last used first, each once.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn workspaces(&self, most: usize) -> Result<Vec<PathBuf>, StoreError> {
        let mut folders: Vec<PathBuf> = Vec::new();
        let filter = ListFilter { archived: true, limit: LOOKED_AT, offset: 0 };
        for folder in self.list(&filter)?.into_iter().filter_map(|row| row.workspace).map(PathBuf::from) {
            if folders.len() < most && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        Ok(folders)
    }

    async fn write(&self, id: &SessionId, kind: EventKind) -> Result<(), JournalError> {
        let place = Place { session: id.clone(), turn: None, run: None, step: None };
        let draft = Draft { place, at: self.0.now(), kind };
        self.0.journal().append(Batch { events: vec![draft], ..Batch::default() }, Durability::Committed).await
    }
}
