//! Delegation at run time: what a delegator's step hands on becomes child steps.

use std::collections::{HashMap, HashSet};

use super::registry::Registry;
use crate::contract::{Fault, PathPart, Stage};
use crate::ids::StepId;
use crate::plan::{Origin, RouteStep, Step, normalise_route, route_to_steps};

/// The child steps that a `delegateHeap` makes below a step: `parent/1`, `parent/2` … (numbers go on after `earlier`
/// ones), level by level, no more than a delegator has children. Only children of the step's own specialist are taken;
/// each other one is a fault. `task` replaces the parent's description. A child may do what its parent may. Each of the
/// parent's required tools becomes one of the first child that has it; where none of those named does, a child that does
/// is added, which is a fault too.
pub fn child_steps(
    parent: &Step,
    delegate_heap: &[RouteStep],
    task: Option<&str>,
    earlier: usize,
    registry: &Registry,
) -> (Vec<Step>, Vec<Fault>) {
    let children = registry.children_of(Some(&parent.executor.id));
    let mut faults = Vec::new();
    let mut route = Vec::new();
    let place = |index: usize| [PathPart::from("delegateHeap"), index.into()];
    let most = registry.caps().children;
    let mut left = most;
    for (index, element) in delegate_heap.iter().enumerate() {
        let (mut ours, others): (Vec<String>, Vec<String>) =
            element.ids().iter().cloned().partition(|id| children.contains(id));
        for id in others {
            let shown: String = id.chars().take(80).collect();
            let fault =
                Fault::new(Stage::Route, format!("{shown:?} is no child of {:?}; it was left out", parent.executor.id));
            let known = format!("Its children are {}.", children.join(", "));
            faults.push(fault.at(place(index)).hint(known));
        }
        let is_cut = ours.len() > left;
        ours.truncate(left);
        left -= ours.len();
        route.push(RouteStep::Parallel { parallel: ours });
        if is_cut {
            let message = format!("a step is handed on {most} times at most; the rest was left out");
            faults.push(Fault::new(Stage::Route, message).at(place(index)));
            break;
        }
    }
    route.extend(for_what_is_left(parent, &route, left, registry, &mut faults));
    let (route, _) = normalise_route(&route);
    let text = task.filter(|task| !task.trim().is_empty()).unwrap_or(&parent.description);
    let mut steps = route_to_steps(&route, text, "");
    let ids: HashMap<StepId, StepId> = (earlier + 1..)
        .zip(&steps)
        .map(|(number, step)| (step.id.clone(), StepId::new(format!("{}/{number}", parent.id))))
        .collect();
    let child_id = |id: &StepId| ids.get(id).unwrap_or(id).clone();
    let mut required = parent.required_tools.clone();
    for step in &mut steps {
        step.id = child_id(&step.id);
        step.dependencies = step.dependencies.iter().map(child_id).collect();
        step.parent_id = Some(parent.id.clone());
        step.origin = Origin::Delegate;
        let below: HashSet<&str> = registry.tools_below(&step.executor.id).collect();
        let has = |tool: &String| below.contains(tool.as_str()) || registry.is_of_all(tool);
        let (own, left) = required.into_iter().partition(has);
        (step.required_tools, required) = (own, left);
        step.step_type = parent.step_type.filter(|_| parent.required_tools.is_empty());
        step.tool_validation_mode = parent.tool_validation_mode;
        step.instructions.clone_from(&parent.instructions);
        step.grants.clone_from(&parent.grants);
        step.input.clone_from(&parent.input);
    }
    (steps, faults)
}

/// The children that have what a step requires and nobody of a route has, so that every required call is one that a part
/// is held to; no more than so many.
fn for_what_is_left(
    parent: &Step,
    route: &[RouteStep],
    most: usize,
    registry: &Registry,
    faults: &mut Vec<Fault>,
) -> Vec<RouteStep> {
    let has = |id: &str, tool: &str| registry.tools_below(id).any(|own| own == tool);
    let mut named: Vec<&str> = route.iter().flat_map(RouteStep::ids).map(String::as_str).collect();
    let mut added = Vec::new();
    for tool in parent.required_tools.iter().filter(|tool| !registry.is_of_all(tool)) {
        if added.len() == most || named.iter().any(|id| has(id, tool)) {
            continue;
        }
        let children = registry.children_of(Some(&parent.executor.id));
        let Some(child) = children.iter().find(|id| has(id, tool)) else { continue };
        let message = format!("{child:?} does a part too: {tool} is required, and nobody who was named has it");
        faults.push(Fault::new(Stage::Route, message).at([PathPart::from("delegateHeap")]));
        named.push(child);
        added.push(RouteStep::One(child.clone()));
    }
    added
}
