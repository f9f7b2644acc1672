//! What each template is given. The fields are the names that a template may use.

use assent_core::contract::Fault;
use minijinja::value::Serde;
use serde::Serialize;
use serde_json::Value;

use super::Template;
use super::agent::{AgentSystem, DefaultUserPrompt};
use super::below::{StepMissed, StepNoted, StepNudge};
use super::remarks::{Remark, Remarks};
use super::rows::{CredentialLine, ExampleLine, SpecialistLine, StepResult, ToolLine, ToolSignature, Turn};
use super::short::{
    AdaptValues, AdaptValuesUser, Choose, ChooseUser, Delegate, NextSteps, NextStepsUser, Relation, RelationUser,
    Synthesis,
};
use super::studio::StepStudio;

macro_rules! templates {
    ($($context:ty => $name:literal),+ $(,)?) => {
        $(impl Template for $context {
            const NAME: &'static str = $name;
        })+

        /// Every template with a context: its name and the names it may use.
        pub(super) fn known() -> Vec<(&'static str, Vec<String>)> {
            let contexts = [$(($name, minijinja::Value::from(Serde(&<$context>::default())))),+];
            contexts.into_iter().map(|(name, context)| (name, names(&context))).collect()
        }
    };
}

templates! {
    PlannerCompact<'_> => "planner_compact.md",
    PlannerSteps<'_> => "planner_steps.md",
    PlannerRoute<'_> => "planner_route.md",
    PlannerUser<'_> => "planner_user.md",
    PlanSoFar<'_> => "plan_so_far.md",
    PlanSchema<'_> => "planner_compact.schema.json",
    Choose => "choose.md",
    ChooseUser<'_> => "choose_user.md",
    Delegate => "delegate.md",
    NextSteps => "next_steps.md",
    NextStepsUser<'_> => "next_steps_user.md",
    Relation => "relation.md",
    RelationUser<'_> => "relation_user.md",
    AdaptValues => "adapt_values.md",
    AdaptValuesUser<'_> => "adapt_values_user.md",
    Remarks<'_> => "remarks.md",
    Repair<'_> => "repair.md",
    ReplanStep<'_> => "replan_step.md",
    Grounding<'_> => "grounding.md",
    StepRole<'_> => "step_role.md",
    StepSystem<'_> => "step_system.md",
    StepStudio => "step_studio.md",
    StepTool<'_> => "step_tool.md",
    StepReasoning<'_> => "step_reasoning.md",
    StepHanded<'_> => "step_handed.md",
    StepCompact<'_> => "step_compact.md",
    StepCompactUser<'_> => "step_compact_user.md",
    StepCompactNext<'_> => "step_compact_next.md",
    StepAgain => "step_again.md",
    StepNudge<'_> => "step_nudge.md",
    StepMissed<'_> => "step_missed.md",
    StepNoted<'_> => "step_noted.md",
    Enforce<'_> => "enforce.md",
    AskUserGuidance => "ask_user_guidance.md",
    RequestHelpGuidance => "request_help_guidance.md",
    UserMessage<'_> => "user_message.md",
    AgentSystem<'_> => "agent_system.md",
    DefaultUserPrompt<'_> => "default_user_prompt.md.j2",
    Synthesis<'_> => "synthesis.md",
}

/// The names of a context, as the engine of the templates sees it when it fills one in.
fn names(context: &minijinja::Value) -> Vec<String> {
    context.try_iter().map(|names| names.map(|name| name.to_string()).collect()).unwrap_or_default()
}

/// The planner's system message for small local models.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PlannerCompact<'a> {
    /// The top level of the heap.
    pub specialists: &'a [SpecialistLine],
    /// Core tools.
    pub tools: &'a [ToolLine<'a>],
    /// Whether there are others, which a step may look for.
    pub find: bool,
    /// Whether agents and workflows can be made.
    pub studio: bool,
}

