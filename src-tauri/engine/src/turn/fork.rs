//! What a new run of a plan need not do again: what an earlier run has completed and the plan leaves as it was.

use assent_core::ids::StepId;
use assent_core::plan::{ApprovedPlan, Plan, PlanRef};
use assent_core::run::Decider;
use tokio_util::sync::CancellationToken;

use super::earlier::Redo;
use super::{TurnEnd, TurnError, Turns};
use crate::executor::Carried;
use crate::store::RunRow;

impl Turns {
    /// Carries out an approved version once more from a step on. That step and everything that builds on it is done
    /// anew; what else the plan's latest run has completed is taken over. The earlier run stays as it is.
    ///
    /// # Errors
    /// As [`Turns::run`]; [`TurnError::PlanState`] where there is no such step, or no earlier run.
    pub async fn run_from(
        &self,
        plan: &PlanRef,
        step: &StepId,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        self.begin(plan, Some(step), cancel).await
    }

    /// What the latest run of an earlier version completed and this version leaves as it was.
    pub(super) fn taken_over(&self, runs: &[RunRow], new: &ApprovedPlan) -> Result<Vec<Carried>, TurnError> {
        match self.latest_worked_on(runs.iter().filter(|run| run.plan.version < new.plan().version))? {
            Some(earlier) => self.carried(earlier, new.plan()),
            None => Ok(Vec::new()),
        }
    }

    /// What the latest run completed that neither is this step nor builds on it. What else of that run would be done anew
    /// is nothing that anybody asked for: an effect of it is told first, and counts when it is asked for once more.
    pub(super) async fn done_before(
        &self,
        runs: &[RunRow],
        new: &ApprovedPlan,
        step: &StepId,
    ) -> Result<Vec<Carried>, TurnError> {
        let plan = new.plan();
        let Some(at) = plan.steps.iter().position(|other| other.id == *step) else {
            return Err(TurnError::PlanState(format!("there is no step {step} in the plan")));
        };
        let Some(earlier) = self.latest_worked_on(runs.iter().filter(|run| run.plan.version <= plan.version))? else {
            let problem =
                format!("nothing of the plan was carried out yet, so it cannot go on from {step}: run all of it");
            return Err(TurnError::PlanState(problem));
        };
        let mut anew = new.checked().downstream(at);
        anew.push(at);
        let anew: Vec<&StepId> = anew.into_iter().map(|at| &plan.steps[at].id).collect();
        self.nothing_twice(earlier, plan, Decider::User, Redo { wanted: &anew, remedy: "run it once more" }).await?;
        let carried = self.carried(earlier, plan)?;
        Ok(carried.into_iter().filter(|done| !anew.contains(&&done.step)).collect())
    }

    /// The latest of these runs, oldest first, in which a step was worked on: one that was stopped before that says nothing
    /// of what was done.
    pub(super) fn latest_worked_on<'r>(
        &self,
        runs: impl DoubleEndedIterator<Item = &'r RunRow>,
    ) -> Result<Option<&'r RunRow>, TurnError> {
        let mut latest = None;
        for run in runs.rev() {
            if self.folded(run)?.1.steps().iter().any(|step| step.attempt > 0) {
                return Ok(Some(run));
            }
            latest.get_or_insert(run);
        }
        Ok(latest)
    }

    fn carried(&self, earlier: &RunRow, new: &Plan) -> Result<Vec<Carried>, TurnError> {
        let (old, state) = self.folded(earlier)?;
        Ok(self.parts.executor.carried(&old, &state, new)?)
    }
}
