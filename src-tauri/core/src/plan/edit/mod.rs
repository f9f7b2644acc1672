//! Editing a draft of a plan, one operation at a time; what would leave the draft in disorder is refused with the
//! reason and changes nothing. Saving a draft makes the next version.

mod steps;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::convert::steps_to_route;
use super::{Executor, Plan, Step, StepType, ValidationMode};
use crate::ids::StepId;

/// One change of a draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(tag = "op", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum PlanEdit {
    /// Another title.
    SetTitle {
        /// The title.
        title: String,
    },
    /// Another task.
    SetTask {
        /// The task in one short sentence.
        refined_task: String,
    },
    /// Another value of the extracted context, or none.
    SetContext {
        /// Its name.
        key: String,
        /// The value; without one it is removed.
        value: Option<Value>,
    },
    /// Whether the plan may only look.
    SetReadOnly {
        /// No step may change anything.
        read_only: bool,
    },
    /// A new step at the end.
    AddStep {
        /// What it says.
        step: NewStep,
    },
    /// A new step between a step and all that wait for it.
    InsertAfter {
        /// The step.
        after: StepId,
        /// What the new one says.
        step: NewStep,
    },
    /// A step less; those that waited for it wait for what it waited for.
    RemoveStep {
        /// The step.
        step: StepId,
    },
    /// A step at another place of the list.
    MoveStep {
        /// The step.
        step: StepId,
        /// Its new index.
        to: usize,
    },
    /// Another description.
    SetDescription {
        /// The step.
        step: StepId,
        /// What to do.
        description: String,
    },
    /// Another type.
    SetStepType {
        /// The step.
        step: StepId,
        /// Whether it must act.
        step_type: StepType,
    },
    /// Another executor.
    SetExecutor {
        /// The step.
        step: StepId,
        /// Who does it.
        executor: Executor,
    },
    /// Other required tools. A step that gets some becomes a tool step.
    SetRequiredTools {
        /// The step.
        step: StepId,
        /// The tools.
        required_tools: Vec<String>,
    },
    /// Another expected outcome, or none.
    SetExpectedOutcome {
        /// The step.
        step: StepId,
        /// What will be there afterwards.
        expected_outcome: Option<String>,
    },
    /// Other instructions, or none.
    SetInstructions {
        /// The step.
        step: StepId,
        /// Further words for the executor.
        instructions: Option<String>,
    },
    /// Another mode, or the plan's own.
    SetValidationMode {
        /// The step.
        step: StepId,
        /// How a missing call is judged.
        tool_validation_mode: Option<ValidationMode>,
    },
    /// Other dependencies.
    SetDependencies {
        /// The step.
        step: StepId,
        /// What it waits for.
        dependencies: Vec<StepId>,
    },
}

/// What a new step says; its id is given by the draft.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NewStep {
    /// What to do.
    pub description: String,
    /// Whether it must act.
    pub step_type: Option<StepType>,
    /// The tools it must call.
    pub required_tools: Vec<String>,
    /// What will be there afterwards.
    pub expected_outcome: Option<String>,
    /// Who does it.
    pub executor: Executor,
    /// How a missing call is judged.
    pub tool_validation_mode: Option<ValidationMode>,
    /// Further words for the executor.
    pub instructions: Option<String>,
    /// What it waits for.
    pub dependencies: Vec<StepId>,
}

/// Why an edit was refused; the person who edits can mend it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditRefused {
    /// There is no such step.
    #[error("there is no step {0}")]
    NoSuchStep(StepId),
    /// There is no such place. People count from 1.
    #[error("the list has places 1 to {}, not {}", last + 1, to.saturating_add(1))]
    NoSuchPlace {
        /// Where the step should go.
        to: usize,
        /// The last place.
        last: usize,
    },
    /// The step would stand before one that it waits for.
    #[error("{step} needs {needed}, which would come after it; remove that dependency first")]
    BreaksDependency {
        /// The step that waits.
        step: StepId,
        /// What it waits for.
        needed: StepId,
    },
    /// Steps would wait for each other.
    #[error("these steps would wait for each other: {}", join(.0))]
    Cycle(Vec<StepId>),
    /// A plan has at least one step.
    #[error("this is the only step; reject the plan instead")]
    OnlyStep,
    /// The step would say nothing.
    #[error("a step has to say what to do")]
    NoDescription,
    /// A reasoning step calls nothing.
    #[error("{0} requires tools; remove them before making it a reasoning step")]
    RequiresTools(StepId),
}

fn join(ids: &[StepId]) -> String {
    ids.iter().map(StepId::as_str).collect::<Vec<_>>().join(" → ")
}

/// Applies one edit to a draft. A step that is added has an id that neither a step of the draft nor one of `earlier` has:
/// what was said of a step that is gone would be taken for said of the new one.
///
/// # Errors
/// [`EditRefused`] with the reason; the draft is then unchanged.
pub fn apply(draft: &mut Plan, edit: PlanEdit, earlier: &[StepId]) -> Result<(), EditRefused> {
    match edit {
        PlanEdit::SetTitle { title } => draft.title = title,
        PlanEdit::SetTask { refined_task } => draft.refined_task = refined_task,
        PlanEdit::SetContext { key, value: Some(value) } => {
            draft.extracted_context.insert(key, value);
        }
        PlanEdit::SetContext { key, value: None } => {
            draft.extracted_context.shift_remove(&key);
        }
        PlanEdit::SetReadOnly { read_only } => draft.read_only = read_only,
        PlanEdit::AddStep { step } => return steps::add(draft, step, earlier),
        PlanEdit::InsertAfter { after, step } => return steps::insert_after(draft, &after, step, earlier),
        PlanEdit::RemoveStep { step } => return steps::remove(draft, &step),
        PlanEdit::MoveStep { step, to } => return steps::move_to(draft, &step, to),
        PlanEdit::SetDependencies { step, dependencies } => return steps::depend(draft, &step, dependencies),
        other => return steps::set(draft, other),
    }
    Ok(())
}

/// Puts steps in the place of one: the first of them wait for what it waited for, and the last one takes its id, so that
/// what built on it builds on that one. The others get ids that were never used.
///
/// # Errors
/// There is no such step, or nothing to put in its place.
pub fn put_in_place(draft: &mut Plan, of: &StepId, with: Vec<Step>) -> Result<(), EditRefused> {
    steps::put_in_place(draft, of, with)
}

/// The draft as version `next` of its plan, which replaces the version that the draft was made from. Its route is that
/// of its steps; its grants are written when it is checked.
#[must_use]
pub fn save(draft: Plan, next: u32, at: i64) -> Plan {
    let based_on = draft.version;
    let route = steps_to_route(&draft.steps);
    Plan { version: next.max(based_on.saturating_add(1)), supersedes: Some(based_on), created_at: at, route, ..draft }
}
