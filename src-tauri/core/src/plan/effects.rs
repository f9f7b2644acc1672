//! What a plan may do without asking again: for the card that a person approves, and for the policy that approves alone.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::grants::WORKSPACE;
use super::{Known, Plan, Step, StepType};
use crate::contract::Risk;
use crate::ids::StepId;

/// The effects that a plan's grants allow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Effects {
    /// Paths that reading tools get; reads inside the workspace never ask.
    pub reads: BTreeSet<String>,
    /// Paths that writing tools get.
    pub writes: BTreeSet<String>,
    /// Whether a tool talks to other machines.
    pub network: bool,
    /// The hosts it may talk to; every other one asks.
    pub hosts: BTreeSet<String>,
    /// Whether a tool runs commands, which read and write the whole workspace.
    pub commands: bool,
    /// Tools that cannot be undone; each of their calls asks.
    pub destructive: BTreeSet<String>,
    /// Steps that look for a tool when they run; whatever has effects asks then.
    pub open: Vec<StepId>,
}

impl Effects {
    /// Whether anything but reading is allowed: what the policy "ask when it has effects" asks about.
    pub fn any(&self) -> bool {
        !self.writes.is_empty() || self.network || self.commands || !self.destructive.is_empty()
    }
}

/// What a plan with grants allows; of a plan that was not checked only what its grants say.
pub fn effects(plan: &Plan, known: &Known) -> Effects {
    let mut all = Effects::default();
    for step in &plan.steps {
        add(&mut all, plan, step, known);
    }
    all
}

/// What one step of a plan is allowed.
pub fn step_effects(plan: &Plan, step: &Step, known: &Known) -> Effects {
    let mut one = Effects::default();
    add(&mut one, plan, step, known);
    one
}

fn add(all: &mut Effects, plan: &Plan, step: &Step, known: &Known) {
    if step.grants.tools.is_empty() && step.effective_type() == StepType::Tool {
        all.open.push(step.id.clone());
    }
    for tool in step.grants.tools.iter().filter_map(|name| known.tools.get(name)) {
        match tool.risk {
            Risk::Read => all.reads.extend(step.grants.paths.iter().cloned()),
            // A tool that writes without a path, an agent for instance, still is an effect.
            Risk::Write if step.grants.paths.is_empty() => all.writes.extend([tool.name.clone()]),
            Risk::Write => all.writes.extend(step.grants.paths.iter().cloned()),
            Risk::Execute => {
                all.commands = true;
                // Whatever the step names: a command line has the whole of it before it.
                all.reads.insert(WORKSPACE.to_owned());
                // In a plan that only looks, each of them asks.
                if !plan.read_only {
                    all.writes.insert(WORKSPACE.to_owned());
                }
            }
            Risk::Network => {
                all.network = true;
                all.hosts.extend(step.grants.hosts.iter().cloned());
            }
            Risk::Destructive => {
                all.destructive.insert(tool.name.clone());
            }
        }
    }
}
