//! What each step says, and what the steps say of each other.

use std::collections::{HashMap, HashSet};

use super::header::{length, unknown_specialist};
use super::{Faults, MAX_STEP_TOOLS, at_step};
use crate::contract::Schema;
use crate::ids::StepId;
use crate::plan::{ExecutorKind, Known, Plan, Step, StepType, graph};

/// Characters of an id.
const MAX_ID: usize = 100;
/// Characters of a description, an outcome or instructions.
const MAX_TEXT: usize = 20_000;
/// Bytes of a step's input or of one of its contracts as JSON.
const MAX_VALUE: usize = 100_000;
/// Steps of a cycle that are named.
const NAMED: usize = 12;

pub(super) fn check(plan: &Plan, known: &Known, faults: &mut Faults) {
    let sound = ids_and_dependencies(plan, faults);
    let mut estimated = HashMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        texts(at, step, faults);
        tools(at, step, plan, known, &mut estimated, faults);
        executor(at, step, known, faults);
        contracts(at, step, faults);
    }
    let dependencies = graph::dependencies(&plan.steps);
    if sound && let Some(cycle) = graph::cycle(&dependencies) {
        let mut names: Vec<&str> = cycle.iter().take(NAMED).map(|at| plan.steps[*at].id.as_str()).collect();
        names.push(if cycle.len() > NAMED { "…" } else { names[0] });
        let message = format!("these steps wait for each other: {}", names.join(" → "));
        faults.add(at_step(cycle[0], "dependencies"), message, "Remove one of these dependencies.");
    }
}

/// Whether ids are unique and every dependency is a known other step.
fn ids_and_dependencies(plan: &Plan, faults: &mut Faults) -> bool {
    let before = faults.count();
    let mut first = HashMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        let id = step.id.as_str();
        if id.is_empty() || id.chars().count() > MAX_ID || id.chars().any(char::is_control) {
            faults.add(at_step(at, "id"), format!("an id has 1 to {MAX_ID} printable characters"), "");
        }
        if let Some(earlier) = first.insert(&step.id, at) {
            faults.add(at_step(at, "id"), format!("steps[{earlier}] has the same id"), "Give every step its own id.");
        }
    }
    for (at, step) in plan.steps.iter().enumerate() {
        let mut seen = HashSet::new();
        for id in &step.dependencies {
            let shown: String = id.as_str().chars().take(MAX_ID).collect();
            if *id == step.id {
                faults.add(at_step(at, "dependencies"), "the step waits for itself", "Remove this dependency.");
            } else if !first.contains_key(id) {
                faults.add(
                    at_step(at, "dependencies"),
                    format!("there is no step {shown:?}"),
                    "Name a step of this plan.",
                );
            } else if !seen.insert(id) {
                faults.add(at_step(at, "dependencies"), format!("{shown:?} is named twice"), "Name it once.");
            }
        }
        if let Some(parent) = &step.parent_id
            && (*parent == step.id || !first.contains_key(parent))
        {
            faults.add(at_step(at, "parentId"), "the parent is no other step of this plan", "");
        }
    }
    depth(plan, &first, faults);
    faults.count() == before
}

/// How deep steps are delegated.
fn depth(plan: &Plan, first: &HashMap<&StepId, usize>, faults: &mut Faults) {
    let parent = |at: usize| plan.steps[at].parent_id.as_ref().and_then(|id| first.get(id).copied());
    let most = plan.limits.depth as usize;
    for at in 0..plan.steps.len() {
        let above = std::iter::successors(parent(at), |above| parent(*above));
        let above: Vec<usize> = above.take(most + 1).collect();
        if above.first() == Some(&at) {
            continue;
        }
        if above.iter().skip(1).any(|one| *one == at) {
            faults.add(at_step(at, "parentId"), "the step is a part of itself", "Break the circle of parents.");
        } else if above.len() > most {
            let hint = "Delegate less deep, or raise limits.depth.";
            faults.add(at_step(at, "parentId"), format!("more than {most} steps stand above this one"), hint);
        }
    }
}

