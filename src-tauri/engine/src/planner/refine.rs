//! A plan that goes on from another one: what was completed stays as it was, so that a run takes it over and does not
//! do it again.

use std::collections::{HashMap, HashSet};

use assent_core::contract::{Fault, Stage};
use assent_core::ids::StepId;
use assent_core::plan::{Known, Plan, Step, steps_to_route};
use assent_core::run::StepStatus;

use super::{After, Progress};

/// The new plan as the next version of the one that it goes on from, with that one's completed steps.
///
/// A new step that is the same as a completed one becomes that step, with its id, content and dependencies. The other
/// new steps get ids that were never used. After a finished plan, completed steps that the planner did not repeat are
/// kept too and stand first; a new step that waits for nothing then waits for all of them, so that it sees their
/// results. There a repeated step is only the completed one where something new builds on it: else it is what is asked
/// for, and is done again. A completed step whose tools or specialist are not there now cannot stand in a plan: it is left
/// out with what builds on it, and that is said.
pub(super) fn carry_over(new: Plan, after: &After<'_>, known: &Known) -> (Plan, Vec<Fault>) {
    // A reply that came to nothing is not made a plan by what was done before.
    if new.steps.is_empty() {
        return (new, Vec::new());
    }
    match after {
        After::Nothing | After::Comment => (new, Vec::new()),
        After::Question { plan, .. } => merged(new, plan, false, known),
        After::Finished(plan) => merged(new, plan, true, known),
    }
}

/// Gives the steps that a plan takes over what they said when they were done, whatever was mended since: only so they are
/// the same, and are not done again.
pub(super) fn put_back(plan: &mut Plan, after: &After<'_>) {
    let (After::Question { plan: old, .. } | After::Finished(old)) = after else { return };
    let is_derived = plan.route == steps_to_route(&plan.steps);
    for step in &mut plan.steps {
        if let Some(done) = old.plan.step(&step.id) {
            step.clone_from(done);
        }
    }
    if is_derived {
        plan.route = steps_to_route(&plan.steps);
    }
}

fn merged(mut new: Plan, old: &Progress<'_>, keep_all: bool, known: &Known) -> (Plan, Vec<Fault>) {
    let done = completed(old, |_| true);
    let completed = completed(old, |step| is_there(step, known));
    let gone = done
        .iter()
        .filter(|step| keep_all && !completed.iter().any(|kept| kept.id == step.id))
        .map(|step| left_out(step));
    let gone: Vec<Fault> = gone.collect();
    let number = new.steps.len();
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
    // The reply's route is that of its own steps.
    let route = if steps.len() == number { new.route } else { steps_to_route(&steps) };
    (Plan { id, version, supersedes, steps, route, ..new }, gone)
}

fn is_there(step: &Step, known: &Known) -> bool {
    known.has(&step.executor) && step.required_tools.iter().all(|tool| known.tools.contains_key(tool))
}

fn left_out(step: &Step) -> Fault {
    let message =
        format!("{:?} is done, and who did it or its tools are not there now; it was left out", step.description);
    Fault::new(Stage::Plan, message).at(["steps"])
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

/// The completed steps that are picked and whose dependencies are so too.
fn completed<'a>(old: &Progress<'a>, picked: impl Fn(&Step) -> bool) -> Vec<&'a Step> {
    let done = |id: &StepId| old.settled.iter().any(|one| one.step == id && one.status == StepStatus::Completed);
    let mut steps: Vec<&Step> = old.plan.steps.iter().filter(|step| done(&step.id) && picked(step)).collect();
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
