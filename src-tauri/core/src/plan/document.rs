//! The types of the document, spelled on the wire in camelCase; unknown fields of a file are refused where they are read.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Limits;
use crate::ids::{Digest, PlanId, SessionId, StepId};

/// The format that is written into every document.
pub const FORMAT: &str = "assent.plan/1";

/// What was agreed: one immutable version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Always [`FORMAT`].
    pub format: String,
    /// Shared by all versions.
    pub id: PlanId,
    /// From 1.
    pub version: u32,
    /// The version this one replaces.
    #[serde(default)]
    pub supersedes: Option<u32>,
    /// The chat it belongs to.
    pub session_id: SessionId,
    /// A few words for lists.
    #[serde(default)]
    pub title: String,
    /// What the user is after.
    #[serde(default)]
    pub intent: String,
    /// The task in one short sentence.
    #[serde(default)]
    pub refined_task: String,
    /// The message that the plan answers, byte for byte.
    #[serde(default)]
    pub user_message: String,
    /// Concrete values of the conversation: URLs, ids, paths.
    #[serde(default)]
    pub extracted_context: Map<String, Value>,
    /// What the planner tells each root specialist.
    #[serde(default)]
    pub instructions: IndexMap<String, String>,
    /// The specialists in order, as planned or as derived from the steps.
    #[serde(default)]
    pub route: Route,
    /// What steps that say nothing use.
    #[serde(default)]
    pub defaults: Defaults,
    /// Where repetition ends.
    #[serde(default)]
    pub limits: Limits,
    /// Whether nothing may be changed, because the user's message says so: no step may require a tool that writes, and
    /// every call that may change something asks a person first. Taken out by an edit, it no longer holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "bindings", ts(optional, as = "Option<_>"))]
    pub read_only: bool,
    /// The steps, in the order in which they are shown.
    pub steps: Vec<Step>,
    /// Whether and why this is not what a planner wrote.
    #[serde(default)]
    pub fallback: Fallback,
    /// Milliseconds since 1970, UTC.
    #[serde(default)]
    pub created_at: i64,
}

impl Plan {
    /// The plan as anybody may have written it: that a person made a call by hand is not to be had from a document,
    /// because its arguments are nobody's word.
    #[must_use]
    pub fn from_outside(mut self) -> Self {
        let by_hand = self.steps.iter_mut().filter(|step| step.origin == Origin::Call);
        by_hand.for_each(|step| step.origin = Origin::User);
        self
    }

    /// What the planner tells a root specialist; an id of the seeds' older naming is found under its newer name.
    pub fn instructions_for(&self, root: &str) -> Option<&str> {
        let older = match root {
            "improve_agents_workflows" => "improvement",
            other => other,
        };
        self.instructions.get(root).or_else(|| self.instructions.get(older)).map(String::as_str)
    }

    /// The same of any specialist: what is said to it, else to the one on top of it.
    pub fn instructions_to(&self, id: &str, root: Option<&str>) -> Option<&str> {
        self.instructions_for(id).or_else(|| self.instructions_for(root?))
    }

    /// How a step without a mode of its own is judged.
    pub fn mode_of(&self, step: &Step) -> ValidationMode {
        step.tool_validation_mode.unwrap_or(self.defaults.tool_validation_mode)
    }

    /// The step of that id.
    pub fn step(&self, id: &StepId) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == *id)
    }
}

/// A version of a plan, bound to its content.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PlanRef {
    /// The plan.
    pub id: PlanId,
    /// The version.
    pub version: u32,
    /// What an approval binds: the checked document with its grants and the digests of its tools.
    pub digest: Digest,
}

impl PlanRef {
    /// Names a version that does not hold as it is, and so has nothing that an approval could bind.
    pub fn unchecked(plan: &Plan) -> Self {
        let document = serde_json::to_value(plan).unwrap_or_default();
        Self { id: plan.id.clone(), version: plan.version, digest: Digest::of_json(&document) }
    }
}

/// An ordered list of specialists; those of one element may run at the same time.
pub type Route = Vec<RouteStep>;

/// One element of a route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum RouteStep {
    /// One specialist.
    One(String),
    /// Several that do not wait for each other.
    Parallel {
        /// Their ids.
        parallel: Vec<String>,
    },
}

impl RouteStep {
    /// The ids of this element, in order.
    pub fn ids(&self) -> &[String] {
        match self {
            Self::One(id) => std::slice::from_ref(id),
            Self::Parallel { parallel } => parallel,
        }
    }
}

