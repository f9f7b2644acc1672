//! From an approved plan to its answer, and what a person says on the way.

use assent_core::ids::{RunId, SessionId, StepId, TurnId};
use assent_core::plan::PlanRef;
use assent_core::run::{
    Batch, Content, Decider, Draft, Durability, EventKind, Place, RequestStatus, RunStatus, TurnStatus,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{ApprovalPolicy, Message, TurnEnd, TurnError, Turns};
use crate::executor::{ExecutorError, Job, RunOutcome};
use crate::store::{PlanStatus, RunRow, SessionRow, VersionRow};

impl Turns {
    /// Approves a version and carries it out. An earlier version's unfinished runs end; what they completed and the
    /// new version left unchanged is taken over.
    ///
    /// # Errors
    /// The version does not hold, is not what the decision is about, or cannot be written down.
    pub async fn approve(
        &self,
        plan: &PlanRef,
        by: Decider,
        note: Option<String>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        self.keep_up().await;
        let turn = self.parts.plans.turn_of(plan)?;
        // Nobody takes it up between the approval and its run.
        let _held = turn.as_ref().map(|turn| self.hold(turn)).transpose()?;
        let job = self.approve_as(plan, by, note, true).await?;
        self.start(plan, job, None, cancel).await
    }

    /// Approves a version and leaves it to [`Turns::run`].
    ///
    /// # Errors
    /// As [`Turns::approve`].
    pub async fn approve_for_later(&self, plan: &PlanRef, by: Decider, note: Option<String>) -> Result<(), TurnError> {
        self.keep_up().await;
        self.approve_as(plan, by, note, false).await.map(drop)
    }

    /// Approves a version and leaves it to [`Turns::queue`], which follows at once; where it does not, because the program
    /// dies, whoever takes the turn up begins the run.
    ///
    /// # Errors
    /// As [`Turns::approve`].
    pub async fn approve_to_run(&self, plan: &PlanRef, by: Decider, note: Option<String>) -> Result<(), TurnError> {
        self.keep_up().await;
        self.approve_as(plan, by, note, true).await.map(drop)
    }

    /// Has the tools at hand as they are now: what a person approves is not what was there when the plan was made.
    async fn keep_up(&self) {
        self.with_sources(|sources| sources.keep_up()).await;
    }

    /// Approves a version, and gives what it lets run.
    pub(super) async fn approve_as(
        &self,
        plan: &PlanRef,
        by: Decider,
        note: Option<String>,
        starts: bool,
    ) -> Result<Job, TurnError> {
        let session = self.session_of(plan)?;
        let job = self.parts.jobs.approved(plan, &session)?;
        let versions = self.parts.plans.history(&plan.id)?;
        // Asked before anything is stopped: an approval that does not count ends nothing.
        if let Some(row) = versions.iter().find(|row| row.plan == *plan && row.status != PlanStatus::Proposed) {
            let problem = format!("version {} of the plan is already {}", plan.version, stands(row.status));
            return Err(TurnError::PlanState(problem));
        }
        self.end_earlier(&session, job.plan.plan(), by).await?;
        let turn = self.parts.plans.turn_of(plan)?;
        let place = Place { session: session.id.clone(), turn, run: None, step: None };
        // A version that still waits is one that nobody will decide on any more.
        let is_open = |row: &VersionRow| matches!(row.status, PlanStatus::Proposed | PlanStatus::Approved);
        let before = versions.into_iter().filter(|row| row.plan.version < plan.version && is_open(row));
        let mut events: Vec<EventKind> =
            before.map(|row| EventKind::PlanSuperseded { plan: row.plan, by_version: plan.version }).collect();
        events.push(EventKind::PlanApproved { plan: plan.clone(), by, note, starts });
        self.write(&place, events, Vec::new(), Durability::Synced).await?;
        Ok(job)
    }

    /// Rejects a version; nothing of it will run.
    ///
    /// # Errors
    /// It cannot be read or written down.
    pub async fn reject(&self, plan: &PlanRef, reason: Option<String>) -> Result<TurnEnd, TurnError> {
        let session = self.session_of(plan)?;
        let turn = self.parts.plans.turn_of(plan)?;
        let place = Place { session: session.id.clone(), turn, run: None, step: None };
        let mut events = vec![EventKind::PlanRejected { plan: plan.clone(), reason }];
        // An earlier version that is carried out goes on: its turn is its own to end.
        let runs = self.parts.runs.runs_of(&session.id)?;
        if !runs.iter().any(|run| run.turn == place.turn && !run.status.is_final()) {
            events.push(EventKind::TurnEnded { status: TurnStatus::Cancelled, error: None });
        }
        self.write(&place, events, Vec::new(), Durability::Synced).await?;
        Ok(TurnEnd::Cancelled { session: session.id })
    }

    /// Has the message of a version planned once more, with what the person adds. The version is rejected once another
    /// plan waits; where planning fails or gives none, it stays as it is.
    ///
    /// # Errors
    /// As [`Turns::send`].
    pub async fn again(
        &self,
        plan: &PlanRef,
        note: Option<String>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let document = self.parts.plans.plan(plan.id.as_str(), Some(plan.version))?;
        let text = match &note {
            Some(note) => format!("{}\n\n{note}", document.user_message),
            None => document.user_message.clone(),
        };
        let policy = Some(ApprovalPolicy::AlwaysAsk);
        let end = self.send(Message { session: document.session_id, text, policy, answers: None }, cancel).await?;
        let versions = self.parts.plans.history(&plan.id)?;
        // It may have been decided meanwhile.
        let waits = versions.iter().any(|row| row.plan == *plan && row.status == PlanStatus::Proposed);
        if waits && matches!(end, TurnEnd::AwaitingApproval { .. }) {
            self.reject(plan, note).await?;
        }
        Ok(end)
    }

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
        let after = self.parts.sessions.session_events(&row.session, self.parts.runs.last_event(&row.id)?)?;
        Ok(after.iter().any(|event| matches!(&event.kind, EventKind::Warned { message } if message == said)))
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
        Ok(self.carry(run, turn, cancel).await?.0)
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
        let over = CancellationToken::new();
        let work = async {
            let outcome = self.parts.executor.carry_on(run, turn.clone()).await;
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
        let row = self.parts.runs.run(run)?;
        self.settle(&row, turn, outcome?).await
    }

    /// Writes the answer and the end of the latest turn that the run has a part in, unless another process has: it may have
    /// carried the run to where it stands between the look at a list and the lock. A person may have answered a question
    /// while the run went on in an earlier turn, which was left by that.
    async fn settle(
        &self,
        row: &RunRow,
        turn: Option<TurnId>,
        outcome: RunOutcome,
    ) -> Result<(TurnEnd, Told), TurnError> {
        // Whoever has this lock is about to write the end. A process that dies with it leaves a turn to be taken up.
        let writing = self.parts.locks.try_lock(&RunId::from(format!("end-{}", row.id).as_str()))?;
        let mut turns = self.parts.runs.turns_of(&row.id)?;
        if let Some(turn) = turn.filter(|turn| !turns.iter().any(|(known, _)| known == turn)) {
            turns.push((turn, true));
        }
        let latest = turns.pop().map(|(turn, _)| turn);
        let is_told = writing.is_none() || self.is_settled(row, latest.as_ref())? || self.goes_on(&outcome)?;
        let session = row.session.clone();
        let place = |turn: Option<TurnId>| Place { session: row.session.clone(), turn, run: None, step: None };
        let mut events = Vec::new();
        let mut blobs = Vec::new();
        if let Some(answer) = &outcome.answer {
            let (text, blob) = Content::keep(Value::String(answer.clone()));
            blobs.extend(blob);
            events.push(EventKind::Answered { text });
        }
        let (status, error, end) = match outcome.status {
            RunStatus::Completed | RunStatus::CompletedWithWarnings => {
                (TurnStatus::Answered, None, TurnEnd::Answered { session })
            }
            RunStatus::Failed => (TurnStatus::Failed, Some(why(&outcome.reasons)), TurnEnd::Failed { session }),
            RunStatus::Cancelled => (TurnStatus::Cancelled, None, TurnEnd::Cancelled { session }),
            _ => (TurnStatus::Asked, None, TurnEnd::Waiting { session, run: row.id.clone() }),
        };
        if is_told {
            return Ok((end, Told::Elsewhere));
        }
        events.push(EventKind::TurnEnded { status, error });
        let left = EventKind::TurnEnded { status: TurnStatus::Asked, error: None };
        let left = turns.into_iter().filter(|(_, is_open)| *is_open).map(|(turn, _)| (place(Some(turn)), left.clone()));
        let mut drafts: Vec<Draft> = left.flat_map(|(place, left)| self.drafts(&place, vec![left])).collect();
        drafts.extend(self.drafts(&place(latest), events));
        let batch = Batch { events: drafts, blobs, ..Batch::default() };
        self.parts.journal.append(batch, Durability::Committed).await?;
        Ok((end, Told::Here))
    }

    /// Whether something that a run stopped for was settled since: the turn's end is left to who goes on with that.
    fn goes_on(&self, outcome: &RunOutcome) -> Result<bool, TurnError> {
        for request in &outcome.requests {
            if self.parts.requests.request(request.id.as_str())?.status != RequestStatus::Open {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a turn has ended after the last that happened in the run.
    fn is_settled(&self, row: &RunRow, turn: Option<&TurnId>) -> Result<bool, TurnError> {
        let last = self.parts.runs.last_event(&row.id)?;
        let after = self.parts.sessions.session_events(&row.session, last)?;
        let mut ends = after.into_iter().filter(|event| matches!(event.kind, EventKind::TurnEnded { .. }));
        Ok(ends.any(|event| event.place.turn.as_ref() == turn))
    }

    pub(super) fn session_of(&self, plan: &PlanRef) -> Result<SessionRow, TurnError> {
        let session = self.parts.plans.session_of(plan)?;
        Ok(self.parts.sessions.session(session.as_str())?)
    }

    pub(super) fn runs_of_plan(&self, session: &SessionId, plan: &PlanRef) -> Result<Vec<RunRow>, TurnError> {
        let runs = self.parts.runs.runs_of(session)?;
        Ok(runs.into_iter().filter(|run| run.plan.id == plan.id).collect())
    }
}

/// Who wrote how a turn ended.
pub(super) enum Told {
    /// This call.
    Here,
    /// Another process, or an earlier call.
    Elsewhere,
}

fn stands(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Proposed => "proposed",
        PlanStatus::Approved => "approved",
        PlanStatus::Rejected => "rejected",
        PlanStatus::Superseded => "superseded by a later one",
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
