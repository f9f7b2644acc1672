//! Which tools a step's model is shown, and what they cost of the plan's budget.
//!
//! What counts is all that the step's requests tell of a tool. It is counted by the model's own tokenizer where there is
//! one, and else estimated on the high side.

use std::collections::HashMap;

use assent_core::contract::{Fault, Stage, ToolSpec, estimate_tokens};
use assent_core::order::sort_by_key;
use assent_core::plan::Step;
use serde_json::{Map, Value};

use super::carrier::Carrier;
use super::parts::Asker;
use super::words;
use crate::model::{Model, ModelProfile, PlannerProfile, tokens_of};
use crate::prompt::StepStudio;
use crate::tool::Catalogue;
use crate::tool::arguments::joined;
use crate::tool::scope::{ActiveSet, LeftOut};

/// The tools of a step's requests.
pub(super) struct Shown {
    /// As the model is shown them, in the order of the catalogue.
    pub(super) specs: Vec<ToolSpec>,
    /// Tokens of each, in the same order.
    pub(super) tokens: Vec<u32>,
    /// What would have belonged to them.
    pub(super) left_out: Vec<(String, LeftOut)>,
}

/// What a step may call, as its model is shown it, and what was left out.
pub(super) async fn shown(
    carrier: &Carrier,
    at: usize,
    profile: &ModelProfile,
    discovered: &[String],
    model: Option<&dyn Model>,
) -> Shown {
    let parts = &carrier.parts;
    let planner = profile.planner;
    let (step, leaf) = (carrier.step(at), carrier.leaf(at));
    let active = |tokens: &dyn Fn(&ToolSpec) -> usize| {
        let asker = Asker { profile: planner, discovered, leaf: leaf.as_deref(), tokens };
        parts.rules.active(&carrier.job, &step, &asker)
    };
    let spells = model.is_some_and(Model::spells_calls);
    let told = |spec: &ToolSpec| told(&as_shown(carrier, planner, spec), planner, spells);
    let mut costs = HashMap::new();
    if let Some(model) = model {
        let (texts, names): (Vec<String>, Vec<String>) =
            active(&|_| 0).specs.into_iter().map(|spec| (told(&spec), spec.name)).unzip();
        costs.extend(names.into_iter().zip(tokens_of(model, &texts, &carrier.cancel).await));
    }
    let cost = |spec: &ToolSpec| costs.get(&spec.name).copied().unwrap_or_else(|| estimate_tokens(&told(spec)));
    let ActiveSet { mut specs, left_out, .. } = active(&|spec| usize::try_from(cost(spec)).unwrap_or(usize::MAX));
    // One order for all steps, so that the list of tools stays in the prompt cache.
    sort_by_key(&mut specs, |tool| parts.catalogue.position(&tool.name));
    let tokens = specs.iter().map(cost).collect();
    let specs = specs.iter().map(|spec| as_shown(carrier, planner, spec)).collect();
    Shown { specs, tokens, left_out }
}

/// The studio as a step is told of it, and the tokens of its list of tools: as many names as there is room for in what
/// the step's own tools have left of the budget.
pub(super) async fn studio_within(
    carrier: &Carrier,
    studio: Option<&StepStudio>,
    tokens: &[u32],
    model: Option<&dyn Model>,
) -> (Option<StepStudio>, u32) {
    let Some(studio) = studio else { return (None, 0) };
    let budget = carrier.plan().limits.tool_token_budget;
    let left = tokens.iter().fold(budget, |left, tokens| left.saturating_sub(*tokens));
    let mut names = studio.tools.len();
    loop {
        let held = studio.holding(names);
        let told = held.tools_told();
        let tokens = match model {
            Some(model) => tokens_of(model, &[told], &carrier.cancel).await.iter().sum(),
            None => estimate_tokens(&told),
        };
        if tokens <= left {
            return (Some(held), tokens);
        }
        if names == 0 {
            return (Some(studio.without_tools()), 0);
        }
        let share = u64::from(left) * names as u64 / u64::from(tokens);
        names = usize::try_from(share).unwrap_or(names).min(names - 1);
    }
}

/// All that the requests of a step tell of a tool: its definition, unless calls are spelled out for a small model, and
/// its line in the rules.
fn told(shown: &ToolSpec, planner: PlannerProfile, spells: bool) -> String {
    let row = || {
        let row = format!("- {} {}: {}", shown.name, words::signature(&shown.parameters), shown.description.trim());
        let values = words::taken(shown).into_iter();
        values.fold(row, |row, value| format!("{row}\n  {}: {}. {}", value.name, value.takes, value.about))
    };
    match planner {
        PlannerProfile::Full => shown.told(),
        PlannerProfile::Compact if spells => row(),
        PlannerProfile::Compact => format!("{}\n{}", shown.definition(), row()),
    }
}

/// Whether a step may look for tools that it is not shown.
pub(super) fn discovers(carrier: &Carrier, step: &Step, profile: &ModelProfile) -> bool {
    carrier.parts.rules.discovers(&carrier.job, step, profile.planner)
}

/// A tool as a model of this kind is shown it.
fn as_shown(carrier: &Carrier, planner: PlannerProfile, spec: &ToolSpec) -> ToolSpec {
    let small = Some(&carrier.parts.catalogue).filter(|_| planner == PlannerProfile::Compact);
    small.and_then(|catalogue| catalogue.small(&spec.name)).map_or(spec, |small| &small.spec).clone()
}

/// What a call lacks of what its model was told to give, where that is more than the tool itself needs.
pub(super) fn lacking(catalogue: &Catalogue, shown: &ToolSpec, arguments: &Value) -> Option<Fault> {
    let small = catalogue.small(&shown.name).filter(|small| small.spec.parameters == shown.parameters)?;
    if shown.parameters["required"] == catalogue.get(&shown.name)?.spec().parameters["required"] {
        return None;
    }
    let known = |name: &String| shown.parameters["properties"].get(name).is_some();
    let given: Map<String, Value> =
        arguments.as_object()?.clone().into_iter().filter(|(name, _)| known(name)).collect();
    let faults = small.parameters.check(&Value::Object(given), Stage::ToolArguments);
    (!faults.is_empty()).then(|| joined(faults))
}

/// The fault of a call that is not in the active set.
pub(super) fn out_of_scope(tool: &str, active: &[ToolSpec]) -> Fault {
    let mut fault = Fault::new(Stage::Scope, format!("{tool} cannot be called in this step"));
    fault.required = active.iter().map(|spec| spec.name.clone()).collect();
    fault.hint("Call one of the allowed tools.")
}

/// The fault of a call of a tool whose description has meanwhile come to do something else.
pub(super) fn does_something_else(tool: &str) -> Fault {
    let fault = Fault::new(Stage::Scope, format!("what {tool} does was changed since this step was shown it"));
    fault.hint("Do without it; the plan has to be made and approved anew for the changed tool.")
}