/// What steps use that do not say otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Defaults {
    /// How a missing required call is judged; `advisory` in a document without defaults.
    #[serde(default)]
    pub tool_validation_mode: ValidationMode,
}

/// How a step is judged whose required tools were not all called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ValidationMode {
    /// It fails.
    Strict,
    /// It completes with a warning.
    #[default]
    Advisory,
}

/// One unit of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Unique in the plan.
    pub id: StepId,
    /// The step this one is a part of.
    #[serde(default)]
    pub parent_id: Option<StepId>,
    /// How it came into the plan.
    #[serde(default)]
    pub origin: Origin,
    /// What to do.
    pub description: String,
    /// Whether it must call something; absent means `reasoning`, or `tool` when tools are required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "bindings", ts(optional))]
    pub step_type: Option<StepType>,
    /// The tools it must call successfully.
    #[serde(default)]
    pub required_tools: Vec<String>,
    /// What will be there afterwards.
    #[serde(default)]
    pub expected_outcome: Option<String>,
    /// Overrides the plan's default.
    #[serde(default)]
    pub tool_validation_mode: Option<ValidationMode>,
    /// Who does it.
    #[serde(default)]
    pub executor: Executor,
    /// Further words for the executor.
    #[serde(default)]
    pub instructions: Option<String>,
    /// The steps that must be completed first.
    #[serde(default)]
    pub dependencies: Vec<StepId>,
    /// Values that it is given.
    #[serde(default)]
    pub input: StepInput,
    /// What approving the plan allows it to do; written by `check`.
    #[serde(default)]
    pub grants: Grants,
    /// Schemas of what goes in and what comes out.
    #[serde(default)]
    pub contracts: Contracts,
}

impl Step {
    /// A step that says only what to do; everything else is left to defaults.
    pub fn new(id: StepId, description: impl Into<String>) -> Self {
        Self {
            id,
            parent_id: None,
            origin: Origin::default(),
            description: description.into(),
            step_type: None,
            required_tools: Vec::new(),
            expected_outcome: None,
            tool_validation_mode: None,
            executor: Executor::default(),
            instructions: None,
            dependencies: Vec::new(),
            input: StepInput::default(),
            grants: Grants::default(),
            contracts: Contracts::default(),
        }
    }

    /// Whether it is a specialist's whole part of the task: it does as it sees fit, with tools of its own.
    pub fn is_handed_over(&self) -> bool {
        self.executor.kind == ExecutorKind::Specialist && matches!(self.origin, Origin::Route | Origin::Delegate)
    }

    /// The type that counts: a step with required tools is a tool step whatever it says.
    pub fn effective_type(&self) -> StepType {
        if self.required_tools.is_empty() { self.step_type.unwrap_or(StepType::Reasoning) } else { StepType::Tool }
    }
}

/// How a step came into the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From a list of steps.
    #[default]
    Todo,
    /// From a route.
    Route,
    /// From a specialist that delegated at run time.
    Delegate,
    /// From an agent called as a tool.
    AgentCall,
    /// From a person.
    User,
    /// From a person who calls a tool: the step makes this one call, its arguments are its context, and no model is asked.
    Call,
}

/// Whether a step must act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StepType {
    /// Must call something.
    Tool,
    /// Works on what is there.
    Reasoning,
}

/// Who does a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Executor {
    /// What kind of executor.
    #[serde(default)]
    pub kind: ExecutorKind,
    /// Its id; empty for the single agent.
    #[serde(default)]
    pub id: String,
}

/// What kind of executor does a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ExecutorKind {
    /// An entry of the heap.
    Specialist,
    /// An agent with contracts.
    Agent,
    /// The single agent: core tools, with discovery.
    #[default]
    #[serde(rename = "self")]
    Single,
}

/// Values that a step is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepInput {
    /// Explicit context; wins over the plan's extracted context.
    #[serde(default)]
    pub context: Map<String, Value>,
}

/// What approving the plan allows a step to do without asking again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Grants {
    /// Tool names.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Paths inside the workspace; `.` is all of it.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Host names.
    #[serde(default)]
    pub hosts: Vec<String>,
}

/// Schemas of a step's input and output.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Contracts {
    /// What goes in.
    #[serde(default)]
    pub input: Option<Value>,
    /// What comes out.
    #[serde(default)]
    pub output: Option<Value>,
}

/// Whether and why a plan is not what a planner wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Fallback {
    /// Whether the plan was made without a usable planner output.
    #[serde(default)]
    pub used: bool,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
}
