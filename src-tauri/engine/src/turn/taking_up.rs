//! Taking up what was interrupted: turns without a plan, an approved plan without a run, a run without its answer.

use assent_core::ids::SessionId;
use assent_core::run::{Durability, Event, EventKind, TurnStatus};
use tokio_util::sync::CancellationToken;

use super::carry::Told;
use super::history::{latest_run, to_begin, unplanned};
use super::send::place;
use super::{ApprovalPolicy, TurnEnd, TurnError, Turns};
use crate::executor::ExecutorError;
use crate::store::{RunRow, StoreError, TurnRow};

impl Turns {
    /// The turns that are not over, oldest first: interrupted ones, those that somebody works on, and those that wait
    /// for a person.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn unended(&self) -> Result<Vec<TurnRow>, StoreError> {
        self.parts.sessions.unended_turns()
    }

    /// Takes the turns up again that were interrupted before there was a plan, or after their run was over: those of a
    /// session, or all.
    ///
    /// # Errors
    /// The database fails. A turn that cannot be taken up (its folder may be gone) ends as failed, and keeps none of the
    /// others from it.
    pub async fn take_up(
        &self,
        only: Option<&SessionId>,
        cancel: &CancellationToken,
    ) -> Result<Vec<TurnEnd>, TurnError> {
        let mut ends = Vec::new();
        for row in self.unended()? {
            if only.is_some_and(|session| *session != row.session) {
                continue;
            }
            // Of all sessions those that have not begun here are not what somebody stops.
            if only.is_none() && cancel.is_cancelled() {
                break;
            }
            let Some(_held) = self.hold(&row.id)? else { continue };
            match self.take_up_one(&row, cancel).await {
                Ok(end) => ends.extend(end),
                // Whoever has carried its run to the end is about to write how it ended.
                Err(TurnError::Run(ExecutorError::Busy(_))) => {}
                // What cannot be written now is taken up when it can be.
                Err(error) if passes(&error) => return Err(error),
                // Whoever approved its plan has begun the run after the look at what there is.
                Err(_) if self.has_begun(&row)? => {}
                Err(error) => {
                    let error = Some(format!("this could not be taken up again: {error}"));
                    let ended = EventKind::TurnEnded { status: TurnStatus::Failed, error };
                    let place = place(&row.session, &row.id);
                    self.write(&place, vec![ended], Vec::new(), Durability::Committed).await?;
                    ends.push(TurnEnd::Failed { session: row.session });
                }
            }
        }
        Ok(ends)
    }

    /// One such turn, which nobody else has; nothing where it has a run that is not over, or another told how it ended.
    async fn take_up_one(&self, row: &TurnRow, cancel: &CancellationToken) -> Result<Option<TurnEnd>, TurnError> {
        let events = self.parts.sessions.session_events(&row.session, 0)?;
        if let Some(words) = unplanned(&events, &row.id) {
            let session = self.parts.sessions.session(row.session.as_str())?;
            // With which policy the message was sent died with its process: a person is asked.
            let policy = Some(ApprovalPolicy::AlwaysAsk);
            return Ok(Some(self.plan(&session, &row.id, words, policy, cancel).await?));
        }
        // Whoever approved a plan may have died before its run was written down.
        if let Some(plan) = to_begin(&events, &row.id) {
            return self.run(plan, cancel).await.map(Some);
        }
        // Whoever carried a run to its end, or to what it asks, may have died before that was written.
        if let Some(run) = self.run_of(&events, row)?
            && (run.status.is_final() || run.status.is_waiting())
            && let (end, Told::Here) = self.carry(&run.id, Some(row.id.clone()), cancel).await?
        {
            return Ok(Some(end));
        }
        Ok(None)
    }

    /// Whether a run goes on in a turn.
    fn has_begun(&self, row: &TurnRow) -> Result<bool, TurnError> {
        let run = self.run_of(&self.parts.sessions.session_events(&row.session, 0)?, row)?;
        Ok(run.is_some_and(|run| !run.status.is_final()))
    }

    /// The run that went on last in a turn.
    fn run_of(&self, events: &[Event], row: &TurnRow) -> Result<Option<RunRow>, TurnError> {
        Ok(latest_run(events, &row.id).map(|run| self.parts.runs.run(run)).transpose()?)
    }
}

/// Whether something could not be written that can be later.
fn passes(error: &TurnError) -> bool {
    match error {
        TurnError::Journal(why) | TurnError::Run(ExecutorError::Journal(why)) => why.passes(),
        _ => false,
    }
}
