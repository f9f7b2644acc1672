//! A workflow as a model writes it: a task and steps, read as a planner's are, and held to more. What a planner gets
//! mended is refused here, because nobody looks at it again before it runs.

use assent_core::contract::{Fault, PathPart, Stage};
use assent_core::ids::{PlanId, SessionId};
use assent_core::plan::{Header, Outline, Plan, PlannerOutput, parse_value, to_plan};
use serde_json::{Value, json};

use super::{WorkflowError, Workflows};

impl Workflows {
    /// The plan that these words mean. `task` stands for the message that a plan answers.
    ///
    /// # Errors
    /// [`WorkflowError::Faults`] with everything that cannot be read, each at its place.
    pub fn written(&self, title: Option<&str>, task: &str, steps: &Value) -> Result<Plan, WorkflowError> {
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
        self.owned(outline, header)
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

fn unusable(field: &'static str, message: &str) -> WorkflowError {
    WorkflowError::Faults(vec![Fault::new(Stage::Plan, message).at([PathPart::from(field)])])
}
