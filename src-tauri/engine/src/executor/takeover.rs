//! Completed steps of an earlier run that a new version of the plan leaves unchanged, and what a retry makes stale.

use std::collections::HashSet;

use assent_core::ids::{RunId, StepId};
use assent_core::order::sort;
use assent_core::plan::{CheckedPlan, Plan, Step};
use assent_core::run::{CallState, Content, EventKind, RunState, StepStatus, ValidationStatus};
use serde_json::Value;

use super::carrier::Carrier;
use super::result::{presented, told};
use super::{Executor, ExecutorError, words};
use crate::tool::Catalogue;

/// A completed step that is taken over and not done again.
#[derive(Debug, Clone, PartialEq)]
pub struct Carried {
    /// The step.
    pub step: StepId,
    /// The run that completed it.
    pub from: RunId,
    /// What the ledger said.
    pub validation: ValidationStatus,
    /// What it gave, for the steps that build on it.
    pub result: Option<Value>,
    /// The warning with which it completed.
    pub reason: Option<String>,
}

impl Carried {
    pub(super) fn event(self, carrier: &Carrier) -> EventKind {
        EventKind::StepEnded {
            status: StepStatus::Completed,
            validation: self.validation,
            result: self.result.map(|result| carrier.content(result)),
            reason: self.reason,
            because: None,
            carried_from: Some(self.from),
        }
    }
}

impl Executor {
    /// The steps of an earlier run that `new` need not do again: completed, not stale, and with the same id, content
    /// and dependencies, all of which are taken over too.
    ///
    /// # Errors
    /// A content could not be read.
    pub fn carried(&self, old: &Plan, state: &RunState, new: &Plan) -> Result<Vec<Carried>, ExecutorError> {
        let mut taken: Vec<Carried> = Vec::new();
        let mut ids: HashSet<&StepId> = HashSet::new();
        let mut left: Vec<&Step> = new.steps.iter().filter(|step| is_unchanged(old, state, step)).collect();
        loop {
            let (now, later): (Vec<&Step>, Vec<&Step>) =
                left.into_iter().partition(|step| step.dependencies.iter().all(|on| ids.contains(on)));
            if now.is_empty() {
                return Ok(taken);
            }
            for step in now {
                if let Some(at) = state.index_of(&step.id) {
                    taken.push(self.take(state, at)?);
                    ids.insert(&step.id);
                }
            }
            left = later;
        }
    }

    /// Every step of a run that is settled or waits, with what it gave as another step would be told it.
    ///
    /// # Errors
    /// A content could not be read.
    pub fn results(&self, state: &RunState) -> Result<Vec<(StepId, StepStatus, String)>, ExecutorError> {
        let begun = |at: &usize| !matches!(state.step(*at).status, StepStatus::Pending | StepStatus::InProgress);
        let all = (0..state.steps().len()).filter(begun);
        all.map(|at| {
            let step = state.step(at);
            let mut parts = self.gave(state, at)?;
            parts.extend(step.reason.clone().filter(|_| step.status != StepStatus::Completed));
            Ok((step.id.clone(), step.status, parts.join("\n")))
        })
        .collect()
    }

    fn gave(&self, state: &RunState, at: usize) -> Result<Vec<String>, ExecutorError> {
        gave(state, at, &self.parts.catalogue, |content| self.content(content))
    }

    fn take(&self, state: &RunState, at: usize) -> Result<Carried, ExecutorError> {
        let step = state.step(at);
        let parts = self.gave(state, at)?;
        let first = step.carried_from.clone().unwrap_or_else(|| state.run().clone());
        Ok(Carried {
            step: step.id.clone(),
            from: first,
            validation: step.validation.unwrap_or(ValidationStatus::Skipped),
            result: (!parts.is_empty()).then(|| Value::String(parts.join("\n"))),
            reason: step.reason.clone(),
        })
    }
}

/// What a step gave: its calls, and what it said of them.
pub(super) fn gave<E>(
    state: &RunState,
    at: usize,
    catalogue: &Catalogue,
    read: impl Fn(&Content) -> Result<Value, E>,
) -> Result<Vec<String>, E> {
    let mut gave = Vec::new();
    for entry in state.entries_of(at) {
        if let CallState::Ended(end) = &entry.state
            && end.satisfied
        {
            gave.push(presented(catalogue, &entry.tool, &read(&end.output)?));
        }
    }
    let said = state.step(at).result.as_ref().map(read).transpose()?;
    Ok(told(gave, said.as_ref().map(words::plain)))
}

/// Whether a completed step says what it said. What it was granted follows from the whole plan, and nothing of it is
/// called again.
fn is_unchanged(old: &Plan, state: &RunState, step: &Step) -> bool {
    let Some(at) = state.index_of(&step.id) else {
        return false;
    };
    let was = state.step(at);
    let same = |old: &Step| Step { grants: step.grants.clone(), ..old.clone() } == *step;
    was.status == StepStatus::Completed && !was.stale && old.steps.get(at).is_some_and(same)
}

/// The completed steps that build on one, directly or not.
pub(super) fn completed_downstream(plan: &CheckedPlan, state: &RunState, at: usize) -> Vec<StepId> {
    let completed = |next: &usize| state.step(*next).status == StepStatus::Completed;
    let mut found: Vec<usize> = plan.downstream(at).into_iter().filter(completed).collect();
    sort(&mut found);
    found.into_iter().map(|next| state.step(next).id.clone()).collect()
}
