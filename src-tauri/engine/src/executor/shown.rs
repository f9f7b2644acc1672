//! Which tools a step's model is shown, and what they cost of the plan's budget.
//!
//! Tokens are estimated on the high side first. Only where the estimate exceeds the budget is the model's tokenizer
//! asked; an endpoint without one answers with the same estimate.

use std::collections::HashMap;

use assent_core::contract::ToolSpec;
use assent_core::plan::Step;
use serde_json::Value;

use super::carrier::Carrier;
use super::parts::Asker;
use crate::model::{Model, ModelProfile, PlannerProfile};
use crate::tool::scope::{ActiveSet, LeftOut};

/// What a step may call, as its model is shown it, and what was left out.
pub(super) async fn shown(
    carrier: &Carrier,
    at: usize,
    profile: &ModelProfile,
    discovered: &[String],
    model: Option<&dyn Model>,
) -> ActiveSet {
    let parts = &carrier.parts;
    let planner = profile.planner;
    let (step, leaf) = (carrier.step(at), carrier.leaf(at));
    let active = |tokens: &dyn Fn(&ToolSpec) -> usize| {
        let asker = Asker { profile: planner, discovered, leaf: leaf.as_deref(), tokens };
        parts.rules.active(&carrier.job, &step, &asker)
    };
    let mut set = active(&ToolSpec::estimated_tokens);
    let over = |set: &ActiveSet| set.left_out.iter().any(|(_, reason)| *reason == LeftOut::Budget);
    if let Some(model) = model.filter(|_| over(&set)) {
        let mut counted: HashMap<String, usize> = HashMap::new();
        let names = set.specs.iter().map(|spec| &spec.name).chain(set.left_out.iter().map(|(name, _)| name));
        for tool in names.filter_map(|name| parts.catalogue.get(name)) {
            let tokens = model.count_tokens(&tool.spec().told()).await;
            counted.insert(tool.spec().name.clone(), usize::try_from(tokens).unwrap_or(usize::MAX));
        }
        set = active(&|spec| counted.get(&spec.name).copied().unwrap_or_else(|| spec.estimated_tokens()));
    }
    if planner == PlannerProfile::Compact {
        for spec in &mut set.specs {
            reduce(spec, parts.catalogue.get(&spec.name).map_or(&[], |tool| tool.essentials()));
        }
    }
    // One order for all steps, so that the list of tools stays in the prompt cache.
    set.specs.sort_by_cached_key(|tool| parts.catalogue.position(&tool.name));
    set
}

/// Whether a step may look for tools that it is not shown.
pub(super) fn discovers(carrier: &Carrier, step: &Step, profile: &ModelProfile) -> bool {
    carrier.parts.rules.discovers(&carrier.job, step, profile.planner)
}

/// Leaves only the named parameters; the others keep their defaults.
fn reduce(spec: &mut ToolSpec, shown: &[&str]) {
    if !shown.is_empty()
        && let Some(properties) = spec.parameters.get_mut("properties").and_then(Value::as_object_mut)
    {
        properties.retain(|name, _| shown.contains(&name.as_str()));
    }
}
