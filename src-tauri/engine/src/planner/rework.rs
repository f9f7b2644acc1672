//! One step of a plan, planned anew with what a person says of it. Everything else of the plan stays.

use assent_core::ids::StepId;
use assent_core::plan::{Header, Plan, Step};
use tokio_util::sync::CancellationToken;

use super::compose::so_far;
use super::{
    After, Planned, Planner, PlanningError, PlanningOutcome, PlanningProgress, PlanningRequest, Progress, Said,
    Speaker, Trace, Unplanned,
};
use crate::model::{Model, PlannerProfile};
use crate::prompt::{Remark, Remarks, ReplanStep};

/// What takes the place of a step, and what is to be written down.
pub struct Reworked {
    /// The steps, in order; none where the planner gave none, with the reason.
    pub steps: Result<Vec<Step>, String>,
    /// What happened on the way.
    pub trace: Trace,
}

impl Planner {
    /// Asks for what takes the place of a step. The request's message and conversation are not looked at: the planner is
    /// told the plan's message, the plan, what was said of it before, and the comment.
    ///
    /// # Errors
    /// [`Unplanned`] as for a plan.
    pub async fn rework(
        &self,
        model: &dyn Model,
        request: &PlanningRequest<'_>,
        (plan, step): (&Plan, &StepId),
        (comment, remarks): (&str, &[Remark]),
        cancel: &CancellationToken,
    ) -> Result<Reworked, Unplanned> {
        let failed = |error: PlanningError| Unplanned { error, trace: Trace::default() };
        let asked = ReplanStep { id: step.as_str(), comment };
        let text = self.templates.render(&asked).map_err(|error| failed(error.into()))?.text;
        let progress = Progress { plan, next: plan.version, settled: &[], remarks: &[] };
        let shown = so_far(&self.templates, PlannerProfile::Full, &After::Finished(&progress));
        let shown = shown.map_err(|error| failed(error.into()))?.unwrap_or_default();
        let said = |by: Speaker, text: String| Said { by, text };
        let mut conversation = vec![said(Speaker::User, plan.user_message.clone()), said(Speaker::Assistant, shown)];
        if !remarks.is_empty() {
            let text = self.templates.render(&Remarks { remarks }).map_err(|error| failed(error.into()))?.text;
            conversation.push(said(Speaker::User, text));
        }
        let request = PlanningRequest {
            header: Header { user_message: text, ..request.header.clone() },
            conversation: &conversation,
            after: After::Nothing,
            ..request.clone()
        };
        let (progress, _unwatched) = tokio::sync::mpsc::unbounded_channel::<PlanningProgress>();
        let Planned { outcome, trace } = self.plan(model, &request, &progress, cancel).await?;
        let steps = match outcome {
            PlanningOutcome::Answer { text } => Err(text),
            PlanningOutcome::Faulty { faults, .. } => {
                Err(faults.first().map_or_else(|| "it cannot run".to_owned(), ToString::to_string))
            }
            PlanningOutcome::Plan { plan, .. } if plan.plan().fallback.used => {
                Err(plan.plan().fallback.reason.clone().unwrap_or_default())
            }
            PlanningOutcome::Plan { plan, .. } => Ok(plan.plan().steps.clone()),
        };
        Ok(Reworked { steps, trace })
    }
}
