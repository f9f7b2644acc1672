//! What a person decides of a plan.

use assent_core::ids::SessionId;
use assent_core::plan::PlanRef;
use assent_core::run::{Decider, Durability, EventKind, Place, TurnStatus};
use tokio_util::sync::CancellationToken;

use super::before::Words;
use super::{ApprovalPolicy, TurnEnd, TurnError, Turns};
use crate::executor::Job;
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
        let (job, _held) = self.approve_as(plan, by, note, true).await?;
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

    /// Approves a version and leaves it to whoever takes the turn up next to begin its run.
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

    /// Approves a version, and gives what it lets run. While the second is kept, nobody else takes the turn up, in which
    /// there is a run to begin from here on.
    pub(super) async fn approve_as(
        &self,
        plan: &PlanRef,
        by: Decider,
        note: Option<String>,
        starts: bool,
    ) -> Result<(Job, Option<Box<dyn Send>>), TurnError> {
        let session = self.session_of(plan)?;
        let job = self.parts.jobs.approved(plan, &session)?;
        let versions = self.parts.plans.history(&plan.id)?;
        // Asked before anything is stopped: an approval that does not count ends nothing.
        if let Some(row) = versions.iter().find(|row| row.plan == *plan && row.status != PlanStatus::Proposed) {
            let problem = format!("version {} of the plan is already {}", plan.version, stands(row.status));
            return Err(TurnError::PlanState(problem));
        }
        let ended = self.end_earlier(&session, job.plan.plan(), by).await?;
        let turn = self.parts.plans.turn_of(plan)?;
        let place = Place { session: session.id.clone(), turn, run: None, step: None };
        // A version that still waits is one that nobody will decide on any more.
        let is_open = |row: &VersionRow| matches!(row.status, PlanStatus::Proposed | PlanStatus::Approved);
        let before = versions.into_iter().filter(|row| row.plan.version < plan.version && is_open(row));
        let mut events: Vec<EventKind> =
            before.map(|row| EventKind::PlanSuperseded { plan: row.plan, by_version: plan.version }).collect();
        events.push(EventKind::PlanApproved { plan: plan.clone(), by, note, starts });
        // How they ended is told before what comes after them.
        let _told = self.after_ends(&ended).await?;
        // Only now: a run that has just ended held it.
        let held = place.turn.as_ref().map(|turn| self.hold(turn)).transpose()?.flatten();
        self.write(&place, events, Vec::new(), Durability::Synced).await?;
        Ok((job, held))
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
        // An earlier version that is carried out goes on: its turn is its own to end. How one has ended stays so.
        let runs = self.parts.runs.runs_of(&session.id)?;
        let goes_on = runs.iter().any(|run| run.turn == place.turn && !run.status.is_final());
        let unended = self.unended()?;
        let is_over = place.turn.as_ref().is_some_and(|turn| unended.iter().all(|row| row.id != *turn));
        if !goes_on && !is_over {
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
        let words = Words { text: &text, answers: None, replans: Some(plan) };
        self.send_words(&document.session_id, words, Some(ApprovalPolicy::AlwaysAsk), cancel).await
    }

    /// Rejects the version whose message was planned anew, with what the person added, once another plan waits.
    pub(super) async fn replaced(&self, words: Words<'_>, end: &TurnEnd) -> Result<(), TurnError> {
        let (Some(plan), TurnEnd::AwaitingApproval { .. }) = (words.replans, end) else { return Ok(()) };
        let versions = self.parts.plans.history(&plan.id)?;
        // It may have been decided meanwhile.
        if versions.iter().any(|row| row.plan == *plan && row.status == PlanStatus::Proposed) {
            let document = self.parts.plans.plan(plan.id.as_str(), Some(plan.version))?;
            let added = words.text.strip_prefix(&document.user_message).map(str::trim).filter(|note| !note.is_empty());
            self.reject(plan, added.map(str::to_owned)).await?;
        }
        Ok(())
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

fn stands(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Proposed => "proposed",
        PlanStatus::Approved => "approved",
        PlanStatus::Rejected => "rejected",
        PlanStatus::Superseded => "superseded by a later one",
    }
}
