//! Beginning a run of an approved version.

use assent_core::ids::{RunId, StepId, TurnId};
use assent_core::plan::PlanRef;
use assent_core::run::{Durability, EventKind, Place, PlanStatus, SessionKind, TurnStatus};
use tokio_util::sync::CancellationToken;

use super::history::to_begin;
use super::{TurnEnd, TurnError, Turns};
use crate::executor::Job;
use crate::store::{RunRow, VersionRow};

impl Turns {
    /// Carries out an approved version. In a session of a workflow this is another run from the first step on, in a
    /// turn of its own.
    ///
    /// # Errors
    /// It is not approved, does not hold any more, or cannot be written down.
    pub async fn run(&self, plan: &PlanRef, cancel: &CancellationToken) -> Result<TurnEnd, TurnError> {
        self.begin(plan, None, cancel).await
    }

    /// Writes down that an approved version is to be carried out; [`Turns::carry_on`] does it.
    ///
    /// # Errors
    /// As [`Turns::run`].
    pub async fn queue(&self, plan: &PlanRef) -> Result<(RunId, Option<TurnId>), TurnError> {
        let session = self.session_of(plan)?;
        let job = self.parts.jobs.approved(plan, &session)?;
        self.queue_job(plan, job, None).await
    }

    /// Carries out an approved version, from a step on where one is said.
    pub(super) async fn begin(
        &self,
        plan: &PlanRef,
        from: Option<&StepId>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let session = self.session_of(plan)?;
        let job = self.parts.jobs.approved(plan, &session)?;
        self.start(plan, job, from, cancel).await
    }

    /// Begins the run of an approved version, all of it or from a step on, and carries it on.
    pub(super) async fn start(
        &self,
        plan: &PlanRef,
        job: Job,
        from: Option<&StepId>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let (run, turn) = self.queue_job(plan, job, from).await?;
        self.carry_on(&run, turn, cancel).await
    }

    /// The same. Where it is refused, what was approved to begin at once is not begun by whoever comes later either.
    async fn queue_job(
        &self,
        plan: &PlanRef,
        job: Job,
        from: Option<&StepId>,
    ) -> Result<(RunId, Option<TurnId>), TurnError> {
        let queued = self.queue_checked(plan, job, from).await;
        if let Err(refused) = &queued
            && let Some(turn) = self.parts.plans.turn_of(plan)?
        {
            let session = self.session_of(plan)?.id;
            if to_begin(&self.parts.sessions.session_events(&session, 0)?, &turn).is_some() {
                let error = Some(format!("the plan was approved and could not be begun: {refused}"));
                let place = Place { session, turn: Some(turn), run: None, step: None };
                let ended = EventKind::TurnEnded { status: TurnStatus::Failed, error };
                self.write(&place, vec![ended], Vec::new(), Durability::Committed).await?;
            }
        }
        queued
    }

    async fn queue_checked(
        &self,
        plan: &PlanRef,
        job: Job,
        from: Option<&StepId>,
    ) -> Result<(RunId, Option<TurnId>), TurnError> {
        let session = self.session_of(plan)?;
        let versions = self.parts.plans.history(&plan.id)?;
        let is_approved = |row: &VersionRow| row.plan == *plan && row.status == PlanStatus::Approved;
        if !versions.iter().any(is_approved) {
            let problem = format!("version {} of the plan is not approved: approve it first", plan.version);
            return Err(TurnError::PlanState(problem));
        }
        let unfinished = |run: &&RunRow| run.plan == *plan && run.session == session.id;
        if let Some(run) = self.parts.runs.unended()?.iter().find(unfinished) {
            let problem = format!(
                "version {} of the plan is already being carried out: go on with that run (in a terminal: `assent resume {}`)",
                plan.version, run.id
            );
            return Err(TurnError::PlanState(problem));
        }
        let is_workflow = session.kind == SessionKind::Workflow;
        let taken_over = match from {
            Some(step) => self.done_before(&self.runs_of_plan(&session.id, plan)?, &job.plan, step).await?,
            // What it did the last time is to be done again.
            None if is_workflow => Vec::new(),
            None => self.taken_over(&self.runs_of_plan(&session.id, plan)?, &job.plan)?,
        };
        let turn = match is_workflow {
            true => Some(TurnId::new(self.parts.ids.fresh())),
            false => self.parts.plans.turn_of(plan)?,
        };
        let run = self.parts.executor.start(job, session.id, turn.clone(), taken_over).await?;
        Ok((run, turn))
    }
}
