//! A plan that goes on from another one: what was completed stays as it was, so that a run takes it over and does not
//! do it again.

use std::collections::{HashMap, HashSet};

use assent_core::ids::StepId;
use assent_core::plan::{Plan, Step};
use assent_core::run::StepStatus;

use super::{After, Progress};

/// The new plan as the next version of the one that it goes on from, with that one's completed steps.
///
/// A new step that is the same as a completed one becomes that step, with its id, content and dependencies. The other
/// new steps get ids that were never used. After a finished plan, completed steps that the planner did not repeat are
/// kept too and stand first; a new step that waits for nothing then waits for all of them, so that it sees their
/// results. There a repeated step is only the completed one where something new builds on it: else it is what is asked
/// for, and is done again.
pub(super) fn carry_over(new: Plan, after: &After<'_>) -> Plan {
    match after {
        After::Nothing | After::Comment => new,
        After::Question { plan, .. } => merged(new, plan, false),
        After::Finished(plan) => merged(new, plan, true),
    }
}

fn merged(mut new: Plan, old: &Progress<'_>, keep_all: bool) -> Plan {
    let completed = completed(old);
    let mut repeated: HashMap<StepId, &Step> = HashMap::new();
    for step in &new.steps {
        let same =
            completed.iter().find(|done| is_same(done, step) && !repeated.values().any(|taken| taken.id == done.id));
        if let Some(done) = same {
            repeated.insert(step.id.clone(), done);
        }
    }
    if keep_all {
        let built_on = built_on(&new.steps, |step| !repeated.contains_key(step));
        repeated.retain(|step, _| built_on.contains(step));
    }
    let kept: Vec<&Step> = completed
        .iter()
        .copied()
        .filter(|done| keep_all || repeated.values().any(|taken| needs(&completed, taken, done)))
        .collect();
    let ids = new_ids(&new, &repeated, old.plan);
    let ends: Vec<StepId> = kept
        .iter()
        .filter(|step| !kept.iter().any(|other| other.dependencies.contains(&step.id)))
        .map(|step| step.id.clone())
        .collect();
    let mut steps: Vec<Step> = kept.into_iter().cloned().collect();
    for step in new.steps.drain(..).filter(|step| !repeated.contains_key(&step.id)) {
        let mut dependencies: Vec<StepId> =
            step.dependencies.iter().map(|id| ids.get(id).unwrap_or(id).clone()).collect();
        if dependencies.is_empty() && keep_all {
            dependencies.clone_from(&ends);
        }
        let id = ids.get(&step.id).unwrap_or(&step.id).clone();
        steps.push(Step { id, dependencies, ..step });
    }
    for (key, value) in &old.plan.extracted_context {
        new.extracted_context.entry(key.clone()).or_insert_with(|| value.clone());
    }
    let (id, version, supersedes) = (old.plan.id.clone(), old.next, Some(old.plan.version));
    Plan { id, version, supersedes, steps, ..new }
}

/// The steps on which those build that are picked.
fn built_on(steps: &[Step], picked: impl Fn(&StepId) -> bool) -> HashSet<StepId> {
    let mut found: HashSet<StepId> = HashSet::new();
    let mut open: Vec<&Step> = steps.iter().filter(|step| picked(&step.id)).collect();
    while let Some(step) = open.pop() {
        let before = steps.iter().filter(|other| step.dependencies.contains(&other.id));
        open.extend(before.filter(|other| found.insert(other.id.clone())));
    }
    found
}

/// The completed steps whose dependencies are completed too.
fn completed<'a>(old: &Progress<'a>) -> Vec<&'a Step> {
    let done = |id: &StepId| old.settled.iter().any(|one| one.step == id && one.status == StepStatus::Completed);
    let mut steps: Vec<&Step> = old.plan.steps.iter().filter(|step| done(&step.id)).collect();
    loop {
        let before = steps.len();
        let ids: Vec<StepId> = steps.iter().map(|step| step.id.clone()).collect();
        steps.retain(|step| step.dependencies.iter().all(|id| ids.contains(id)));
        if steps.len() == before {
            return steps;
        }
    }
}

fn is_same(one: &Step, other: &Step) -> bool {
    one.description.trim().eq_ignore_ascii_case(other.description.trim()) && one.required_tools == other.required_tools
}

/// Whether `taken` is `done` or builds on it.
fn needs(completed: &[&Step], taken: &Step, done: &Step) -> bool {
    let mut open = vec![taken.id.clone()];
    let mut seen: Vec<StepId> = Vec::new();
    while let Some(id) = open.pop() {
        if id == done.id {
            return true;
        }
        if !seen.contains(&id) {
            open.extend(completed.iter().filter(|step| step.id == id).flat_map(|step| step.dependencies.clone()));
            seen.push(id);
        }
    }
    false
}

/// The id of every new step: that of the completed step it repeats, else a number above all that the old plan has.
fn new_ids(new: &Plan, repeated: &HashMap<StepId, &Step>, old: &Plan) -> HashMap<StepId, StepId> {
    let number = |id: &StepId| id.as_str().strip_prefix('s').and_then(|digits| digits.parse::<usize>().ok());
    let mut last = old.steps.iter().filter_map(|step| number(&step.id)).max().unwrap_or(0);
    let mut ids = HashMap::new();
    for step in &new.steps {
        let id = repeated.get(&step.id).map(|done| done.id.clone()).unwrap_or_else(|| {
            last += 1;
            StepId::new(format!("s{last}"))
        });
        ids.insert(step.id.clone(), id);
    }
    ids
}
