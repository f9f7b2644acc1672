//! Carrying out approved plans, held to the ledger.
//!
//! ```text
//! start ► carry_on: lock ► fold ► schedule ► a step's loop ► calls, judged by the ledger ► answer ► end
//! ```
//! What comes next is always read from the folded events, so that going on after a crash, an answer or another process
//! is the same as going on. Invariants: a reply is in the journal before its first call starts; a call with effects
//! begins only when its start is on the disk; a strict step completes only when the ledger has a successful call of
//! every required tool; nothing that a person settles times out. Never here: SQLite, adapters by name, plan parsing.

mod agent;
mod agent_input;
mod agent_prompt;
mod aim;
mod answer;
mod artifacts;
mod base;
mod bound;
mod calls;
mod caps;
mod carrier;
mod claims;
mod complete;
mod context;
mod decided;
mod delegate;
mod discovered;
mod error;
mod expand;
mod flood;
mod guard;
mod held;
mod left_behind;
mod lend;
mod make;
mod next;
mod once;
mod own;
mod parts;
mod phases;
mod rebuild;
mod recipe;
mod recover;
mod remarks;
mod result;
mod result_contract;
mod schedule;
mod seen;
mod settle;
mod shown;
mod step;
mod suspend;
mod synthesis;
mod takeover;
mod told;
mod touched;
mod verify;
mod whole;
mod words;
mod work;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use assent_core::ids::{RunId, SessionId, StepId, TurnId};
use assent_core::run::{
    Batch, Content, Draft, Durability, EventKind, JournalError, Place, Request, RequestStatus, RunState, RunStatus,
    Usage,
};
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

pub use answer::{Unfitting, fits, literal, option_named};
pub use error::ExecutorError;
pub(crate) use lend::lending;
pub use parts::{
    Asker, ExecutorParts, Job, Jobs, Locks, Models, Permit, Proposal, Role, Rules, Sampling, Surroundings, Verdict,
    Witness,
};
pub use phases::BY_PHASES;
pub use rebuild::{NotRebuilt, Sent};
pub use suspend::{AGAIN, CHANGE_PLAN, DONE, SKIP};
pub use takeover::{Again, Carried, Was};

use carrier::Carrier;
use error::Stop;
use schedule::Outside;

use crate::prompt::Templates;

/// Carries out approved plans. Cheap to share.
pub struct Executor {
    parts: Arc<ExecutorParts>,
    active: Mutex<HashMap<RunId, Active>>,
    /// Jobs of runs that were started here and are not over.
    jobs: Mutex<HashMap<RunId, Job>>,
}

struct Active {
    cancel: CancellationToken,
    done: CancellationToken,
}

/// How a run stands when nobody carries it on any more.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// The run.
    pub run: RunId,
    /// Over, or waiting for a person.
    pub status: RunStatus,
    /// The answer in Markdown, once the run is over and has one.
    pub answer: Option<String>,
    /// What a person has to settle first, oldest first.
    pub requests: Vec<Request>,
    /// Why steps did not complete: the step and the reason.
    pub reasons: Vec<(StepId, String)>,
    /// Tokens of all its model calls.
    pub usage: Usage,
    /// How many those were.
    pub model_calls: u32,
}

impl Executor {
    /// An executor that works with these parts.
    pub fn new(parts: ExecutorParts) -> Self {
        Self { parts: Arc::new(parts), active: Mutex::default(), jobs: Mutex::default() }
    }

    /// Queues a run of an approved plan. Steps in `carried` were completed by an earlier run and are taken over.
    ///
    /// Committed when this returns; [`Executor::carry_on`] does the work.
    ///
    /// # Errors
    /// Nothing was written.
    pub async fn start(
        &self,
        job: Job,
        session: SessionId,
        turn: Option<TurnId>,
        taken_over: Vec<Carried>,
    ) -> Result<RunId, ExecutorError> {
        let run = RunId::new(self.parts.ids.fresh());
        let place = Place { session, turn, run: Some(run.clone()), step: None };
        let state = RunState::new(run.clone(), job.plan.plan());
        let queued = EventKind::RunQueued { plan: job.plan.plan_ref() };
        let carrier = Carrier::new(self.parts.clone(), job.clone(), place, state, CancellationToken::new());
        let mut events = vec![(None, queued)];
        for step in taken_over {
            let at = carrier.state().index_of(&step.step);
            events.push((at, step.event(&carrier)));
        }
        carrier.write(events, Durability::Committed).await.map_err(plain)?;
        lock(&self.jobs).insert(run.clone(), job);
        Ok(run)
    }

    /// Carries a run on until it is over or only a person can help. `turn` is the turn that its events belong to: the
    /// one that started it, or the one whose message answered a question; `None` for the first.
    ///
    /// # Errors
    /// [`ExecutorError::Busy`] while another holder carries it on; anything that keeps it from going on here. What was
    /// written before is there, and carrying on again begins with it.
    pub async fn carry_on(&self, run: &RunId, turn: Option<TurnId>) -> Result<RunOutcome, ExecutorError> {
        loop {
            let Some(held) = self.parts.locks.try_lock(run)? else {
                return Err(ExecutorError::Busy(run.clone()));
            };
            let carried = self.hold(run, turn.clone()).await;
            drop(held);
            let outcome = match carried {
                // Another hand was quicker: fold again.
                Err(ExecutorError::Journal(JournalError::Conflict(_))) => continue,
                other => other?,
            };
            // Whoever answered or stopped the run while the lock was held has left the rest to its holder.
            let mut overtaken = false;
            for request in &outcome.requests {
                overtaken |= self.parts.requests.request(request.id.as_str())?.status != RequestStatus::Open;
            }
            if !overtaken && (outcome.status.is_final() || !self.is_stop_asked(run)?) {
                return Ok(outcome);
            }
        }
    }

