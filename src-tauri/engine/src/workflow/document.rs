//! A workflow as a model writes it: a task and steps, read as a planner's are, and held to more. What a planner gets
//! mended is refused here, because nobody looks at it again before it runs.

use assent_core::contract::{Fault, PathPart, Stage};
use assent_core::ids::{PlanId, SessionId};
use assent_core::plan::{Header, Outline, Plan, PlannerOutput, parse_value, to_plan};
use serde_json::{Value, json};

use super::{WorkflowError, Workflows};
use crate::planner::WHEN;

/// Characters of when a workflow is to run.
const WHEN_CHARS: usize = 300;

impl Workflows {
    /// The plan that these words mean. `task` stands for the message that a plan answers; `when` is told as [`timed`] has it.
    ///
    /// # Errors
    /// [`WorkflowError::Faults`] with everything that cannot be read, each at its place.
    pub fn written(
        &self,
        title: Option<&str>,
        task: &str,
        steps: &Value,
        when: Option<&str>,
    ) -> Result<Plan, WorkflowError> {
        if task.trim().is_empty() {
            return Err(unusable("task", "the task is empty: say in one sentence what the workflow is for"));
        }
        let count = steps.as_array().map(Vec::len).filter(|count| *count > 0);
        let Some(count) = count else {
            return Err(unusable("steps", "the workflow has no steps: give each as an object with do and tools"));
        };
        let words = json!({"title": title.unwrap_or_default(), "refinedTask": task, "todoList": steps});
        let (output, faults) = parse_value(&words);
        let outline = match output {
            Some(PlannerOutput::Plan(outline)) if faults.is_empty() && outline.steps.len() == count => outline,
            _ if !faults.is_empty() => return Err(WorkflowError::Faults(faults)),
            _ => return Err(unusable("steps", "not every step can be read: give each as an object with do and tools")),
        };
        let header = Header {
            id: PlanId::new("new"),
            version: 1,
            supersedes: None,
            session_id: SessionId::new("new"),
            user_message: task.to_owned(),
            created_at: 0,
        };
        timed(self.owned(outline, header)?, when)
    }

    /// The plan of an outline; whoever has the tools of a step does it.
    fn owned(&self, outline: Outline, header: Header) -> Result<Plan, WorkflowError> {
        let (mut plan, faults) = to_plan(outline, header, &[]);
        if !faults.is_empty() {
            return Err(WorkflowError::Faults(faults));
        }
        let knowledge = &self.parts.knowledge;
        let has_itself = |tool: &str| knowledge.shown().contains(&tool);
        knowledge.heap().now().registry.assign_owners(&mut plan, has_itself);
        Ok(plan)
    }
}

/// A plan that says when it is to be done, in a person's words; empty ones take back what it says. It is data, and is shown
/// wherever the plan is: nothing starts a plan by it.
///
/// # Errors
/// The words are too many to be a time.
pub fn timed(mut plan: Plan, when: Option<&str>) -> Result<Plan, WorkflowError> {
    let Some(when) = when.map(str::trim) else { return Ok(plan) };
    if when.chars().count() > WHEN_CHARS {
        return Err(unusable("when", "say in a few words when it is to run, such as every Monday at 8"));
    }
    plan.extracted_context.shift_remove(WHEN);
    if !when.is_empty() {
        plan.extracted_context.insert(WHEN.to_owned(), Value::String(when.to_owned()));
    }
    Ok(plan)
}

/// When a plan is to be done, where it says so.
pub(super) fn when(plan: &Plan) -> Option<String> {
    plan.extracted_context.get(WHEN).and_then(Value::as_str).map(str::to_owned)
}

fn unusable(field: &'static str, message: &str) -> WorkflowError {
    WorkflowError::Faults(vec![Fault::new(Stage::Plan, message).at([PathPart::from(field)])])
}
