//! The one local SQLite file: the journal, the rows that lists and filters need, full-text search, and run locks.
//!
//! One writer thread owns the writing connection; readers have their own. Rows for sessions, runs, steps and requests
//! are written in the same transaction as the events they are folded from. Never here: models, tools, the executor.

mod allowance;
mod connection;
mod error;
mod failure;
mod handles;
mod home;
mod lock;
mod memory;
mod read;
mod saved;
mod search;
mod settings;
mod standing;
mod table;
mod writer;

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use assent_core::ids::SessionId;
use assent_core::run::{Appended, Batch, Durability, Event, Journal, JournalError};
use rusqlite::Connection;
use tokio::sync::{broadcast, oneshot};

use crate::clock::Clock;
pub use allowance::{AllowanceRow, Allowances};
pub use assent_core::run::PlanStatus;
use connection::Room;
pub use error::StoreError;
use failure::{Failure, Reach};
pub use home::Home;
pub use lock::{FileLock, Hold, RunGuard, RunLocks};
pub use memory::{Forget, Memories, MemoryDraft, MemoryFilter, MemoryKind, MemoryRow, MemorySource, Relation};
pub use read::{
    Blobs, Changes, Comment, FileHistory, Hit, HitKind, ListFilter, PlanDraft, Plans, RequestRow, Requests, RunRow,
    Runs, SessionRow, Sessions, StepRow, TakenBack, TurnRow, VersionRow,
};
pub use saved::{SavedDraft, SavedPlanRow, SavedPlans};
pub use search::MOST_SEARCHED;
pub use settings::{Settings, change_list, list_setting};
pub use standing::PlanStanding;
use table::counter;
use writer::{Job, Queue, Writer};

/// How long another program may hold the file before that is an error.
const PATIENCE: Duration = Duration::from_secs(5);

/// So many idle reading connections are kept.
const READERS: usize = 4;

/// So many events may wait for a listener before it is told that it has missed some.
const BEHIND: usize = 4096;

/// Something for the writer to do, with whatever it gives.
type Written = Box<dyn FnOnce(&mut Writer) -> Result<Box<dyn Any + Send>, Failure> + Send>;

/// The store: cheap to clone the `Arc` of, safe to use from any thread.
///
/// Reading calls block for as long as SQLite takes, microseconds to a few milliseconds. Dropping the last handle
/// writes what is queued and closes the file.
pub struct Store {
    home: Home,
    path: PathBuf,
    patience: Duration,
    clock: Arc<dyn Clock>,
    readers: Mutex<Readers>,
    queue: Arc<Queue>,
    changes: broadcast::Sender<Arc<Event>>,
    /// How often this has remembered something: changes of the memory that nobody here needs to be told of.
    remembered: AtomicU64,
    writer: Mutex<Option<JoinHandle<()>>>,
}

struct Readers {
    idle: Vec<Connection>,
    /// Without room the only reader keeps every other connection out.
    room: Room,
}

impl Store {
    /// Opens the database of a data folder, and makes or migrates it if need be.
    ///
    /// # Errors
    /// [`StoreError::Newer`], [`StoreError::Damaged`] and [`StoreError::Locked`] leave the file as it is;
    /// [`StoreError::Folder`] when it cannot be reached.
    pub fn open(home: &Home, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        Self::open_patiently(home, clock, PATIENCE)
    }