    /// Carries a run on under its lock.
    async fn hold(&self, run: &RunId, turn: Option<TurnId>) -> Result<RunOutcome, ExecutorError> {
        // Listening begins before reading, so that nothing is missed in between.
        let mut outside = Outside { events: self.parts.changes.subscribe() };
        let cancel = CancellationToken::new();
        let carrier = self.load(run, turn, cancel.clone())?;
        if carrier.state().is_over() {
            return self.outcome(&carrier);
        }
        let done = CancellationToken::new();
        let _done = done.clone().drop_guard();
        lock(&self.active).insert(run.clone(), Active { cancel, done });
        let carried = self.work(&carrier, &mut outside).await;
        lock(&self.active).remove(run);
        carried.map_err(plain)?;
        // What is still queued has to be there before the next holder reads.
        carrier.write(Vec::new(), Durability::Committed).await.map_err(plain)?;
        self.outcome(&carrier)
    }

    async fn work(&self, carrier: &Carrier, outside: &mut Outside) -> Result<(), Stop> {
        let has_work = {
            let state = carrier.state();
            matches!(state.status(), RunStatus::Queued | RunStatus::Running | RunStatus::Synthesizing)
                || state.stop_asked()
        };
        if has_work {
            carrier.write(vec![(None, EventKind::RunStarted)], Durability::Queued).await?;
        }
        schedule::carry_on(carrier, outside).await
    }

    fn load(&self, run: &RunId, turn: Option<TurnId>, cancel: CancellationToken) -> Result<Carrier, ExecutorError> {
        let row = self.parts.runs.run(run)?;
        let known = lock(&self.jobs).get(run).cloned();
        let job = match known {
            Some(job) => job,
            None => self.parts.jobs.job(&row)?,
        };
        let state = self.parts.folded(run, &job)?;
        let place = Place { session: row.session, turn: turn.or(row.turn), run: Some(run.clone()), step: None };
        Ok(Carrier::new(self.parts.clone(), job, place, state, cancel))
    }

    fn outcome(&self, carrier: &Carrier) -> Result<RunOutcome, ExecutorError> {
        let state = carrier.state();
        let status = state.status();
        let over = state.is_over();
        if over {
            lock(&self.jobs).remove(state.run());
        }
        let reasons = state.steps().iter().filter(|step| step.status.is_settled());
        let reasons = reasons.filter_map(|step| Some((step.id.clone(), step.reason.clone()?)));
        Ok(RunOutcome {
            run: state.run().clone(),
            status,
            answer: if over { synthesis::answer(&state, carrier)? } else { None },
            requests: state.open_requests().map(|request| request.request.clone()).collect(),
            reasons: reasons.collect(),
            usage: state.usage(),
            model_calls: state.model_calls(),
        })
    }

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
        let carrier = self.load(run, None, CancellationToken::new())?;
        schedule::end_cancelled(&carrier).await.map_err(plain)?;
        Ok(true)
    }

    /// The prompts.
    pub fn templates(&self) -> &Templates {
        &self.parts.templates
    }

    /// Whether a run is being carried on, here or by another process.
    ///
    /// # Errors
    /// The data folder cannot be used.
    pub fn is_carried_on(&self, run: &RunId) -> Result<bool, ExecutorError> {
        Ok(self.parts.locks.is_held(run)?)
    }

    /// Makes a settled step, and what was skipped because of it, pending again; completed steps that build on it are
    /// marked stale. [`Executor::carry_on`] does the work.
    ///
    /// # Errors
    /// [`ExecutorError::Conflict`] when the step is not settled or the run was cancelled.
    pub async fn retry(&self, run: &RunId, step: &StepId) -> Result<(), ExecutorError> {
        let Some(_held) = self.parts.locks.try_lock(run)? else {
            return Err(ExecutorError::Busy(run.clone()));
        };
        let carrier = self.load(run, None, CancellationToken::new())?;
        let at = carrier.state().index_of(step);
        let stale = at
            .map(|at| takeover::completed_downstream(carrier.job.plan.checked(), &carrier.state(), at))
            .unwrap_or_default();
        carrier.write(vec![(at, EventKind::StepReset { stale })], Durability::Committed).await.map_err(plain)
    }

    async fn append(&self, place: Place, kind: EventKind, durability: Durability) -> Result<(), ExecutorError> {
        let draft = Draft { place, at: self.parts.clock.now(), kind };
        Ok(self.parts.journal.append(Batch { events: vec![draft], ..Batch::default() }, durability).await?)
    }

    /// The whole of a content that events name.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn content(&self, content: &Content) -> Result<Value, ExecutorError> {
        match content {
            Content::Inline { inline } => Ok(inline.as_ref().clone()),
            Content::Blob { blob, .. } => Ok(Content::decode(&self.parts.blobs.blob(blob)?)),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn plain(stop: Stop) -> ExecutorError {
    match stop {
        Stop::Error(error) => error,
        // Only a run in hand can be stopped, and that is written as its end.
        Stop::Cancelled => ExecutorError::Stopped,
    }
}
