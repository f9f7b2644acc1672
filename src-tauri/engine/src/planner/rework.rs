//! One step of a plan, planned anew with what a person says of it. Everything else of the plan stays.

use assent_core::contract::Fault;
use assent_core::ids::StepId;
use assent_core::plan::{Header, Plan, Step};
use serde_json::{Map, Value};
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
    /// Values that the planner took out of the comment, under names that the plan has none for yet.
    pub values: Map<String, Value>,
    /// What was put right in what the planner wrote.
    pub notes: Vec<Fault>,
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
            after: After::Comment,
            ..request.clone()
        };
        let (progress, _unwatched) = tokio::sync::mpsc::unbounded_channel::<PlanningProgress>();
        let Planned { outcome, trace } = self.plan(model, &request, &progress, cancel).await?;
        let (mut values, mut notes) = (Map::new(), Vec::new());
        let steps = match outcome {
            PlanningOutcome::Answer { text } => Err(text),
            PlanningOutcome::Faulty { faults, .. } => {
                Err(faults.first().map_or_else(|| "it cannot run".to_owned(), ToString::to_string))
            }
            PlanningOutcome::Plan { plan, .. } if plan.plan().fallback.used => {
                Err(plan.plan().fallback.reason.clone().unwrap_or_default())
            }
            PlanningOutcome::Plan { plan: new, notes: of_plan } => {
                let steps;
                (steps, values) = told(plan, new.plan());
                notes = of_plan;
                Ok(steps)
            }
        };
        Ok(Reworked { steps, values, notes, trace })
    }
}

/// The new steps with what the planner wrote for whoever does them, and the values that it took out of the comment. The
/// other steps of the plan go on with the values that they have: of a name that is taken, the new steps alone are told.
fn told(old: &Plan, new: &Plan) -> (Vec<Step>, Map<String, Value>) {
    let taken = |name: &String| old.extracted_context.get(name);
    let mut values = new.extracted_context.clone();
    values.retain(|name, _| taken(name).is_none());
    let other = new.extracted_context.iter().filter(|(name, value)| taken(name).is_some_and(|old| old != *value));
    let other: Vec<String> = other.map(|(name, value)| format!("{name}: {value}")).collect();
    let instructed = |step: &Step| {
        let own = step.instructions.clone().or_else(|| new.instructions.get(&step.executor.id).cloned());
        let all: Vec<String> = own.into_iter().chain(other.iter().cloned()).collect();
        Step { instructions: (!all.is_empty()).then(|| all.join("\n")), ..step.clone() }
    };
    (new.steps.iter().map(instructed).collect(), values)
}

#[cfg(test)]
mod tests {
    use assent_core::plan::{Executor, ExecutorKind, Plan};
    use serde_json::json;

    use super::told;

    fn plan(context: serde_json::Value) -> Plan {
        let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c",
            "extractedContext": context, "instructions": {"agent": "Slowly."},
            "steps": [{"id": "s1", "description": "x"}, {"id": "s2", "description": "y", "instructions": "Own."}]});
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn what_the_planner_wrote_for_the_new_steps_reaches_them_and_the_others_keep_their_values() {
        let old = plan(json!({"url": "https://a.example", "same": 1}));
        let mut new = plan(json!({"url": "https://b.example/list", "same": 1, "form": "CSV"}));
        new.steps[0].executor = Executor { kind: ExecutorKind::Specialist, id: "agent".to_owned() };
        let (steps, values) = told(&old, &new);
        assert_eq!(json!(values), json!({"form": "CSV"}));
        let instructions: Vec<_> = steps.iter().map(|step| step.instructions.as_deref().unwrap()).collect();
        let url = "url: \"https://b.example/list\"";
        assert_eq!(instructions, [format!("Slowly.\n{url}"), format!("Own.\n{url}")]);
    }
}
