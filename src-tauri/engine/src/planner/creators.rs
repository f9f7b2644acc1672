//! An agent that is asked for once is made once, and nobody improves what is not there.
//!
//! That holds by what the plan and the registry say, whatever the message's language: who owns the tool that makes agents
//! makes them, each step of his makes one, and whoever improves something names an agent that is there, or is there for a
//! message that wants something to be better. Where the plan leaves it open, the planner is asked once more, and beyond the
//! plan's steps a person is (`executor/once.rs`). Words of the message only save that question: they are read in two
//! languages, and of what they do not say plainly nothing is concluded.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use assent_core::contract::{Fault, Stage};
use assent_core::heap::{Registry, whole_ids};
use assent_core::ids::StepId;
use assent_core::plan::{Executor, ExecutorKind, MAX_STEPS, Plan, PlanEdit, Step, apply, steps_to_route};
use indexmap::IndexMap;
use regex::Regex;

use super::After;
use super::scheduled::{Pattern, says};

/// The tool that makes an agent, and the specialist who has it.
pub(crate) const CREATE_AGENT: &str = "create_agent";
pub(crate) const AGENT: &str = "agent";
/// What the names of those begin with who improve what is there.
const IMPROVES: &str = "improve";

/// Agents are made: a verb, and in the same sentence what it makes.
static MAKES: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\b(?:create|make|build|set up|add|need|want|erstelle|erzeuge|baue|mache|brauche)\b[^.!?\n]{0,60}\bagent(?:s|en)?\b",
    )
    .ok()
});

/// One agent, with at most four words about it.
static ONE: Pattern =
    LazyLock::new(|| Regex::new(r"\b(?:one|an?|1|another|einen?)\s+(?:[\w-]+,?\s+){0,4}?agent(?:en)?\b").ok());

/// More than one, or as many as there are of something.
static SEVERAL: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\bagents\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|several|many|few|both|zwei|drei|vier|fünf|mehrere|einige|beide|[2-9]|\d{2,})\s+(?:[\w-]+\s+){0,2}agent|\b(?:for|per|je|für|pro)\s+(?:each|every|all|jede[nrs]?|alle)\b|\b(?:each|jeweils)$|\bone\s+(?:for|per|that|which|each)\b|\b(?:and|then|und)\s+(?:one|another|einen?)\b",
    )
    .ok()
});

/// Something that is there is to become better.
static BETTER: Pattern = LazyLock::new(|| {
    Regex::new(
        r"\b(?:improv\w*|fix\w*|better|repair\w*|correct\w*|optimi[sz]\w*|tune|tweak|refine|mend|wrong|fail\w*|broken|verbess\w*|repari\w*|korrig\w*|behebe\w*)\b",
    )
    .ok()
});

/// How many agents a message asks for, as far as its words say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// One, plainly.
    One,
    /// More than one, plainly.
    Several,
    /// The words do not say it: the plan does.
    Unsaid,
}

/// How many agents a message asks for.
pub(crate) fn agents_wanted(message: &str) -> Wanted {
    let text = message.trim().to_lowercase();
    let named = ONE.iter().flat_map(|one| one.find_iter(&text)).take(2).count();
    match (says(&MAKES, &text), says(&SEVERAL, &text), named) {
        (true, true, _) | (true, false, 2) => Wanted::Several,
        (true, false, 1) => Wanted::One,
        _ => Wanted::Unsaid,
    }
}

/// What a plan's makers of agents came to.
#[derive(Debug, Default)]
pub(super) struct Creators {
    /// What was left out, and why that is certain.
    pub(super) left_out: Option<Fault>,
    /// What the planner is to say more plainly.
    pub(super) open: Vec<Fault>,
}

/// Who stands where in a plan.
struct Cast<'a> {
    registry: Option<&'a Registry>,
    /// Agents and specialists that a person or a chat has added.
    there: Vec<String>,
    message: String,
    instructions: IndexMap<String, String>,
    owner: String,
}

impl<'a> Cast<'a> {
    fn of(plan: &Plan, registry: Option<&'a Registry>, there: &IndexMap<String, String>) -> Self {
        let owner = registry.and_then(|registry| registry.root_for(&[CREATE_AGENT.to_owned()])).unwrap_or(AGENT);
        Self {
            registry,
            there: there.keys().cloned().collect(),
            message: plan.user_message.to_lowercase(),
            instructions: plan.instructions.clone(),
            owner: owner.to_owned(),
        }
    }

    /// The specialist on top of the one who does a step.
    fn root(&self, step: &Step) -> String {
        let id = step.executor.id.as_str();
        let root = self.registry.and_then(|registry| registry.root_of(id)).unwrap_or(id);
        if step.executor.kind == ExecutorKind::Specialist { root.to_owned() } else { String::new() }
    }

    fn is_owners(&self, step: &Step) -> bool {
        self.root(step) == self.owner
    }

