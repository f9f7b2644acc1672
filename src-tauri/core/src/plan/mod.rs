//! The plan document (`assent.plan/1`): what a model, a person or a file proposes, and what was checked and approved.
//!
//! A [`Plan`] is untrusted; only [`check`] makes a [`CheckedPlan`], and only that can be approved and run. A version
//! never changes: status, calls and results live in a run.

mod document;

mod faults;
mod keys;
mod outline;
mod parse;

mod graph;
mod known;
mod limits;
mod lineage;
mod literals;

mod check;
mod checked;
mod grants;

mod convert;
mod normalise;

mod diff;
mod edit;
mod effects;
mod import;
mod render;

#[cfg(test)]
mod tests;

pub use check::{MAX_STEP_TOOLS, MAX_STEPS, check, grant};
pub use checked::{ApprovedPlan, CheckedPlan, OtherContent};
pub use convert::{
    Header, NO_SPECIALISTS, fallback_plan, keep_grounded, normalise_route, route_to_steps, steps_to_route,
    to_outline_json, to_plan,
};
pub use diff::{FieldChange, GrantChange, PlanDiff, StepChange, StepMove, diff};
pub use document::{
    Contracts, Defaults, Executor, ExecutorKind, FORMAT, Fallback, Grants, Origin, Plan, PlanRef, Route, RouteStep,
    Step, StepInput, StepType, ValidationMode,
};
pub use edit::{EditRefused, NewStep, PlanEdit, apply, put_in_place, save};
pub use effects::{Effects, effects, step_effects};
pub use import::{MAX_PLAN_FILE, PLAN_SCHEMA, import, spelled_as_in};
pub use known::{Known, KnownSpecialist, PLANNER};
pub use limits::Limits;
pub use lineage::Branches;
pub use normalise::{makers_in_turn, normalise};
pub use outline::{Outline, OutlineStep, PlannerOutput};
pub use parse::{MAX_PLANNER_TEXT, parse, parse_plan_output, parse_value};
pub use render::{to_markdown, to_mermaid};
