//! From what a planner names to what can run: every delegator of a route or of a step becomes one of its leaves.
//!
//! A leaf that has all tools which a step requires is taken without asking; one option is taken without asking; an
//! answer that names none, several or unknown options, or fails, is replaced by the first option. Whatever happens, a
//! delegator never comes out.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::registry::Registry;
use super::search::{Chooser, ChooserFailure, question, sole};
use crate::contract::{Fault, PathPart, Stage};
use crate::plan::{Route, RouteStep};

/// How one level was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// The chooser chose.
    Chooser,
    /// There was one option.
    OnlyOption,
    /// One leaf has all tools that the step requires.
    RequiredTools,
    /// The answer could not be used, and the first option was taken.
    Fallback {
        /// Why.
        reason: String,
    },
    /// The depth limit was reached, and the first leaf below was taken.
    DepthLimit,
}

/// A choice on the way down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// Where.
    pub parent: String,
    /// What was chosen.
    pub chosen: String,
    /// How.
    pub by: Settled,
}

/// What became of one specialist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Expanded {
    /// What was named.
    pub from: String,
    /// The specialist on top of it. What a plan says to that one counts where it says nothing to the one that is named.
    pub root: String,
    /// The leaf; for a specialist that has neither tools nor children, itself.
    pub leaf: String,
    /// The choices from one to the other; empty for a leaf.
    pub path: Vec<Decision>,
    /// How often the chooser was asked.
    pub calls: usize,
}

/// An expanded route, with its history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expansion {
    /// Leaves only, parallel groups where they were.
    pub route: Route,
    /// What became of each specialist, in order.
    pub steps: Vec<Expanded>,
    /// Specialists that were left out.
    pub faults: Vec<Fault>,
}

impl Expansion {
    /// How often the chooser was asked.
    pub fn calls(&self) -> usize {
        self.steps.iter().map(|step| step.calls).sum()
    }
}

/// Replaces each delegator of a route by one of its leaves. Unknown specialists and the planner are left out; a leaf
/// stands once in a parallel group.
pub async fn expand_to_leaves(
    route: &[RouteStep],
    registry: &Registry,
    task: &str,
    chooser: &dyn Chooser,
    depth_limit: usize,
) -> Expansion {
    let mut expansion = Expansion::default();
    for (index, element) in route.iter().enumerate() {
        let mut leaves: Vec<String> = Vec::new();
        for id in element.ids() {
            match expand_step(registry, id, &[], task, chooser, depth_limit).await {
                Ok(step) => {
                    if !leaves.contains(&step.leaf) {
                        leaves.push(step.leaf.clone());
                    }
                    expansion.steps.push(step);
                }
                Err(fault) => expansion.faults.push(fault.at([PathPart::from("route"), index.into()])),
            }
        }
        let group = matches!(element, RouteStep::Parallel { .. }) && leaves.len() > 1;
        if group {
            expansion.route.push(RouteStep::Parallel { parallel: leaves });
        } else {
            expansion.route.extend(leaves.pop().map(RouteStep::One));
        }
    }
    expansion
}

/// Finds the leaf that does a step which names a specialist.
///
/// # Errors
/// A fault when the specialist is unknown, is the planner, or has no leaf below it.
pub async fn expand_step(
    registry: &Registry,
    specialist: &str,
    required_tools: &[String],
    task: &str,
    chooser: &dyn Chooser,
    depth_limit: usize,
) -> Result<Expanded, Fault> {
    if !registry.runs(specialist) {
        let shown: String = specialist.chars().take(80).collect();
        return Err(Fault::new(Stage::Route, format!("{shown:?} is no specialist that can run")));
    }
    let root = registry.root_of(specialist).unwrap_or(specialist).to_owned();
    let named = || specialist.to_owned();
    let mut walk = Expanded { from: named(), root, leaf: named(), path: Vec::new(), calls: 0 };
    let mut seen: HashSet<String> = HashSet::from([specialist.to_owned()]);
    let mut depth = 0;
    while registry.get(&walk.leaf).is_some_and(super::Specialist::is_delegator) {
        let parent = walk.leaf.clone();
        let options = registry.options_at_node(Some(&parent), None);
        let (chosen, by) = if let Some(leaf) = registry.leaf_for(&parent, required_tools) {
            (leaf.to_owned(), Settled::RequiredTools)
        } else if depth >= depth_limit || options.iter().all(|option| seen.contains(option)) {
            let leaf = registry.leaves_below(&parent).next().map(|leaf| leaf.id.clone());
            (leaf.ok_or_else(|| nothing_below(&parent))?, Settled::DepthLimit)
        } else if let [only] = options {
            (only.clone(), Settled::OnlyOption)
        } else {
            let answer = chooser.choose(question(registry, options, Some(&parent), depth, task)).await;
            let was_asked = !matches!(&answer, Err(failed) if failed.failure == ChooserFailure::NotAsked);
            walk.calls += usize::from(was_asked);
            let reason = match &answer {
                Ok(ids) if ids.is_empty() => "none was chosen".to_owned(),
                Ok(ids) if ids.len() > 1 => "several were chosen".to_owned(),
                Ok(_) => "an unknown one was chosen".to_owned(),
                Err(failed) => failed.to_string(),
            };
            let chosen = answer.ok().and_then(|ids| sole(&ids, options));
            chosen.map_or_else(|| (options[0].clone(), Settled::Fallback { reason }), |id| (id, Settled::Chooser))
        };
        seen.insert(chosen.clone());
        walk.path.push(Decision { parent, chosen: chosen.clone(), by });
        walk.leaf = chosen;
        depth += 1;
    }
    Ok(walk)
}

fn nothing_below(id: &str) -> Fault {
    Fault::new(Stage::Route, format!("there is no specialist with tools below {id:?}"))
}
