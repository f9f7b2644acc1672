//! The gate between a plan that somebody wrote and a plan that can run: every fault at once, each at its place.

mod header;
mod steps;

#[cfg(test)]
mod tests;

use indexmap::IndexMap;
use serde_json::Value;

use super::faults::Faults;
use super::{CheckedPlan, Known, Plan, grants};
use crate::contract::{Fault, PathPart, Stage};
use crate::ids::Digest;

/// A plan has at most this many steps.
pub const MAX_STEPS: usize = 2_000;
/// A step requires at most this many tools; the same cap holds for what a specialist is shown.
pub const MAX_STEP_TOOLS: usize = 10;
/// More faults are counted, not listed.
const MAX_FAULTS: usize = 100;

/// Checks a plan against what is there, writes its grants and computes what an approval binds. Checking a checked
/// document again gives the same result.
///
/// # Errors
/// Everything that does not hold, each at its place in the document.
pub fn check(mut plan: Plan, known: &Known) -> Result<CheckedPlan, Vec<Fault>> {
    let faults = grant(&mut plan, known);
    if !faults.is_empty() {
        return Err(faults);
    }
    let bound = bound(&plan, known);
    let digest = digest(&plan, &bound);
    Ok(CheckedPlan::of(plan, digest, bound))
}

/// Everything that does not hold of a plan, each at its place in the document. Where everything holds, writes its grants:
/// what [`check`] does, without what an approval binds, which is most of the work on a large plan.
pub fn grant(plan: &mut Plan, known: &Known) -> Vec<Fault> {
    let mut faults = Faults::of(Stage::Plan, MAX_FAULTS);
    header::check(plan, known, &mut faults);
    if is_whole(plan.steps.len(), &mut faults) {
        steps::check(plan, known, &mut faults);
    }
    if faults.count() > 0 {
        return faults.into_vec();
    }
    for (step, grants) in grants::derive(plan, known).into_iter().enumerate() {
        plan.steps[step].grants = grants;
    }
    Vec::new()
}

/// Every tool that the plan requires or is granted, with its digest.
fn bound(plan: &Plan, known: &Known) -> IndexMap<String, Digest> {
    let names = plan.steps.iter().flat_map(|step| step.grants.tools.iter().chain(&step.required_tools));
    let mut bound = IndexMap::new();
    for name in names {
        if let Some(tool) = known.tools.get(name)
            && !bound.contains_key(name)
        {
            bound.insert(name.clone(), tool.digest());
        }
    }
    bound
}

/// The digest of the document, its time left out, and of the tools that it binds.
fn digest(plan: &Plan, bound: &IndexMap<String, Digest>) -> Digest {
    let mut document = serde_json::to_value(plan).unwrap_or_default();
    if let Some(fields) = document.as_object_mut() {
        fields.shift_remove("createdAt");
    }
    let tools = serde_json::to_value(bound).unwrap_or_default();
    // Put together by hand: a macro would copy the document once more.
    let fields = [("plan".to_owned(), document), ("tools".to_owned(), tools)];
    Digest::of_json(&Value::Object(fields.into_iter().collect()))
}

/// Whether there are few enough steps to look at each.
fn is_whole(steps: usize, faults: &mut Faults) -> bool {
    if steps == 0 {
        faults.add(["steps".into()], "the plan has no steps", "Add a step.");
    }
    if steps > MAX_STEPS {
        let message = format!("the plan has {steps} steps, {MAX_STEPS} are allowed");
        faults.add(["steps".into()], message, "Split it into several plans.");
    }
    steps <= MAX_STEPS
}

/// The place of a field of a step.
fn at_step(step: usize, field: &str) -> [PathPart; 3] {
    ["steps".into(), step.into(), field.into()]
}