fn texts(at: usize, step: &Step, faults: &mut Faults) {
    if step.description.trim().is_empty() {
        faults.add(at_step(at, "description"), "the step does not say what to do", "Describe it.");
    }
    length(at_step(at, "description"), &step.description, MAX_TEXT, faults);
    for (field, text) in [("expectedOutcome", &step.expected_outcome), ("instructions", &step.instructions)] {
        text.iter().for_each(|text| length(at_step(at, field), text, MAX_TEXT, faults));
    }
    if serde_json::to_string(&step.input).map_or(0, |json| json.len()) > MAX_VALUE {
        faults.add(
            at_step(at, "input"),
            format!("this is longer than {MAX_VALUE} bytes"),
            "Give a path instead of a content.",
        );
    }
}

fn tools<'a>(
    at: usize,
    step: &'a Step,
    plan: &Plan,
    known: &Known,
    estimated: &mut HashMap<&'a str, usize>,
    faults: &mut Faults,
) {
    let place = || at_step(at, "requiredTools");
    let required = &step.required_tools;
    if step.step_type == Some(StepType::Reasoning) && !required.is_empty() {
        let hint = "Make it a tool step, or require no tools.";
        faults.add(at_step(at, "stepType"), "a reasoning step requires no tools", hint);
    }
    if required.len() > MAX_STEP_TOOLS {
        let message = format!("the step requires {} tools, {MAX_STEP_TOOLS} are allowed", required.len());
        faults.add(place(), message, "Split the step.");
        return;
    }
    let mut tokens = 0;
    for (index, name) in required.iter().enumerate() {
        let here = || place().into_iter().chain([index.into()]);
        if required[..index].contains(name) {
            faults.add(here(), "the same tool is named twice", "Name it once.");
        }
        match known.tools.get(name) {
            Some(tool) => {
                tokens += *estimated.entry(name.as_str()).or_insert_with(|| tool.estimated_tokens());
                if plan.read_only && tool.risk.writes() {
                    let message = format!("nothing may be changed, and {name} changes something");
                    faults.add(here(), message, "Only look things up, and answer with what was found.");
                }
            }
            None => {
                let shown: String = name.chars().take(MAX_ID).collect();
                faults.add(
                    here(),
                    format!("there is no tool {shown:?}"),
                    Known::did_you_mean(name, known.tools.keys()),
                );
            }
        }
    }
    let budget = plan.limits.tool_token_budget;
    if tokens > budget as usize {
        let message = format!(
            "the required tools take up to {tokens} tokens by an estimate that errs high, the budget is {budget}"
        );
        faults.add(place(), message, "Split the step, or raise limits.toolTokenBudget.");
    }
}

fn executor(at: usize, step: &Step, known: &Known, faults: &mut Faults) {
    let id = step.executor.id.as_str();
    match step.executor.kind {
        ExecutorKind::Specialist if !known.runs(id) => unknown_specialist(at_step(at, "executor"), id, known, faults),
        ExecutorKind::Agent if !known.agents.contains(id) => {
            let shown: String = id.chars().take(MAX_ID).collect();
            let near = Known::did_you_mean(id, known.agents.iter());
            faults.add(at_step(at, "executor"), format!("there is no agent {shown:?}"), near);
        }
        ExecutorKind::Single if !id.is_empty() => {
            faults.add(at_step(at, "executor"), "the single agent has no id", "Leave the id empty, or name a kind.");
        }
        _ => {}
    }
}

fn contracts(at: usize, step: &Step, faults: &mut Faults) {
    for (side, contract) in [("input", &step.contracts.input), ("output", &step.contracts.output)] {
        let Some(contract) = contract else { continue };
        let place = || at_step(at, "contracts").into_iter().chain([side.into()]);
        if contract.to_string().len() > MAX_VALUE {
            faults.add(place(), format!("the contract is longer than {MAX_VALUE} bytes"), "");
        } else if let Err(unusable) = Schema::compile(contract.clone()) {
            faults.add(place(), unusable.to_string(), "Give a JSON Schema of draft 2020-12.");
        }
    }
}
