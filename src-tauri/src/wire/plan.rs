//! Plans as cards show them.

use assent_core::contract::Fault;
use assent_core::plan::{Effects, Executor, Plan, PlanDiff, PlanRef};
use assent_engine::engine::{Check, Edited, ExecutorOption, Found};
use assent_engine::store::PlanStatus;
use serde::{Deserialize, Serialize};

/// A version with what its card shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PlanView {
    /// The document, with its grants where it holds.
    pub plan: Plan,
    /// What decisions about exactly this content name.
    pub reference: PlanRef,
    /// How it stands.
    pub status: PlanStatus,
    /// What does not hold, and what approving it would allow.
    pub check: PlanCheck,
}

/// What does not hold of a document, and what approving it would allow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PlanCheck {
    /// Each at its place in the document; approving needs none.
    pub faults: Vec<Fault>,
    /// Of the whole plan.
    pub effects: Effects,
    /// Of each step, in the plan's order.
    pub step_effects: Vec<Effects>,
    /// How often a model is asked at least when the plan runs.
    pub model_calls: u32,
}

impl From<Found> for PlanCheck {
    fn from(found: Found) -> Self {
        let Found { faults, effects, step_effects, model_calls } = found;
        Self { faults, effects, step_effects, model_calls }
    }
}

impl PlanView {
    /// A checked document with its status.
    pub fn new(check: Check, status: PlanStatus) -> Self {
        let Check { plan, reference, found } = check;
        Self { plan, reference, status, check: found.into() }
    }
}

/// A document that was changed and not saved.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PlanEdited {
    /// The document.
    pub plan: Plan,
    /// What does not hold of it, and what approving it would allow.
    pub check: PlanCheck,
    /// From the version that it was compared with, both with the grants that they have where they hold.
    pub diff: PlanDiff,
}

impl From<Edited> for PlanEdited {
    fn from(edited: Edited) -> Self {
        let Edited { plan, found, diff } = edited;
        Self { plan, check: found.into(), diff }
    }
}

/// As what a plan is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// `assent.plan/1`, which can be imported again.
    Json,
    /// For people.
    Markdown,
    /// The graph.
    Mermaid,
}

/// Who may do a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SpecialistOption {
    /// What a step says.
    pub executor: Executor,
    /// For people.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its own tools.
    pub tools: Vec<String>,
}

impl From<ExecutorOption> for SpecialistOption {
    fn from(option: ExecutorOption) -> Self {
        let ExecutorOption { executor, name, description, tools } = option;
        Self { executor, name, description, tools }
    }
}
