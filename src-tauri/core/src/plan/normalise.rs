//! Making a planner's plan fit what is there: misspelled tools, unknown specialists, creators side by side. Nothing is
//! changed without a fault that says so. A person's plan or a file is never normalised, only checked.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::convert::{route_to_steps, steps_to_route};
use super::known::PLANNER;
use super::{Executor, Known, MAX_STEPS, Origin, Plan, Route, RouteStep, StepType, keys};
use crate::contract::{Fault, PathPart, Stage};

/// Unknown names of one plan for which near ones are looked for.
const MOST_LOOKS: usize = 40;

/// The same plan with what is known: a route without the planner and unknown specialists, and without two specialists
/// side by side that could both do the same change; steps of unknown specialists done by the single agent; tools by
/// their exact names, and steps whose tools are not there looking for one. It may be left without steps.
pub fn normalise(mut plan: Plan, known: &Known) -> (Plan, Vec<Fault>) {
    let mut faults = Vec::new();
    let from_route = !plan.steps.is_empty() && plan.steps.iter().all(|step| step.origin == Origin::Route);
    let is_derived = plan.route == steps_to_route(&plan.steps);
    if from_route || !is_derived {
        let route = known_route(&plan.route, known, &mut faults);
        let route = one_creator_at_a_time(route, known, &mut faults);
        if from_route && route != plan.route {
            let description = plan.steps[0].description.clone();
            plan.steps = route_to_steps(&route, &description, "");
        }
        plan.route = route;
    }
    let mut names = Names::of(known);
    // A plan of more steps is refused as a whole.
    for at in 0..plan.steps.len().min(MAX_STEPS) {
        executor(&mut plan, at, known, &mut faults);
        tools(&mut plan, at, &mut names, &mut faults);
    }
    if is_derived || plan.route.is_empty() {
        plan.route = steps_to_route(&plan.steps);
    }
    (plan, faults)
}

fn known_route(route: &Route, known: &Known, faults: &mut Vec<Fault>) -> Route {
    let mut kept = Route::new();
    for (index, element) in route.iter().enumerate() {
        let (runs, unknown): (Vec<String>, Vec<String>) = element.ids().iter().cloned().partition(|id| known.runs(id));
        for id in unknown {
            let message = if id == PLANNER {
                "the planner does not run as a step; it was left out".to_owned()
            } else {
                format!("there is no specialist {}; it was left out", quote(&id))
            };
            faults.push(Fault::new(Stage::Route, message).at([PathPart::from("route"), index.into()]));
        }
        kept.extend(group(runs));
    }
    kept
}

fn group(mut ids: Vec<String>) -> Option<RouteStep> {
    if ids.len() > 1 { Some(RouteStep::Parallel { parallel: ids }) } else { ids.pop().map(RouteStep::One) }
}

fn one_creator_at_a_time(route: Route, known: &Known, faults: &mut Vec<Fault>) -> Route {
    let effects = |id: &str| {
        let tools = known.specialists.get(id).into_iter().flat_map(|one| one.tools.iter().chain(&one.many));
        let have_effects = |name: &&String| known.tools.get(*name).is_some_and(|tool| tool.risk.has_effects());
        tools.filter(have_effects).map(String::as_str).collect()
    };
    makers_in_turn(route, effects, "route", faults)
}

/// Specialists side by side do not see each other's results: given the same task, two of them that share a tool with
/// effects would both use it. They run one after the other instead. `effects` names the tools with effects of each.
pub fn makers_in_turn<'t>(
    route: Route,
    effects: impl Fn(&str) -> HashSet<&'t str>,
    field: &str,
    faults: &mut Vec<Fault>,
) -> Route {
    let mut safe = Route::new();
    for (index, element) in route.into_iter().enumerate() {
        let mut turns: Vec<(Vec<String>, HashSet<&str>)> = Vec::new();
        for id in element.ids() {
            let own = effects(id);
            let last_clash = turns.iter().rposition(|(_, taken)| !taken.is_disjoint(&own));
            let turn = last_clash.map_or(0, |last| last + 1);
            turns.resize_with(turns.len().max(turn + 1), Default::default);
            turns[turn].0.push(id.clone());
            turns[turn].1.extend(own);
        }
        if turns.len() > 1 {
            let message = "specialists that could make the same thing twice run one after the other";
            faults.push(Fault::new(Stage::Route, message).at([PathPart::from(field), index.into()]));
        }
        safe.extend(turns.into_iter().filter_map(|(ids, _)| group(ids)));
    }
    safe
}

fn executor(plan: &mut Plan, at: usize, known: &Known, faults: &mut Vec<Fault>) {
    let step = &mut plan.steps[at];
    if !known.has(&step.executor) {
        let id = quote(&step.executor.id);
        let message = format!("nobody who can run is called {id}; the single agent does this step");
        faults.push(Fault::new(Stage::Route, message).at([PathPart::from("steps"), at.into(), "executor".into()]));
        step.executor = Executor::default();
    }
}

/// What names that are no tool's may mean, at a bounded cost: a reply may invent any number of them, and thousands of tools
/// may be connected.
struct Names<'k> {
    known: &'k Known,
    /// The tools by their names without case and separators; made for the first name that needs it.
    bare: OnceCell<HashMap<String, &'k String>>,
    /// Names for which near ones may still be looked for.
    looks: usize,
}

impl<'k> Names<'k> {
    fn of(known: &'k Known) -> Self {
        Self { known, bare: OnceCell::new(), looks: MOST_LOOKS }
    }

    /// The tool of a name, as it is written or in another spelling.
    fn tool(&self, name: &str) -> Option<String> {
        if self.known.tools.contains_key(name) {
            return Some(name.to_owned());
        }
        let all = || {
            let mut bare = HashMap::new();
            for name in self.known.tools.keys() {
                bare.entry(keys::bare(name)).or_insert(name);
            }
            bare
        };
        self.bare.get_or_init(all).get(&keys::bare(name)).map(|tool| (*tool).clone())
    }

    fn did_you_mean(&mut self, name: &str) -> String {
        let Some(left) = self.looks.checked_sub(1) else { return String::new() };
        self.looks = left;
        Known::did_you_mean(name, self.known.tools.keys())
    }
}

fn tools(plan: &mut Plan, at: usize, names: &mut Names<'_>, faults: &mut Vec<Fault>) {
    let step = &mut plan.steps[at];
    let mut kept: Vec<String> = Vec::new();
    let mut dropped = false;
    for (index, name) in std::mem::take(&mut step.required_tools).into_iter().enumerate() {
        let place = || [PathPart::from("steps"), at.into(), "requiredTools".into(), index.into()];
        match names.tool(&name) {
            Some(tool) => {
                if tool != name {
                    let message = format!("{} was read as {tool}", quote(&name));
                    faults.push(Fault::new(Stage::Plan, message).at(place()));
                }
                if !kept.contains(&tool) {
                    kept.push(tool);
                }
            }
            None => {
                let near = names.did_you_mean(&name);
                let message = format!("there is no tool {}; the step looks for one itself", quote(&name));
                faults.push(Fault::new(Stage::Plan, message).at(place()).hint(near));
                dropped = true;
            }
        }
    }
    step.required_tools = kept;
    if dropped && step.required_tools.is_empty() {
        step.step_type = Some(StepType::Tool);
        step.executor = Executor::default();
    }
}

fn quote(name: &str) -> String {
    format!("{:?}", name.chars().take(80).collect::<String>())
}
