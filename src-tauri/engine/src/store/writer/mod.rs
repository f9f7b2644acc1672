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

mod memory;
mod project;
mod queue;
mod remove;

use std::path::PathBuf;
use std::time::Duration;

use assent_core::run::{Batch, Durability, Event, JournalError};
use rusqlite::Connection;
use tokio::sync::{broadcast, oneshot};

use super::connection::connect;
use super::failure::Failure;
use super::table::{counter, event};
use memory::Memory;
use queue::Taken;
pub(super) use queue::{Job, Queue};

/// How often the file is looked at for what other processes have committed, while somebody listens.
const LOOK: Duration = Duration::from_millis(250);

/// How long nothing has to come before the search index is filled.
const IDLE: Duration = Duration::from_millis(1000);

/// Freed space is overwritten, a sync reaches the disk also on macOS, and a log that has grown is cut back.
const SETTINGS: &str = "PRAGMA secure_delete = ON; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
    PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304; PRAGMA temp_store = MEMORY";

/// The writing side of the store.
pub(super) struct Writer {
    connection: Connection,
    memory: Memory,
    encoder: event::Encoder,
    changes: broadcast::Sender<Event>,
    /// The last event that listeners were told of; `None` while nobody listens.
    announced: Option<u64>,
    /// `PRAGMA data_version` when the file was last looked at.
    looked: i64,
    /// Whether commits are synced to the disk.
    synced: bool,
    /// Whether events were written since the index was last filled.
    unindexed: bool,
}

struct Pending {
    batch: Batch,
    durability: Durability,
    done: Option<oneshot::Sender<Result<(), JournalError>>>,
}

/// Runs the writer until the queue is closed.
pub(super) fn run(path: PathBuf, patience: Duration, queue: &Queue, changes: broadcast::Sender<Event>) {
    let _guard = Abandon(queue);
    let opened = connect(&path, patience).and_then(|connection| {
        connection.execute_batch(SETTINGS)?;
        Ok(connection)
    });
    match opened {
        Ok(connection) => {
            let mut writer = Writer {
                connection,
                memory: Memory::default(),
                encoder: event::Encoder::default(),
                changes,
                announced: None,
                looked: 0,
                synced: false,
                unindexed: false,
            };
            writer.serve(queue);
        }
        Err(error) => queue.abandon(Failure::from(error).for_journal()),
    }
}

/// Whoever waits for a writer that is gone is told, also after a panic.
struct Abandon<'a>(&'a Queue);

impl Drop for Abandon<'_> {
    fn drop(&mut self) {
        self.0.abandon(JournalError::Closed("the writer has stopped".to_owned()));
    }
}

impl Writer {
    fn serve(&mut self, queue: &Queue) {
        loop {
            if self.changes.receiver_count() == 0 {
                self.announced = None;
            }
            let patience = if self.announced.is_some() { Some(LOOK) } else { self.unindexed.then_some(IDLE) };
            match queue.take(patience) {
                Taken::Jobs(jobs) => self.work(jobs, queue),
                Taken::Nothing => {
                    // What cannot be done now is done at the next look.
                    let _ = self.look();
                    if std::mem::take(&mut self.unindexed) {
                        let _ = self.index_idly();
                    }
                }
                Taken::Closed => return,
            }
        }
    }

    fn work(&mut self, jobs: Vec<Job>, queue: &Queue) {
        let mut group = Vec::new();
        for job in jobs {
            match job {
                Job::Append { batch, durability, done } => group.push(Pending { batch, durability, done }),
                Job::Task(task) => {
                    self.append(std::mem::take(&mut group), queue);
                    task(self);
                }
                Job::Listen(from) => {
                    self.append(std::mem::take(&mut group), queue);
                    self.announced.get_or_insert(from.saturating_sub(1));
                    let _ = self.look();
                }
            }
        }
        self.append(group, queue);
    }

    /// Writes batches in one transaction. One that the state does not allow is refused alone; any other failure is the
    /// end of appending, so that no event is ever missing between two that are there.
    fn append(&mut self, mut group: Vec<Pending>, queue: &Queue) {
        while !group.is_empty() {
            if let Some(error) = queue.failure() {
                tell(group, &error);
                return;
            }
            match self.commit(&group) {
                Ok(first) => {
                    self.announce(first, group);
                    return;
                }
                Err((Some(refused), failure @ (Failure::Conflict(_) | Failure::NotFound(..)))) => {
                    let refused = group.remove(refused);
                    tell(vec![refused], &failure.for_journal());
                }
                Err((_, failure)) => {
                    let error = failure.for_journal();
                    queue.fail(error.clone(), group.iter().any(|pending| pending.done.is_some()));
                    tell(group, &error);
                    return;
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
                    writer.write(&pending.batch, seq)?;
                    seq += pending.batch.events.len() as u64;
                }
                at = None;
                writer.finish(seq, synced && seq == first)?;
                Ok(first)
            })
        });
        committed.map_err(|failure| (at, failure))
    }

    fn finish(&mut self, next: u64, barrier: bool) -> Result<(), Failure> {
        self.memory.flush(&self.connection)?;
        if barrier {
            counter::touch(&self.connection)?;
        }
        counter::set_next(&self.connection, next)
    }

    /// Does something in a transaction that holds the write lock from its beginning.
    pub(super) fn transaction<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
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
            self.connection.execute_batch(&format!("PRAGMA synchronous = {level}"))?;
            self.synced = synced;
        }
        Ok(())
    }

    /// Tells listeners of a group that is committed, after what others have committed before it; then those who wait.
    fn announce(&mut self, first: u64, group: Vec<Pending>) {
        if self.announced.is_some_and(|announced| announced + 1 < first) {
            let _ = self.announce_stored(first);
        }
        let mut seq = first;
        self.unindexed = true;
        for pending in group {
            for draft in pending.batch.events {
                if self.announced.is_some() {
                    // Nobody listening any more is no failure.
                    let _ = self.changes.send(Event { seq, place: draft.place, at: draft.at, kind: draft.kind });
                    self.announced = Some(seq);
                }
                seq += 1;
            }
            if let Some(done) = pending.done {
                let _ = done.send(Ok(()));
            }
        }
    }

    /// Tells listeners what other processes have committed.
    fn look(&mut self) -> Result<(), Failure> {
        let version = data_version(&self.connection)?;
        if self.announced.is_none() || self.looked == version {
            return Ok(());
        }
        let next = counter::next(&self.connection)?;
        self.announce_stored(next)?;
        self.looked = version;
        Ok(())
    }

    fn announce_stored(&mut self, before: u64) -> Result<(), Failure> {
        let mut names = event::Names::default();
        while let Some(announced) = self.announced.filter(|announced| announced + 1 < before) {
            let rest = "WHERE seq > ?1 AND seq < ?2 ORDER BY seq LIMIT 1000";
            let range = [counter::signed(announced), counter::signed(before)];
            let events = event::read(&self.connection, &mut names, rest, range)?;
            // What a person has removed in the meantime is not told.
            let last = events.last().map_or(before - 1, |event| event.seq);
            for event in events {
                let _ = self.changes.send(event);
            }
            self.announced = Some(last);
        }
        Ok(())
    }
}

fn tell(group: Vec<Pending>, error: &JournalError) {
    for done in group.into_iter().filter_map(|pending| pending.done) {
        // Whoever has stopped waiting does not want to know.
        let _ = done.send(Err(error.clone()));
    }
}

fn data_version(connection: &Connection) -> Result<i64, Failure> {
    Ok(connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?)
}
