//! The one thread that writes.
//!
//! Batches that wait together share one transaction. A transaction begins with the write lock (`BEGIN IMMEDIATE`), so
//! that what it checks (a request is still open, a session is still there) holds against every other process until it
//! commits. What it keeps in memory between transactions is checked against `PRAGMA data_version`.
//!
//! Which guarantee holds where: a commit under `synchronous = NORMAL` is in the write-ahead log in the system's
//! memory: it survives the death of the process, not a loss of power. Under `synchronous = FULL` SQLite also syncs the
//! log before the commit returns, and with it everything that was committed before, since the log is one file written
//! in order. So one `FULL` commit is a barrier for all earlier ones.
//!
//! What fails is rolled back whole and told to whoever waits; the next write is tried anew, with a new connection where
//! the old one is no good. Only a damaged file is left alone for good.

mod announce;
mod memory;
mod project;
mod queue;
mod remove;
mod serve;

use std::sync::Arc;

use assent_core::run::{Batch, Durability, Event, JournalError};
use rusqlite::Connection;
use tokio::sync::{broadcast, oneshot};

use super::connection::connect;
use super::failure::{Failure, Reach};
use super::table::{counter, event};
use memory::Memory;
pub(super) use queue::{Job, Queue};
pub(super) use serve::{File, run};

/// Freed space is overwritten, a sync reaches the disk also on macOS, and a log that has grown is cut back.
const SETTINGS: &str = "PRAGMA secure_delete = ON; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
    PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304; PRAGMA temp_store = MEMORY";

/// The writing side of the store.
pub(super) struct Writer {
    connection: Connection,
    memory: Memory,
    encoder: event::Encoder,
    changes: broadcast::Sender<Arc<Event>>,
    /// The last event that listeners were told of; `None` while nobody listens.
    announced: Option<u64>,
    /// `PRAGMA data_version` when the file was last looked at.
    looked: i64,
    /// Whether commits are synced to the disk.
    synced: bool,
    /// Whether there may be more to index than the index was filled with.
    unindexed: bool,
    /// The worst that a failure said of the connection or the file.
    trouble: Option<Trouble>,
}

/// What keeps a writer from going on as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// Another connection is needed.
    Connection,
    /// The file is damaged.
    File,
}

/// A batch on its way into the file.
struct Pending {
    batch: Batch,
    durability: Durability,
    done: Option<oneshot::Sender<Result<(), JournalError>>>,
}

impl Pending {
    /// Tells that the batch is not written. What relies on it must not be written either; only who waited for it can
    /// take a conflict for an answer and go on.
    fn lose(self, error: &JournalError) {
        if self.done.is_none() || !matches!(error, JournalError::Conflict(_)) {
            self.batch.line.break_off(error);
        }
        if let Some(done) = self.done {
            // Whoever has stopped waiting does not want to know.
            let _ = done.send(Err(error.clone()));
        }
    }
}

impl Writer {
    fn open(file: &File, changes: broadcast::Sender<Arc<Event>>) -> Result<Self, Failure> {
        let connection = connect(&file.path, file.patience)?;
        connection.execute_batch(SETTINGS)?;
        Ok(Self {
            connection,
            memory: Memory::default(),
            encoder: event::Encoder::default(),
            changes,
            announced: None,
            looked: 0,
            synced: false,
            // Another version may have left a history that has to be indexed anew.
            unindexed: true,
            trouble: None,
        })
    }

    /// Writes batches in one transaction. One that cannot be written itself is refused alone; where there is no room
    /// for all, each is tried alone; any other failure is told to all.
    fn append(&mut self, mut group: Vec<Pending>) {
        loop {
            group = without_broken_lines(group);
            if group.is_empty() {
                return;
            }
            let (at, failure) = match self.commit(&group) {
                Ok(first) => return self.announce(first, group),
                Err(refused) => refused,
            };
            match (failure.reach(), at) {
                (Reach::Batch, Some(at)) => group.remove(at).lose(&failure.for_journal()),
                (Reach::Room, _) if group.len() > 1 => {
                    return group.into_iter().for_each(|alone| self.append(vec![alone]));
                }
                _ => {
                    let error = failure.for_journal();
                    return group.into_iter().for_each(|pending| pending.lose(&error));
                }
            }
        }
    }

    /// Commits a group and returns the sequence number of its first event; or says which batch failed, and how.
    fn commit(&mut self, group: &[Pending]) -> Result<u64, (Option<usize>, Failure)> {
        let synced = group.iter().any(|pending| pending.durability == Durability::Synced);
        let mut at = None;
        let committed = self.sync(synced).and_then(|()| {
            self.transaction(|writer| {
                let first = counter::next(&writer.connection)?;
                let mut seq = first;
                for (place, pending) in group.iter().enumerate() {
                    at = Some(place);
                    writer.write(&pending.batch, pending.durability, seq)?;
                    seq += pending.batch.events.len() as u64;
                }
                at = None;
                writer.finish(synced && seq == first)?;
                Ok(first)
            })
        });
        committed.map_err(|failure| (at, failure))
    }

    fn finish(&mut self, barrier: bool) -> Result<(), Failure> {
        self.memory.flush(&self.connection)?;
        if barrier { counter::touch(&self.connection) } else { Ok(()) }
    }

    /// Does something in a transaction that holds the write lock from its beginning: all of it is there afterwards, or
    /// nothing.
    pub(super) fn transaction<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        let done = self.begin().and_then(|()| {
            let done = self.catch_up().and_then(|()| work(self)).and_then(|value| {
                self.connection.prepare_cached("COMMIT")?.execute([])?;
                Ok(value)
            });
            if done.is_err() {
                // The database may have rolled back by itself, so that there is nothing left to roll back.
                let _ = self.connection.execute_batch("ROLLBACK");
                self.memory.forget();
            }
            done
        });
        self.noting(done)
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(())
    }

    /// Does something in a transaction that is safe from the death of the process, and tells how it went.
    pub(super) fn change<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        self.sync(false)?;
        self.transaction(|writer| work(&writer.connection))
    }

    fn catch_up(&mut self) -> Result<(), Failure> {
        let version = data_version(&self.connection)?;
        if self.memory.seen(version) {
            return Ok(());
        }
        self.memory.outdated(version);
        Ok(())
    }

    fn sync(&mut self, synced: bool) -> Result<(), Failure> {
        if self.synced != synced {
            let level = if synced { "FULL" } else { "NORMAL" };
            let set = self.connection.execute_batch(&format!("PRAGMA synchronous = {level}"));
            self.noting(set.map_err(Failure::from))?;
            self.synced = synced;
        }
        Ok(())
    }

    /// Remembers what a failure means for what comes next.
    fn noting<T>(&mut self, done: Result<T, Failure>) -> Result<T, Failure> {
        match done.as_ref().map_err(Failure::reach) {
            Err(Reach::File) => self.trouble = Some(Trouble::File),
            Err(Reach::Connection) => {
                self.trouble.get_or_insert(Trouble::Connection);
            }
            _ => {}
        }
        done
    }
}

/// What relies on something that is lost is refused before it is tried.
fn without_broken_lines(group: Vec<Pending>) -> Vec<Pending> {
    let (broken, whole): (Vec<_>, Vec<_>) = group.into_iter().partition(|one| one.batch.line.broken().is_some());
    for pending in broken {
        if let Some(error) = pending.batch.line.broken().cloned() {
            pending.lose(&error);
        }
    }
    whole
}

fn data_version(connection: &Connection) -> Result<i64, Failure> {
    Ok(connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?)
}
