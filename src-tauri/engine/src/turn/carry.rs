//! Carrying runs on, and writing down how they stand when nobody does any more.

use std::time::Duration;

use assent_core::ids::{RunId, StepId, TurnId};
use assent_core::run::{Batch, Content, Draft, Durability, Event, EventKind, Place, RunStatus, TurnStatus};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{TurnEnd, TurnError, Turns};
use crate::executor::{ExecutorError, RunOutcome};
use crate::store::RunRow;

/// How often, and with which pause, the end of a run waits for whoever is about to write how it stood: in all as long as
/// the database is waited for.
const LOOKS: usize = 500;
/// How often it is looked whether a run that somebody holds is held for longer than a moment.
const GLANCES: usize = 20;
const LOOK: Duration = Duration::from_millis(10);

impl Turns {
    /// Carries on what was interrupted: turns that have no plan yet, and runs that nobody carries on and that do not
    /// wait for a person, or are to be stopped. With a name, only that run.
    ///
    /// # Errors
    /// The lists cannot be read. One run that cannot go on keeps none of the others from it.
    pub async fn resume(&self, only: Option<&str>, cancel: &CancellationToken) -> Result<Vec<TurnEnd>, TurnError> {
        let mut ends = Vec::new();
        if only.is_none() {
            ends.extend(self.take_up(None, cancel).await?);
        }
        let is_wanted = |row: &RunRow| only.is_none_or(|id| row.id.as_str().starts_with(id));
        let rows = self.parts.executor.interrupted()?.into_iter().filter(is_wanted);
        ends.extend(self.carry_each(rows, cancel).await?);
        Ok(ends)
    }

    /// Finishes the stops of runs that wait for a person and that nobody has in hand: whoever was to do it has died since.
    ///
    /// # Errors
    /// The runs cannot be read.
    pub async fn finish_stops(&self, cancel: &CancellationToken) -> Result<(), TurnError> {
        let stopped = self.parts.executor.interrupted()?.into_iter().filter(|row| row.status.is_waiting());
        self.carry_each(stopped, cancel).await.map(drop)
    }

