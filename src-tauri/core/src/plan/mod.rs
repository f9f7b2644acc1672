//! The plan document (`assent.plan/1`): what a model, a person or a file proposes, and what was checked and approved.
//!
//! A [`Plan`] is untrusted; only [`check`] makes a [`CheckedPlan`], and only that can be approved and run. A version
//! never changes: status, calls and results live in a run.

mod document;

pub use document::{
    Contracts, Defaults, Executor, ExecutorKind, FORMAT, Fallback, Grants, Limits, Origin, Plan, Route, RouteStep,
    Step, StepInput, StepType, ValidationMode,
};
