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
mod covered;
mod decided;
mod delegate;
mod discovered;
mod ends;
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
mod reprompt;
mod result;
mod result_contract;
mod retry;
mod schedule;
mod seen;
mod settle;
mod shown;
mod step;
mod stop;
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

use assent_core::ids::{RunId, SessionId, StepId, TurnId};
use assent_core::run::{
    Batch, Content, Draft, Durability, EventKind, JournalError, Place, Request, RequestStatus, RunState, RunStatus,
    Usage,
};
use serde_json::Value;
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
use whole::{Contents, Stored};

use crate::prompt::Templates;
use crate::store::RunRow;

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
            if !self.is_overtaken(&outcome)? && (outcome.status.is_final() || !self.is_stop_asked(run)?) {
                return Ok(outcome);
            }
        }
    }

    /// Whether something that a run stopped for was settled since.
    ///
    /// # Errors
    /// The requests cannot be read.
    pub fn is_overtaken(&self, outcome: &RunOutcome) -> Result<bool, ExecutorError> {
        for request in &outcome.requests {
            if self.parts.requests.request(request.id.as_str())?.status != RequestStatus::Open {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Carries a run on under its lock.
    async fn hold(&self, run: &RunId, turn: Option<TurnId>) -> Result<RunOutcome, ExecutorError> {
        // Listening begins before reading, so that nothing is missed in between.
        let mut outside = Outside { events: self.parts.changes.subscribe() };
        let cancel = CancellationToken::new();
        let row = self.parts.runs.run(run)?;
        let mut state = self.folded(&row)?;
        // What ends, or has ended, needs neither its tools nor its folder: they may be gone.
        if state.stop_asked() {
            self.end(&row, &mut state).await?;
        }
        if state.is_over() {
            return self.outcome(&state, &self.stored());
        }
        let carrier = self.load(row, state, turn, cancel.clone())?;
        let done = CancellationToken::new();
        let _done = done.clone().drop_guard();
        lock(&self.active).insert(run.clone(), Active { cancel, done });
        let carried = self.work(&carrier, &mut outside).await;
        lock(&self.active).remove(run);
        // What is still queued has to be there before the next holder reads, whatever has ended the work.
        let written = carrier.write(Vec::new(), Durability::Committed).await;
        carried.and(written).map_err(plain)?;
        self.outcome(&carrier.state(), &carrier)
    }

    async fn work(&self, carrier: &Carrier, outside: &mut Outside) -> Result<(), Stop> {
        let has_work = {
            let state = carrier.state();
            matches!(state.status(), RunStatus::Queued | RunStatus::Running | RunStatus::Synthesizing)
        };
        if has_work {
            carrier.write(vec![(None, EventKind::RunStarted)], Durability::Queued).await?;
        }
        schedule::carry_on(carrier, outside).await
    }

    /// What a run has come to.
    fn folded(&self, row: &RunRow) -> Result<RunState, ExecutorError> {
        match self.known(&row.id) {
            Some(job) => self.parts.folded(&row.id, job.plan.plan()),
            None => self.parts.state_of(row),
        }
    }

    fn known(&self, run: &RunId) -> Option<Job> {
        lock(&self.jobs).get(run).cloned()
    }

    /// Takes a run in hand as it stands.
    fn load(
        &self,
        row: RunRow,
        state: RunState,
        turn: Option<TurnId>,
        cancel: CancellationToken,
    ) -> Result<Carrier, ExecutorError> {
        let job = match self.known(&row.id) {
            Some(job) => job,
            None => self.parts.jobs.job(&row)?,
        };
        let place = Place { session: row.session, turn: turn.or(row.turn), run: Some(row.id), step: None };
        Ok(Carrier::new(self.parts.clone(), job, place, state, cancel))
    }

    fn outcome(&self, state: &RunState, contents: &dyn Contents) -> Result<RunOutcome, ExecutorError> {
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
            answer: if over { synthesis::answer(state, contents)? } else { None },
            requests: state.open_requests().map(|request| request.request.clone()).collect(),
            reasons: reasons.collect(),
            usage: state.usage(),
            model_calls: state.model_calls(),
        })
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

    async fn append(&self, place: Place, kind: EventKind, durability: Durability) -> Result<(), ExecutorError> {
        let draft = Draft { place, at: self.parts.clock.now(), kind };
        Ok(self.parts.journal.append(Batch { events: vec![draft], ..Batch::default() }, durability).await?)
    }

    /// Contents as they are stored.
    fn stored(&self) -> Stored<'_> {
        Stored(self.parts.blobs.as_ref())
    }

    /// The whole of a content that events name.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn content(&self, content: &Content) -> Result<Value, ExecutorError> {
        Ok(self.stored().whole(content)?.clone())
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