    /// Writes the end of a run that was stopped into its turn, where that is open: whoever has answered meanwhile has found
    /// the run's lock taken by the stop, and left the rest to it.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub async fn end_stopped(&self, run: &RunId) -> Result<(), TurnError> {
        let is_over = self.parts.runs.run(run)?.status.is_final();
        if !is_over || !self.parts.runs.turns_of(run)?.iter().any(|(_, is_open)| *is_open) {
            return Ok(());
        }
        match self.carry(run, None, &CancellationToken::new()).await {
            Err(TurnError::Run(ExecutorError::Busy(_))) => Ok(()),
            ended => ended.map(drop),
        }
    }

    async fn carry_each(
        &self,
        rows: impl Iterator<Item = RunRow>,
        cancel: &CancellationToken,
    ) -> Result<Vec<TurnEnd>, TurnError> {
        let mut ends = Vec::new();
        for row in rows {
            // What has not begun here is not what somebody stops.
            if cancel.is_cancelled() {
                break;
            }
            match self.carry(&row.id, None, cancel).await {
                Ok((end, Told::Here)) => ends.push(end),
                Ok((_, Told::Elsewhere)) => {}
                Err(TurnError::Run(ExecutorError::Busy(_))) => {}
                Err(error) => {
                    let place = Place { session: row.session.clone(), turn: row.turn.clone(), run: None, step: None };
                    let message = format!("a run could not be carried on: {error}");
                    if !self.is_said(&row, &message)? {
                        self.write(&place, vec![EventKind::Warned { message }], Vec::new(), Durability::Committed)
                            .await?;
                    }
                    ends.push(TurnEnd::Failed { session: row.session });
                }
            }
        }
        Ok(ends)
    }

    /// Whether a warning was written since anything happened in a run: each start of a program would say it once more.
    fn is_said(&self, row: &RunRow, said: &str) -> Result<bool, TurnError> {
        Ok(self.since(row)?.iter().any(|event| matches!(&event.kind, EventKind::Warned { message } if message == said)))
    }

    /// Carries a run on to its end or to the point where a person has to say something, and settles its turn; without one
    /// that is the latest that the run has a part in.
    ///
    /// # Errors
    /// Another holder carries it on, or it cannot go on here.
    pub async fn carry_on(
        &self,
        run: &RunId,
        turn: Option<TurnId>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let before = self.parts.runs.last_event(run)?;
        let mut glances = 0;
        loop {
            match self.carry(run, turn.clone(), cancel).await {
                // Who holds it only to look whether a step can be done again carries nothing on where it cannot; whoever
                // carries it on has that written down.
                Err(busy @ TurnError::Run(ExecutorError::Busy(_))) => {
                    tokio::time::sleep(LOOK).await;
                    glances += 1;
                    if glances > GLANCES || self.parts.runs.last_event(run)? != before {
                        return Err(busy);
                    }
                }
                carried => return Ok(carried?.0),
            }
        }
    }

    /// The same, and who has written how it ended.
    pub(super) async fn carry(
        &self,
        run: &RunId,
        turn: Option<TurnId>,
        cancel: &CancellationToken,
    ) -> Result<(TurnEnd, Told), TurnError> {
        let turn = match turn {
            Some(turn) => Some(turn),
            None => self.parts.runs.turns_of(run)?.pop().map(|(turn, _)| turn),
        };
        // Until its answer is written, nobody else takes the turn up. Whoever began it may hold it already.
        let _held = turn.as_ref().map(|turn| self.hold(turn)).transpose()?;
        let mut waited = None;
        loop {
            let outcome = match (self.carry_once(run, turn.clone(), cancel).await, waited.take()) {
                (Err(TurnError::Run(ExecutorError::Busy(_))), Some(end)) => return Ok((end, Told::Elsewhere)),
                (outcome, _) => outcome?,
            };
            let row = self.parts.runs.run(run)?;
            match self.settle(&row, turn.clone(), outcome).await? {
                Settled::Told(end, by) => return Ok((end, by)),
                // Whoever did that may have died since, or leave the rest to others.
                Settled::Overtaken(end) => waited = Some(end),
            }
        }
    }

    async fn carry_once(
        &self,
        run: &RunId,
        turn: Option<TurnId>,
        cancel: &CancellationToken,
    ) -> Result<RunOutcome, TurnError> {
        let over = CancellationToken::new();
        let work = async {
            let outcome = self.parts.executor.carry_on(run, turn).await;
            over.cancel();
            outcome
        };
        let stop = async {
            tokio::select! {
                () = cancel.cancelled() => self.parts.executor.cancel(run).await,
                () = over.cancelled() => Ok(()),
            }
        };
        let (outcome, stopped) = tokio::join!(work, stop);
        stopped?;
        Ok(outcome?)
    }

    /// Writes the answer and the end of the latest turn that the run has a part in, unless another process has: it may have
    /// carried the run to where it stands between the look at a list and the lock. A person may have answered a question
    /// while the run went on in an earlier turn, which was left by that.
    async fn settle(&self, row: &RunRow, turn: Option<TurnId>, outcome: RunOutcome) -> Result<Settled, TurnError> {
        let (status, error, end) = ended(row, &outcome);
        let writing = self.writing(row, status != TurnStatus::Asked).await?;
        if self.parts.executor.is_overtaken(&outcome)? {
            return Ok(Settled::Overtaken(end));
        }
        let mut turns = self.parts.runs.turns_of(&row.id)?;
        if let Some(turn) = turn.filter(|turn| !turns.iter().any(|(known, _)| known == turn)) {
            turns.push((turn, true));
        }
        let latest = turns.pop().map(|(turn, _)| turn);
        let since = self.since(row)?;
        let since = || since.iter().filter(|event| event.place.turn == latest).map(|event| &event.kind);
        let is_told = |kind: &EventKind| matches!(kind, EventKind::TurnEnded { status: said, .. } if *said == status);
        if writing.is_none() || since().any(is_told) {
            return Ok(Settled::Told(end, Told::Elsewhere));
        }
        // How it ended is no end of a turn that has gone on to something else.
        let goes_on = since().any(begins);
        let place = |turn: Option<TurnId>| Place { session: row.session.clone(), turn, run: None, step: None };
        let mut events = Vec::new();
        let mut blobs = Vec::new();
        if let Some(answer) = &outcome.answer {
            let (text, blob) = Content::keep(Value::String(answer.clone()));
            blobs.extend(blob);
            events.push(EventKind::Answered { text });
        }
        events.push(EventKind::TurnEnded { status, error });
        let left = EventKind::TurnEnded { status: TurnStatus::Asked, error: None };
        let left = turns.into_iter().filter(|(_, is_open)| *is_open).map(|(turn, _)| (place(Some(turn)), left.clone()));
        let mut drafts: Vec<Draft> = left.flat_map(|(place, left)| self.drafts(&place, vec![left])).collect();
        if !goes_on {
            drafts.extend(self.drafts(&place(latest.clone()), events));
        }
        let batch = Batch { events: drafts, blobs, ..Batch::default() };
        self.parts.journal.append(batch, Durability::Committed).await?;
        drop(writing);
        // Who was quicker than that has found the lock taken.
        Ok(if self.parts.executor.is_overtaken(&outcome)? {
            Settled::Overtaken(end)
        } else {
            Settled::Told(end, Told::Here)
        })
    }

    /// The lock of who is about to write how a run stands; a process that dies with it leaves a turn to be taken up. What
    /// is final is written after whoever has it, who may have known less; anything else is left to them.
    async fn writing(&self, row: &RunRow, is_final: bool) -> Result<Option<Box<dyn Send>>, TurnError> {
        let name = RunId::from(format!("end-{}", row.id).as_str());
        for _ in 0..LOOKS {
            let lock = self.parts.locks.try_lock(&name)?;
            if lock.is_some() || !is_final {
                return Ok(lock);
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(None)
    }

    /// What was written in the session since the last that happened in the run.
    fn since(&self, row: &RunRow) -> Result<Vec<Event>, TurnError> {
        Ok(self.parts.sessions.session_events(&row.session, self.parts.runs.last_event(&row.id)?)?)
    }

    /// Waits for whoever is about to write how these runs ended, and keeps everybody from it while what is given is held.
    pub(super) async fn after_ends(&self, runs: &[RunRow]) -> Result<Vec<Box<dyn Send>>, TurnError> {
        let mut held = Vec::new();
        for row in runs {
            held.extend(self.writing(row, true).await?);
        }
        Ok(held)
    }
}

/// How a run stands when nobody carries it on any more.
enum Settled {
    /// As its turn says.
    Told(TurnEnd, Told),
    /// What it waited for was settled meanwhile.
    Overtaken(TurnEnd),
}

/// Who wrote how a turn ended.
pub(super) enum Told {
    /// This call.
    Here,
    /// Another process, or an earlier call.
    Elsewhere,
}

/// Whether a turn goes on with another run.
fn begins(kind: &EventKind) -> bool {
    matches!(kind, EventKind::PlanApproved { starts: true, .. } | EventKind::RunQueued { .. })
}

/// How a run that nobody carries on any more ends its turn.
fn ended(row: &RunRow, outcome: &RunOutcome) -> (TurnStatus, Option<String>, TurnEnd) {
    let session = row.session.clone();
    match outcome.status {
        RunStatus::Completed | RunStatus::CompletedWithWarnings => {
            (TurnStatus::Answered, None, TurnEnd::Answered { session })
        }
        RunStatus::Failed => (TurnStatus::Failed, Some(why(&outcome.reasons)), TurnEnd::Failed { session }),
        RunStatus::Cancelled => (TurnStatus::Cancelled, None, TurnEnd::Cancelled { session }),
        _ => (TurnStatus::Asked, None, TurnEnd::Waiting { session, run: row.id.clone() }),
    }
}

/// Why a run failed, in one line.
fn why(reasons: &[(StepId, String)]) -> String {
    match reasons {
        [] => "a step failed".to_owned(),
        [(step, reason)] => format!("{step}: {reason}"),
        [(step, reason), rest @ ..] => format!("{step}: {reason} (and {} more)", rest.len()),
    }
}