    /// Whether a step makes an agent for certain: its call is required, or the task is the owner's and the message says it.
    fn makes(&self, step: &Step) -> bool {
        requires_making(step) || self.is_handed(step) && says(&MAKES, &self.message)
    }

    /// Whether the task of a step is the owner's, who finds out what to do.
    fn is_handed(&self, step: &Step) -> bool {
        step.is_handed_over() && self.is_owners(step)
    }

    /// Whether a step improves something and does not say that it is there: it names no agent, and no word of the message
    /// wants something to be better.
    fn improves_nothing(&self, step: &Step) -> bool {
        let root = self.root(step);
        if !root.starts_with(IMPROVES) || requires_making(step) {
            return false;
        }
        let told = [Some(&step.description), step.instructions.as_ref(), self.instructions.get(&root)];
        let mut told = told.into_iter().flatten();
        !told.any(|text| !whole_ids(text, &self.there).is_empty()) && !says(&BETTER, &self.message)
    }
}

fn requires_making(step: &Step) -> bool {
    step.required_tools.iter().any(|tool| tool == CREATE_AGENT)
}

/// Has one specialist make the agents of a plan, and one step make the agent where one is asked for; nobody improves what
/// is not there. What another maker was to make is added to the one that stays. Steps that the plan takes over from an
/// earlier one are done and stay.
pub(super) fn one_creator(
    plan: &mut Plan,
    registry: Option<&Registry>,
    there: &IndexMap<String, String>,
    after: &After<'_>,
) -> Creators {
    // More steps than a plan may have are refused, and cost nothing before.
    if matches!(after, After::Comment) || plan.steps.len() > MAX_STEPS {
        return Creators::default();
    }
    let cast = Cast::of(plan, registry, there);
    let wanted = agents_wanted(&plan.user_message);
    let new: Vec<Step> = plan.steps.iter().filter(|step| !is_earlier(after, &step.id)).cloned().collect();
    let makers: Vec<&Step> = new.iter().filter(|step| cast.makes(step)).collect();
    let may_make = |step: &Step| cast.makes(step) || cast.is_handed(step);
    let mut creators = Creators::default();
    if !new.iter().any(may_make) {
        creators.open.extend(new.iter().any(|step| cast.improves_nothing(step)).then(names_nothing));
        return creators;
    }
    if let Some(kept) = makers.iter().find(|step| cast.is_owners(step)).or(makers.first()) {
        let is_another = |step: &Step| match wanted {
            Wanted::One => true,
            // Two specialists who are to make the same.
            Wanted::Unsaid => !cast.is_owners(step),
            Wanted::Several => false,
        };
        let goes = |step: &Step| cast.makes(step) && is_another(step) || cast.improves_nothing(step);
        let gone: Vec<(&Step, bool)> =
            new.iter().filter(|step| step.id != kept.id && goes(step)).map(|step| (step, cast.makes(step))).collect();
        creators.left_out = leave_out(plan, &gone, &kept.id);
        give_to_owner(plan, &cast);
    }
    improve_afterwards(plan, &cast, after);
    if wanted != Wanted::Unsaid {
        return creators;
    }
    if new.iter().any(|step| cast.improves_nothing(step)) {
        creators.open.push(names_nothing());
    }
    let left = new.iter().filter(|step| plan.step(&step.id).is_some() && may_make(step)).count();
    if left > 1 {
        let message = format!("{left} steps may each make an agent");
        let fault = Fault::new(Stage::Plan, message).at(["steps"]);
        let hint = "Where the message asks for one agent, one step makes it. Leave them as they are where it asks for as many.";
        creators.open.push(fault.hint(hint));
    }
    creators
}

/// Whoever improves agents works after those who make some, and never beside them: neither would see what the other does.
fn improve_afterwards(plan: &mut Plan, cast: &Cast<'_>, after: &After<'_>) {
    let derived = plan.route == steps_to_route(&plan.steps);
    let is_new = |step: &&Step| !is_earlier(after, &step.id);
    let makes = |step: &&Step| cast.makes(step) || cast.is_handed(step);
    let makers: Vec<StepId> = plan.steps.iter().filter(is_new).filter(makes).map(|step| step.id.clone()).collect();
    let improves = |step: &&Step| cast.root(step).starts_with(IMPROVES) && !makers.contains(&step.id);
    let improvers: Vec<StepId> =
        plan.steps.iter().filter(is_new).filter(improves).map(|step| step.id.clone()).collect();
    for improver in &improvers {
        let (later, steps, mut before) = (building_on(plan, improver), by_id(plan), HashSet::new());
        built_on(&steps, improver, &mut before);
        let mut more = Vec::new();
        for maker in makers.iter().filter(|maker| !later.contains(maker)) {
            if !before.contains(maker) {
                more.push(maker.clone());
                built_on(&steps, maker, &mut before);
            }
        }
        if let Some(step) = plan.steps.iter_mut().find(|step| step.id == *improver) {
            step.dependencies.extend(more);
        }
    }
    if derived {
        plan.route = steps_to_route(&plan.steps);
    }
}