    /// As [`Store::open`], waiting for other programs as long as is said, now and later.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_patiently(home: &Home, clock: Arc<dyn Clock>, patience: Duration) -> Result<Self, StoreError> {
        Ok(Self {
            home: home.clone(),
            path: home.database(),
            patience,
            clock,
            readers: Mutex::new(Readers::open(home, patience)?),
            queue: Arc::default(),
            changes: broadcast::Sender::new(BEHIND),
            remembered: AtomicU64::new(0),
            writer: Mutex::new(None),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads with a connection of its own.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        let mut readers = self.readers();
        if readers.room == Room::None {
            readers.reopen(&self.home, self.patience)?;
            let only = readers.idle.first().ok_or_else(|| StoreError::Other("there is no connection".to_owned()))?;
            return work(only).map_err(|failure| failure.for_reader(&self.path));
        }
        let idle = readers.idle.pop();
        drop(readers);
        let connection = match idle {
            Some(connection) => Ok(connection),
            None => connection::connect(&self.path, self.patience).and_then(only_reading),
        };
        let connection = connection.map_err(|error| Failure::from(error).for_reader(&self.path))?;
        let result = work(&connection);
        let lost = matches!(&result, Err(failure) if failure.reach() == Reach::Connection);
        let mut readers = self.readers();
        if readers.idle.len() < READERS && !lost {
            readers.idle.push(connection);
        }
        result.map_err(|failure| failure.for_reader(&self.path))
    }

    fn readers(&self) -> MutexGuard<'_, Readers> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the writer do something after everything that was queued before, and waits for it.
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Writer) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        let done = self.wait_for(Box::new(|writer| Ok(Box::new(work(writer)?))))?;
        // What is given back is what was given in.
        done.downcast()
            .map(|done| *done)
            .map_err(|_| StoreError::Other("what was written gave something else".to_owned()))
    }

    /// Of one type for all that is written, so that the program holds one way to wait and not one for each.
    fn wait_for(&self, work: Written) -> Result<Box<dyn Any + Send>, StoreError> {
        let (tell, told) = mpsc::sync_channel(1);
        let path = self.path.clone();
        let task = move |writer: Result<&mut Writer, JournalError>| {
            let done = writer.map_err(StoreError::Write);
            let done = done.and_then(|writer| work(writer).map_err(|failure| failure.for_reader(&path)));
            // The one who waits cannot be gone: this call blocks.
            let _ = tell.send(done);
        };
        self.push(Job::Task(Box::new(task)))?;
        match told.recv() {
            Ok(result) => result,
            Err(_) => Err(StoreError::Write(self.stopped())),
        }
    }

    fn push(&self, job: Job) -> Result<(), JournalError> {
        self.make_room()?;
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            let file = writer::File { path: self.path.clone(), patience: self.patience };
            let (queue, changes) = (Arc::clone(&self.queue), self.changes.clone());
            let spawned =
                std::thread::Builder::new().name("store".to_owned()).spawn(move || writer::run(file, &queue, changes));
            *writer = Some(spawned.map_err(|error| JournalError::Other(error.to_string()))?);
        }
        drop(writer);
        self.queue.push(job)
    }

    /// Looks again for room where there was none when the file was opened.
    fn make_room(&self) -> Result<(), JournalError> {
        let mut readers = self.readers();
        if readers.room == Room::Some {
            return Ok(());
        }
        readers.idle.clear();
        match readers.reopen(&self.home, self.patience) {
            Ok(()) if readers.room == Room::None => Err(JournalError::Full),
            Ok(()) => {
                let next = readers.idle.first().and_then(|connection| counter::next(connection).ok());
                if let Some(next) = next.filter(|_| self.changes.receiver_count() > 0) {
                    // Whoever began to listen while there was no room is still there.
                    self.queue.push(Job::Listen(next))?;
                }
                Ok(())
            }
            Err(StoreError::Write(error)) => Err(error),
            Err(StoreError::Locked { .. }) => Err(JournalError::Locked),
            Err(StoreError::Damaged { reason, .. }) => Err(JournalError::Damaged(reason)),
            Err(error) => Err(JournalError::Other(error.to_string())),
        }
    }

    fn stopped(&self) -> JournalError {
        self.queue.failure().unwrap_or_else(|| JournalError::Closed("the writer has stopped".to_owned()))
    }

    /// The file history of what is done in a session; its entries go with the session.
    pub fn file_history(self: &Arc<Self>, session: &SessionId) -> Arc<dyn FileHistory> {
        Arc::new(handles::SessionFiles { store: Arc::clone(self), session: session.clone() })
    }

    /// What a file held before it was first changed in a session from a moment on: `Ok(None)` when nothing is kept of
    /// that, `Ok(Some(None))` when the file was not there.
    ///
    /// # Errors
    /// There is no such session, or the database cannot be read.
    pub fn file_before(
        &self,
        session: &SessionId,
        path: &Path,
        since: i64,
    ) -> Result<Option<Option<Vec<u8>>>, StoreError> {
        let path = handles::name_of(path)?;
        self.read(|connection| {
            table::file_history::before(connection, table::session::key(connection, session)?, &path, since)
        })
    }
}

impl Readers {
    fn open(home: &Home, patience: Duration) -> Result<Self, StoreError> {
        let mut readers = Self { idle: Vec::new(), room: Room::None };
        readers.reopen(home, patience)?;
        Ok(readers)
    }

    /// Opens the file as it is opened at first, unless a connection is there.
    fn reopen(&mut self, home: &Home, patience: Duration) -> Result<(), StoreError> {
        if self.idle.is_empty() {
            let (connection, room) = connection::open(home, patience)?;
            let told = |error| Failure::from(error).for_reader(&home.database());
            self.idle.push(only_reading(connection).map_err(told)?);
            self.room = room;
        }
        Ok(())
    }
}

fn only_reading(connection: Connection) -> rusqlite::Result<Connection> {
    connection.execute_batch("PRAGMA query_only = ON")?;
    Ok(connection)
}

impl Journal for Store {
    fn append(&self, batch: Batch, durability: Durability) -> Appended<'_> {
        if durability == Durability::Queued {
            let queued = self.push(Job::Append { batch, durability, done: None });
            return Box::pin(std::future::ready(queued));
        }
        let (done, told) = oneshot::channel();
        let pushed = self.push(Job::Append { batch, durability, done: Some(done) });
        Box::pin(async move {
            pushed?;
            told.await.unwrap_or_else(|_| Err(self.stopped()))
        })
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.queue.close();
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            // A panic in the writer was told to whoever waited for it.
            let _ = writer.join();
        }
    }
}

#[cfg(test)]
mod tests;
