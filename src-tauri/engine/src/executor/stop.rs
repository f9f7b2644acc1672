//! The end of a run that a person stops, whoever carries it on, and whether or not it could go on.

use std::task::Poll;
use std::time::Duration;

use assent_core::ids::RunId;
use assent_core::run::{Batch, Draft, Durability, EventKind, JournalError, Place, RunState};
use tokio::sync::broadcast::error::RecvError;

use super::{Executor, ExecutorError, ends, lock};
use crate::store::RunRow;

/// More answers than that do not come between the reading of a run and its end, one after the other.
const ANSWERS: usize = 16;

impl Executor {
    /// Stops a run: its model calls, tools and processes end within a second, and it is over when this returns. A run
    /// that another process carries on is ended by that process.
    ///
    /// # Errors
    /// It could not be read or written.
    pub async fn cancel(&self, run: &RunId) -> Result<(), ExecutorError> {
        let active = lock(&self.active).get(run).map(|active| (active.cancel.clone(), active.done.clone()));
        if let Some((cancel, done)) = active {
            // Written down first: who dies while everything ends must not find it going on. What ends it waits for no disk.
            let asked = self.ask_to_stop(run);
            tokio::pin!(asked);
            let begun = futures::poll!(&mut asked);
            cancel.cancel();
            done.cancelled().await;
            let asked = match begun {
                Poll::Ready(asked) => asked,
                Poll::Pending => asked.await,
            };
            // Where its end could not be written down, it is tried here once more.
            if self.is_over(run)? {
                return Ok(());
            }
            asked?;
        }
        if self.end_unheld(run).await? {
            return Ok(());
        }
        self.ask_to_stop(run).await?;
        // A holder that has let go before this was written has not seen it.
        self.end_unheld(run).await.map(drop)
    }

    /// Writes down that a run is to be stopped, whoever has it.
    async fn ask_to_stop(&self, run: &RunId) -> Result<(), ExecutorError> {
        let row = self.parts.runs.run(run)?;
        let place = Place { session: row.session, turn: row.turn, run: Some(run.clone()), step: None };
        match self.append(place, EventKind::RunStopAsked, Durability::Committed).await {
            // It has just ended.
            Err(ExecutorError::Journal(JournalError::Conflict(_))) if self.is_over(run)? => Ok(()),
            other => other,
        }
    }

    /// Stops a run and waits until it is over, whoever carries it on; whether it is, after so long.
    ///
    /// # Errors
    /// As [`Executor::cancel`].
    pub async fn cancel_within(&self, run: &RunId, limit: Duration) -> Result<bool, ExecutorError> {
        // Listening begins before looking, so that no end is missed in between.
        let mut changes = self.parts.changes.subscribe();
        self.cancel(run).await?;
        let over = async {
            while !self.is_over(run)? {
                if let Err(RecvError::Closed) = changes.recv().await {
                    return self.is_over(run);
                }
            }
            Ok(true)
        };
        tokio::time::timeout(limit, over).await.unwrap_or_else(|_| self.is_over(run))
    }

    fn is_over(&self, run: &RunId) -> Result<bool, ExecutorError> {
        Ok(self.parts.runs.run(run)?.status.is_final())
    }

    /// Ends a run that nobody carries on; whether nobody does.
    async fn end_unheld(&self, run: &RunId) -> Result<bool, ExecutorError> {
        let Some(_held) = self.parts.locks.try_lock(run)? else { return Ok(false) };
        for _ in 1..ANSWERS {
            match self.end_as_read(run).await {
                // An answer needs no lock: one was given after the run was read, and what is left to end is another thing.
                Err(ExecutorError::Journal(JournalError::Conflict(_))) => {}
                ended => return ended.map(|()| true),
            }
        }
        self.end_as_read(run).await.map(|()| true)
    }

    async fn end_as_read(&self, run: &RunId) -> Result<(), ExecutorError> {
        let row = self.parts.runs.run(run)?;
        let mut state = self.folded(&row)?;
        self.end(&row, &mut state).await
    }

    /// Ends a run under its lock. Whether it could go on does not matter: who stops it wants just that it does not.
    pub(super) async fn end(&self, row: &RunRow, state: &mut RunState) -> Result<(), ExecutorError> {
        let at = self.parts.clock.now();
        let mut events = Vec::new();
        for (step, kind) in ends::cancelled(state) {
            let step = step.map(|step| state.step(step).id.clone());
            let place = Place { session: row.session.clone(), turn: row.turn.clone(), run: Some(row.id.clone()), step };
            state.apply(&place, at, &kind)?;
            events.push(Draft { place, at, kind });
        }
        if !events.is_empty() {
            self.parts.journal.append(Batch { events, ..Batch::default() }, Durability::Committed).await?;
        }
        lock(&self.jobs).remove(&row.id);
        Ok(())
    }
}