/// The planner's system message that asks for steps between markers.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PlannerSteps<'a> {
    /// The top level of the heap.
    pub specialists: &'a [SpecialistLine],
    /// Core tools.
    pub tools: &'a [ToolLine<'a>],
}

/// The planner's system message that asks for a route of specialists as a bare object.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PlannerRoute<'a> {
    /// The top level of the heap.
    pub specialists: &'a [SpecialistLine],
    /// Core tools.
    pub tools: &'a [ToolLine<'a>],
}

/// The planner's user message. What changes least stands first.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PlannerUser<'a> {
    /// The conversation so far.
    pub conversation: &'a [Turn<'a>],
    /// The plan that the message replies to, or that is to be refined.
    pub pending: Option<&'a str>,
    /// Tools that were found for this message.
    pub tools: &'a [ToolLine<'a>],
    /// The nearest examples.
    pub examples: &'a [ExampleLine<'a>],
    /// Files of the workspace, as far as they are shown.
    pub files: &'a [String],
    /// Credentials of the vault: names and what they are for.
    pub credentials: &'a [CredentialLine],
    /// The message, byte for byte.
    pub message: &'a str,
}

/// The plan that a message replies to or goes on from.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PlanSoFar<'a> {
    /// What the plan waits to hear, if it waits.
    pub question: Option<&'a str>,
    /// Its steps.
    pub steps: &'a [StepSoFar<'a>],
    /// What the person said of it.
    pub remarks: &'a [Remark],
}

/// A step of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StepSoFar<'a> {
    /// The step.
    pub id: &'a str,
    /// What it has to do.
    pub task: &'a str,
    /// The tool that it requires first.
    pub tool: Option<&'a str>,
    /// How it stands, in a word.
    pub status: &'a str,
    /// The beginning of what it gave.
    pub result: Option<&'a str>,
}

/// The JSON Schema of a compact plan.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PlanSchema<'a> {
    /// What may stand as a step's tool: the shown tools, `none` and `find`.
    pub tools: &'a [&'a str],
    /// Whether the message may be answered without a plan.
    pub answer: bool,
    /// Whether there are workflows, so that the plan says when it is to be done.
    pub when: bool,
}

/// A step that is planned anew.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct ReplanStep<'a> {
    /// The step.
    pub id: &'a str,
    /// What a person says of it.
    pub comment: &'a str,
}

/// What a model is told whose output could not be used.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Repair<'a> {
    /// What was wrong with it.
    pub faults: &'a [FaultLine],
    /// What it has to fit, where that helps.
    pub schema: Option<&'a Value>,
    /// Whether it was cut off.
    pub cut: bool,
}

/// What a model is told whose reply ends a step that is not done.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StepAgain {
    /// What is missing.
    pub fault: FaultLine,
}

/// A fault as a model reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FaultLine {
    /// Where; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

impl From<&Fault> for FaultLine {
    fn from(fault: &Fault) -> Self {
        Self { path: fault.place(), message: fault.message.clone(), hint: fault.hint.clone() }
    }
}

/// What a step is told whose call has values that occur nowhere.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Grounding<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The values.
    pub values: &'a [NamedValue<'a>],
    /// What exists and is nearest.
    pub known: &'a [String],
}

/// An argument and its value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct NamedValue<'a> {
    /// The argument.
    pub name: &'a str,
    /// The value as text.
    pub value: &'a str,
}

/// Who carries out a step.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StepRole<'a> {
    /// The specialist, where the step has one.
    pub specialist: Option<&'a str>,
    /// What that specialist does.
    pub does: &'a str,
}

/// A step's system message.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StepSystem<'a> {
    /// Who carries out the step, as [`StepRole`] tells it.
    pub role: &'a str,
    /// Whether `ask_user` is in scope.
    pub ask_user: bool,
    /// Whether `std-request-user-help` is in scope.
    pub request_help: bool,
    /// What is in the studio, where it is open.
    pub studio: Option<&'a str>,
    /// The active set.
    pub tools: &'a [ToolLine<'a>],
    /// The context of an agent with contracts.
    pub context: Option<&'a Value>,
}

