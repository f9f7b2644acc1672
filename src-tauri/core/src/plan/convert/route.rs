//! A route as steps, and steps as a route: level by level, each waiting for the whole level before.

use crate::contract::{Fault, Stage};
use crate::ids::StepId;
use crate::plan::{Executor, ExecutorKind, Origin, Route, RouteStep, Step, graph};

/// A route without empty groups, groups of one, or a specialist twice in a group; each of these is a fault.
pub fn normalise_route(route: &[RouteStep]) -> (Route, Vec<Fault>) {
    let mut normal = Route::new();
    let mut faults = Vec::new();
    for (index, element) in route.iter().enumerate() {
        let mut ids: Vec<String> = Vec::new();
        for id in element.ids() {
            if id.trim().is_empty() || ids.contains(id) {
                let message =
                    if id.trim().is_empty() { "an empty id was left out" } else { "an id is twice in one group" };
                faults.push(
                    Fault::new(Stage::Route, message).at(["route".into(), crate::contract::PathPart::from(index)]),
                );
            } else {
                ids.push(id.clone());
            }
        }
        normal.extend(element_of(ids));
    }
    (normal, faults)
}

fn element_of(mut ids: Vec<String>) -> Option<RouteStep> {
    match ids.len() {
        0 => None,
        1 => ids.pop().map(RouteStep::One),
        _ => Some(RouteStep::Parallel { parallel: ids }),
    }
}

/// One step for each id of a route. The steps of an element wait for all steps of the element before. Each is described
/// by the task, else by the message, which every specialist is given as a whole anyway.
pub fn route_to_steps(route: &[RouteStep], task: &str, message: &str) -> Vec<Step> {
    let description = [task.trim(), message.trim(), "Carry out the task."].into_iter().find(|text| !text.is_empty());
    let mut steps: Vec<Step> = Vec::new();
    let mut before: Vec<StepId> = Vec::new();
    for element in route {
        let mut level = Vec::new();
        for id in element.ids() {
            let step = StepId::new(format!("s{}", steps.len() + 1));
            level.push(step.clone());
            steps.push(Step {
                origin: Origin::Route,
                executor: Executor { kind: ExecutorKind::Specialist, id: id.clone() },
                dependencies: before.clone(),
                ..Step::new(step, shortened(description.unwrap_or_default()))
            });
        }
        if !level.is_empty() {
            before = level;
        }
    }
    steps
}

/// A message may be far longer than a step's description.
fn shortened(text: &str) -> String {
    let limit = 2_000;
    if text.chars().count() <= limit { text.to_owned() } else { text.chars().take(limit).chain(['…']).collect() }
}

/// The specialists of the steps, by levels: the longest path of dependencies to a step is its level. Steps that no
/// specialist does are not in a route; within a level a specialist stands once.
pub fn steps_to_route(steps: &[Step]) -> Route {
    let levels = graph::levels(&graph::dependencies(steps));
    let mut groups: Vec<Vec<String>> = Vec::new();
    for (step, level) in steps.iter().zip(levels) {
        groups.resize_with(groups.len().max(level + 1), Vec::new);
        let id = &step.executor.id;
        if step.executor.kind == ExecutorKind::Specialist && !groups[level].contains(id) {
            groups[level].push(id.clone());
        }
    }
    groups.into_iter().filter_map(element_of).collect()
}
