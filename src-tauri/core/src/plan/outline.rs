//! What a planner wrote, read but not yet a plan: nothing in it has an id of ours, is known to exist, or is grounded.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::{Route, StepType, ValidationMode};

/// The usable content of a planner's reply.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a turn has one")]
pub enum PlannerOutput {
    /// The message needs no plan; this answers it.
    Answer(String),
    /// What is to be done.
    Plan(Outline),
}

/// A plan as a planner wrote it. At least one of `route` and `steps` is not empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    /// A few words for lists.
    pub title: String,
    /// What the user is after.
    pub intent: String,
    /// The task in one short sentence.
    pub refined_task: String,
    /// When it is to be done, or what is made is to run, in the planner's words; `None` where it says nothing of it.
    pub when: Option<String>,
    /// The plan in words, where the planner wrote one beside its steps.
    pub prose: String,
    /// Concrete values that the planner claims to have found in the conversation.
    pub extracted_context: Map<String, Value>,
    /// What it tells each specialist.
    pub instructions: IndexMap<String, String>,
    /// The specialists in order.
    pub route: Route,
    /// The steps in order.
    pub steps: Vec<OutlineStep>,
}

/// A step as a planner wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutlineStep {
    /// The planner's own name for it.
    pub id: Option<String>,
    /// What to do.
    pub description: String,
    /// Whether it must call something.
    pub step_type: Option<StepType>,
    /// The tools it must call.
    pub required_tools: Vec<String>,
    /// What will be there afterwards.
    pub expected_outcome: Option<String>,
    /// How a missing call is judged.
    pub tool_validation_mode: Option<ValidationMode>,
    /// Ids of other steps, or their numbers counted from 1.
    pub after: Vec<String>,
    /// Who is to do it.
    pub specialist: Option<String>,
    /// Further words for it.
    pub instructions: Option<String>,
}