/// A tool step's user message.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StepTool<'a> {
    /// What to do.
    pub description: &'a str,
    /// What must be called.
    pub required_tools: &'a [String],
    /// What will be there afterwards.
    pub expected_outcome: Option<&'a str>,
    /// What the step is given.
    #[serde(flatten)]
    pub given: StepGiven<'a>,
}

/// A reasoning step's user message.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StepReasoning<'a> {
    /// What to do.
    pub description: &'a str,
    /// What will be there afterwards.
    pub expected_outcome: Option<&'a str>,
    /// What the step is given.
    #[serde(flatten)]
    pub given: StepGiven<'a>,
}

/// The same for a step that is a specialist's whole part of the task, which is told to use its tools.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub struct StepHanded<'a>(pub StepReasoning<'a>);

/// What a step of any type is given.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StepGiven<'a> {
    /// The plan's words for the step's root specialist.
    pub instructions: Option<&'a str>,
    /// What the person said of the plan and the step.
    pub remarks: &'a [Remark],
    /// The plan's extracted context, when there is any.
    pub context: Option<&'a Value>,
    /// An agent's templated input.
    pub input: Option<&'a str>,
    /// What the steps gave that it builds on.
    pub results: &'a [StepResult<'a>],
    /// The conversation, where it is shown.
    pub conversation: &'a [Turn<'a>],
    /// The whole user message, where it is shown.
    pub message: Option<&'a str>,
}

/// A step's system message for small local models.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StepCompact<'a> {
    /// The active set.
    pub tools: &'a [ToolSignature<'a>],
    /// Whether `ask_user` is in scope.
    pub ask_user: bool,
    /// Whether `std-request-user-help` is in scope.
    pub request_help: bool,
    /// What is in the studio, where it is open.
    pub studio: Option<&'a str>,
}

/// A step's user message for small local models.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StepCompactUser<'a> {
    /// What was said before, as far as the step is told.
    pub conversation: &'a [Turn<'a>],
    /// The message.
    pub message: &'a str,
    /// Files of the workspace, as far as they are shown.
    pub files: &'a [String],
    /// Known values, when there are any.
    pub context: Option<&'a Value>,
    /// What earlier steps gave.
    pub results: &'a [StepResult<'a>],
    /// The plan's words for the step's root specialist.
    pub instructions: Option<&'a str>,
    /// What the person said of the plan and the step.
    pub remarks: &'a [Remark],
    /// What to do.
    pub task: &'a str,
    /// What will be there afterwards.
    pub expect: &'a str,
    /// The tools that must be called.
    pub tools: &'a [String],
    /// Whether this step's text is the answer to the user.
    pub last: bool,
}

/// What stands below the result of a call within a step, for small local models.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct StepCompactNext<'a> {
    /// Whether the call failed.
    pub failed: bool,
    /// The end of the error, where the same call failed before and is no longer shown.
    pub repeated: Option<&'a str>,
    /// Whether the ledger has all that the step must call.
    pub satisfied: bool,
    /// Those of its required tools that the ledger has not.
    pub missing: &'a [String],
    /// Whether this step's text is the answer to the user.
    pub last: bool,
    /// What is known of the files that a failed call names.
    pub files: &'a [&'a str],
}

/// What a step is told whose required calls are missing.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Enforce<'a> {
    /// Only those; never empty.
    pub missing: &'a [String],
}

/// How to ask in a chat, for whoever has `ask_user`.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct AskUserGuidance;

/// How to ask in a workflow run, for whoever has `std-request-user-help`.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct RequestHelpGuidance;

/// The whole message for a step that must not lose its values.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct UserMessage<'a> {
    /// The message, byte for byte.
    pub message: &'a str,
}
