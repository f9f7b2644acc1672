//! A plan that was checked, and a checked plan that was approved: the only plans that can be run.

use std::collections::HashMap;

use indexmap::IndexMap;
use thiserror::Error;

use super::{Plan, PlanRef, Step, graph};
use crate::ids::{Digest, StepId};

/// A plan whose references, order and sizes hold, with its grants written. Made only by [`check`](super::check).
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedPlan {
    plan: Plan,
    digest: Digest,
    /// The tools that it binds.
    bound: IndexMap<String, Digest>,
    index: HashMap<StepId, usize>,
    order: Vec<usize>,
    levels: Vec<Vec<usize>>,
    dependencies: Vec<Vec<usize>>,
    dependents: Vec<Vec<usize>>,
}

impl CheckedPlan {
    /// Takes a plan whose ids are unique and whose dependencies are known and free of cycles.
    pub(super) fn of(plan: Plan, digest: Digest, bound: IndexMap<String, Digest>) -> Self {
        let index = plan.steps.iter().enumerate().map(|(at, step)| (step.id.clone(), at)).collect();
        let dependencies = graph::dependencies(&plan.steps);
        let dependents = graph::dependents(&dependencies);
        let order = graph::order(&dependencies);
        let mut levels: Vec<Vec<usize>> = Vec::new();
        for (at, level) in graph::levels(&dependencies).into_iter().enumerate() {
            levels.resize_with(levels.len().max(level + 1), Vec::new);
            levels[level].push(at);
        }
        Self { plan, digest, bound, index, order, levels, dependencies, dependents }
    }

    /// The document with its grants.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The steps, in the order in which they are shown.
    pub fn steps(&self) -> &[Step] {
        &self.plan.steps
    }

    /// The place of a step in [`steps`](Self::steps).
    pub fn index_of(&self, id: &StepId) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// A step by its id, in constant time.
    pub fn step(&self, id: &StepId) -> Option<&Step> {
        self.index_of(id).map(|at| &self.plan.steps[at])
    }

    /// The places of all steps, dependencies first, else as shown.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The places of the steps of each level; a level's steps depend on none of the same level.
    pub fn levels(&self) -> &[Vec<usize>] {
        &self.levels
    }

    /// The places that the step at `at` waits for; empty for a place that is not there.
    pub fn dependencies(&self, at: usize) -> &[usize] {
        self.dependencies.get(at).map_or(&[], Vec::as_slice)
    }

    /// The places that wait for the step at `at`; empty for a place that is not there.
    pub fn dependents(&self, at: usize) -> &[usize] {
        self.dependents.get(at).map_or(&[], Vec::as_slice)
    }

    /// Every place that waits for the step at `at`, directly or not, in running order.
    pub fn downstream(&self, at: usize) -> Vec<usize> {
        let mut below = vec![false; self.plan.steps.len()];
        let mut open = self.dependents(at).to_vec();
        while let Some(next) = open.pop() {
            if !below[next] {
                below[next] = true;
                open.extend_from_slice(&self.dependents[next]);
            }
        }
        self.order.iter().copied().filter(|step| below[*step]).collect()
    }

    /// What an approval binds: the document without its time, with its grants and the digests of its tools.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The digest of a tool that the plan requires or is granted, as it was when the plan was checked.
    pub fn bound(&self, tool: &str) -> Option<&Digest> {
        self.bound.get(tool)
    }

    /// This version, bound to its content.
    pub fn plan_ref(&self) -> PlanRef {
        PlanRef { id: self.plan.id.clone(), version: self.plan.version, digest: self.digest.clone() }
    }

    /// Whether a decision was about exactly this content.
    pub fn is_bound_by(&self, decision: &PlanRef) -> bool {
        *decision == self.plan_ref()
    }

    /// The plan as approved by a decision.
    ///
    /// # Errors
    /// [`OtherContent`] when the decision was about another plan, version, document, grant or tool.
    pub fn approve(self, decision: &PlanRef) -> Result<ApprovedPlan, OtherContent> {
        let of = self.plan_ref();
        if *decision == of {
            Ok(ApprovedPlan { checked: self })
        } else {
            Err(OtherContent { approved: decision.clone(), is: of })
        }
    }
}

/// An approval that does not belong to what is about to run: it has to be given again.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "version {} of the plan is not what was approved: the document, what it is allowed to do, or one of its tools has changed; approve it again",
    .is.version
)]
pub struct OtherContent {
    /// What the decision was about.
    pub approved: PlanRef,
    /// What it would be used for.
    pub is: PlanRef,
}

/// A checked plan that a decision allows to run.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovedPlan {
    checked: CheckedPlan,
}

impl ApprovedPlan {
    /// What was approved.
    pub fn checked(&self) -> &CheckedPlan {
        &self.checked
    }

    /// The document with its grants.
    pub fn plan(&self) -> &Plan {
        self.checked.plan()
    }

    /// The version, bound to its content.
    pub fn plan_ref(&self) -> PlanRef {
        self.checked.plan_ref()
    }
}
