//! The loop of the writer's thread: jobs in their order, and a connection for them, opened anew where it was lost.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use assent_core::run::{Event, JournalError};
use tokio::sync::broadcast;

use super::queue::Taken;
use super::{Job, Pending, Queue, Trouble, Writer};
use crate::store::failure::Failure;

/// How often the file is looked at for what other processes have committed, while somebody listens.
const LOOK: Duration = Duration::from_millis(250);

/// How long nothing has to come before the search index is filled.
const IDLE: Duration = Duration::from_millis(1000);

/// What is written.
pub(in crate::store) struct File {
    pub(in crate::store) path: PathBuf,
    /// How long another program may hold it before that is an error.
    pub(in crate::store) patience: Duration,
}

/// Runs the writer until the queue is closed.
pub(in crate::store) fn run(file: File, queue: &Queue, changes: broadcast::Sender<Arc<Event>>) {
    let _guard = Abandon(queue);
    let mut desk = Desk { file, changes, writer: None, announced: None };
    loop {
        match queue.take(desk.patience()) {
            Taken::Jobs(jobs) => desk.work(jobs),
            Taken::Nothing => desk.idle(),
            Taken::Closed => return,
        }
        if desk.is_damaged() {
            return queue.abandon(damaged());
        }
    }
}

/// Whoever waits for a writer that is gone is told, also after a panic.
struct Abandon<'a>(&'a Queue);

impl Drop for Abandon<'_> {
    fn drop(&mut self) {
        self.0.abandon(JournalError::Closed("the writer has stopped".to_owned()));
    }
}

struct Desk {
    file: File,
    changes: broadcast::Sender<Arc<Event>>,
    /// `None` before the first job, and while the file cannot be opened.
    writer: Option<Writer>,
    /// The last event that listeners were told of, for the next writer.
    announced: Option<u64>,
}

impl Desk {
    fn patience(&self) -> Option<Duration> {
        let Some(writer) = &self.writer else { return self.announced.map(|_| LOOK) };
        if writer.announced.is_some() { Some(LOOK) } else { writer.unindexed.then_some(IDLE) }
    }

    /// A writer that can write, as far as is known; or why there is none.
    fn writer(&mut self) -> Result<&mut Writer, JournalError> {
        if self.is_damaged() {
            return Err(damaged());
        }
        if let Some(lost) = self.writer.take_if(|writer| writer.trouble.is_some()) {
            self.announced = lost.announced;
        }
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => {
                let mut writer = Writer::open(&self.file, self.changes.clone()).map_err(Failure::for_journal)?;
                writer.announced = self.announced.take();
                writer
            }
        };
        Ok(self.writer.insert(writer))
    }

    fn work(&mut self, jobs: Vec<Job>) {
        if self.changes.receiver_count() == 0 {
            self.announced = None;
            self.writer.iter_mut().for_each(|writer| writer.announced = None);
        }
        let mut group = Vec::new();
        for job in jobs {
            match job {
                Job::Append { batch, durability, done } => group.push(Pending { batch, durability, done }),
                Job::Task(task) => {
                    self.append(std::mem::take(&mut group));
                    task(self.writer());
                }
                Job::Listen(from) => {
                    self.append(std::mem::take(&mut group));
                    self.listen(from);
                }
            }
        }
        self.append(group);
    }

    fn append(&mut self, group: Vec<Pending>) {
        if group.is_empty() {
            return;
        }
        match self.writer() {
            Ok(writer) => writer.append(group),
            Err(error) => group.into_iter().for_each(|pending| pending.lose(&error)),
        }
    }

    fn listen(&mut self, from: u64) {
        let last = from.saturating_sub(1);
        match self.writer() {
            Ok(writer) => {
                writer.announced.get_or_insert(last);
                // What cannot be read now is told at the next look.
                let _ = writer.look();
            }
            Err(_) => {
                self.announced.get_or_insert(last);
            }
        }
    }

    /// What is done while nobody wants anything. What cannot be done now is done the next time.
    fn idle(&mut self) {
        if self.changes.receiver_count() == 0 {
            self.announced = None;
            self.writer.iter_mut().for_each(|writer| writer.announced = None);
        }
        let Ok(writer) = self.writer() else { return };
        let _ = writer.look();
        if writer.unindexed {
            writer.unindexed = writer.index_idly().unwrap_or(false);
        }
    }

    fn is_damaged(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.trouble == Some(Trouble::File))
    }
}

/// What is told once the file was found to be damaged: to write to it any more could make it worse.
fn damaged() -> JournalError {
    JournalError::Damaged("it is not written any more; what was committed may still be read and exported".to_owned())
}