fn names_nothing() -> Fault {
    let message =
        "an improvement specialist has a part in the plan, and names nothing that is there and is to become better";
    let hint = "It is for what is to be improved or fixed: leave it out, give the step to another specialist, or name in it the \
                agents that are to become better, by their ids. Where the message asks for that in other words, leave it as it is.";
    Fault::new(Stage::Plan, message).at(["steps"]).hint(hint)
}

/// Has the owner of the tool carry out each step that has to make an agent.
fn give_to_owner(plan: &mut Plan, cast: &Cast<'_>) {
    let derived = plan.route == steps_to_route(&plan.steps);
    let has_all = |step: &Step| {
        let root = cast.registry.and_then(|registry| registry.root_for(&step.required_tools));
        root.is_some_and(|root| root == cast.owner)
    };
    let others = |step: &&mut Step| requires_making(step) && !cast.is_owners(step) && has_all(step);
    for step in plan.steps.iter_mut().filter(others) {
        step.executor = Executor { kind: ExecutorKind::Specialist, id: cast.owner.clone() };
    }
    if derived {
        plan.route = steps_to_route(&plan.steps);
    }
}

/// Takes steps out of a plan; says which.
fn leave_out(plan: &mut Plan, gone: &[(&Step, bool)], kept: &StepId) -> Option<Fault> {
    if gone.is_empty() {
        return None;
    }
    let derived = plan.route == steps_to_route(&plan.steps);
    for (step, is_maker) in gone {
        // What it waits for has changed with those that went before it.
        let now = plan.step(&step.id).cloned();
        if let Some(step) = now.filter(|_| *is_maker) {
            hand_to(plan, &step, kept);
        }
        // Of steps of which one stays each of the others can go.
        let _ = apply(plan, PlanEdit::RemoveStep { step: step.id.clone() }, &[]);
    }
    if derived {
        plan.route = steps_to_route(&plan.steps);
    }
    let named: Vec<String> = gone.iter().map(|(step, _)| format!("{:?}", step.description)).collect();
    let message = format!("one step makes the agent that the message asks for; left out: {}", named.join(", "));
    Some(Fault::new(Stage::Plan, message).at(["steps"]))
}

/// Whether a step is one of the plan that this one goes on from.
pub(super) fn is_earlier(after: &After<'_>, step: &StepId) -> bool {
    match after {
        After::Nothing | After::Comment => false,
        After::Question { plan, .. } | After::Finished(plan) => plan.plan.step(step).is_some(),
    }
}

/// What a step was to make, and what it needs for that, comes to the one that stays; whoever waited for it waits for that
/// one.
fn hand_to(plan: &mut Plan, gone: &Step, kept: &StepId) {
    let later = building_on(plan, kept);
    let needed: Vec<StepId> = gone.dependencies.iter().filter(|id| !later.contains(id)).cloned().collect();
    let mut before = HashSet::new();
    built_on(&by_id(plan), kept, &mut before);
    for step in &mut plan.steps {
        let more = if step.id == *kept {
            if !step.description.contains(&gone.description) {
                step.description = format!("{}; {}", step.description, gone.description);
            }
            needed.clone()
        } else if step.id != gone.id && step.dependencies.contains(&gone.id) && !before.contains(&step.id) {
            vec![kept.clone()]
        } else {
            continue;
        };
        let missing: Vec<StepId> = more.into_iter().filter(|id| !step.dependencies.contains(id)).collect();
        step.dependencies.extend(missing);
    }
}

/// A step and all that build on it, directly or not.
fn building_on(plan: &Plan, on: &StepId) -> HashSet<StepId> {
    let mut later: HashMap<&StepId, Vec<&StepId>> = HashMap::new();
    for step in &plan.steps {
        for before in &step.dependencies {
            later.entry(before).or_default().push(&step.id);
        }
    }
    let (mut found, mut open) = (HashSet::new(), vec![on]);
    while let Some(id) = open.pop() {
        if found.insert(id.clone()) {
            open.extend(later.get(id).into_iter().flatten());
        }
    }
    found
}

fn by_id(plan: &Plan) -> HashMap<&StepId, &Step> {
    plan.steps.iter().map(|step| (&step.id, step)).collect()
}

/// Adds a step and all that it builds on, directly or not.
fn built_on(steps: &HashMap<&StepId, &Step>, step: &StepId, found: &mut HashSet<StepId>) {
    let mut open = vec![step];
    while let Some(id) = open.pop() {
        if found.insert(id.clone()) {
            open.extend(steps.get(id).into_iter().flat_map(|step| &step.dependencies));
        }
    }
}

#[cfg(test)]
mod tests;
