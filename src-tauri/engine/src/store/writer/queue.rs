//! What waits for the writer, and when it is worth writing.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use assent_core::run::{Batch, Durability, JournalError};
use tokio::sync::oneshot;

use super::Writer;

/// How long a batch that nobody waits for may lie, so that others share its commit.
const LINGER: Duration = Duration::from_millis(4);

/// So many events are written at once, whether or not anybody waits for them.
const ENOUGH: usize = 512;

/// Something for the writer to do.
pub(in crate::store) enum Job {
    /// Write a batch.
    Append {
        /// What.
        batch: Batch,
        /// How safely.
        durability: Durability,
        /// Who is told; nobody for [`Durability::Queued`].
        done: Option<oneshot::Sender<Result<(), JournalError>>>,
    },
    /// Anything else that writes.
    Task(Task),
    /// Somebody listens from this sequence number on.
    Listen(u64),
}

/// Something that writes, told why it cannot where there is no writer.
pub(in crate::store) type Task = Box<dyn FnOnce(Result<&mut Writer, JournalError>) + Send>;

/// What there is to do.
pub(in crate::store) enum Taken {
    /// These, in order.
    Jobs(Vec<Job>),
    /// Nothing has come in time.
    Nothing,
    /// The store is closed, and everything is done.
    Closed,
}

/// Jobs on their way to the writer.
#[derive(Default)]
pub(in crate::store) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    jobs: Vec<Job>,
    /// Events in `jobs`.
    events: usize,
    /// Somebody waits for one of the jobs.
    urgent: bool,
    /// When the oldest of the jobs came.
    since: Option<Instant>,
    closed: bool,
    /// Why nothing more is written.
    failure: Option<JournalError>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two statements that change it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a job at the end.
    pub(in crate::store) fn push(&self, job: Job) -> Result<(), JournalError> {
        let mut state = self.lock();
        if let Some(error) = &state.failure {
            return Err(error.clone());
        }
        if let Job::Append { batch, durability, .. } = &job {
            state.events += batch.events.len();
            state.urgent |= *durability > Durability::Queued;
        } else {
            state.urgent = true;
        }
        if state.closed {
            return Err(JournalError::Closed("the application ends".to_owned()));
        }
        // The first one wakes the writer so that it begins to count the time; the others lie until it is over.
        let wake = state.jobs.is_empty() || state.urgent || state.events >= ENOUGH;
        state.jobs.push(job);
        state.since.get_or_insert_with(Instant::now);
        drop(state);
        if wake {
            self.wake.notify_one();
        }
        Ok(())
    }

    /// Waits until something is worth doing; with patience, not for ever.
    pub(in crate::store) fn take(&self, patience: Option<Duration>) -> Taken {
        let limit = patience.map(|patience| Instant::now() + patience);
        let mut state = self.lock();
        loop {
            let ripe = state.since.map(|since| since + LINGER);
            let now = Instant::now();
            let due = ripe.is_some_and(|ripe| ripe <= now) || state.urgent || state.events >= ENOUGH || state.closed;
            if due && !state.jobs.is_empty() {
                (state.events, state.urgent, state.since) = (0, false, None);
                return Taken::Jobs(std::mem::take(&mut state.jobs));
            }
            if state.closed {
                return Taken::Closed;
            }
            let Some(until) = ripe.or(limit) else {
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if ripe.is_none() && until <= now {
                return Taken::Nothing;
            }
            let waited = self.wake.wait_timeout(state, until.saturating_duration_since(now));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Lets nothing more be written, and answers for what was on its way.
    pub(in crate::store) fn abandon(&self, error: JournalError) {
        let mut state = self.lock();
        state.closed = true;
        state.failure.get_or_insert(error);
        // Dropping a job tells whoever waits for it.
        state.jobs.clear();
    }

    /// Why nothing more is written, if so.
    pub(in crate::store) fn failure(&self) -> Option<JournalError> {
        self.lock().failure.clone()
    }

    /// Ends the writer when everything is done.
    pub(in crate::store) fn close(&self) {
        self.lock().closed = true;
        self.wake.notify_one();
    }
}
