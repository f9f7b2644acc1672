//! What a run has discovered: the tools that one of its steps had explained, and for a large model `read` once results
//! have to be cut, which it reads on with. Read from the ledger, so that a restart changes nothing.

use assent_core::ids::CallId;
use assent_core::plan::{ExecutorKind, Step};
use assent_core::run::{CallState, CallStatus, Content};
use serde_json::Value;

use super::artifacts::READ;
use super::carrier::Carrier;
use super::context::room_of;
use super::shown::discovers;
use crate::model::{ModelProfile, PlannerProfile};
use crate::tool::meta::{TOOL_EXPLAIN, is_meta, meta_arguments};

/// The names of what was discovered in this run and counts for a step on this model, the latest last. A specialist has its
/// own tools; what was explained to others is for those who may look for tools.
pub(super) fn discovered(carrier: &Carrier, step: &Step, profile: &ModelProfile) -> Vec<String> {
    let looks = discovers(carrier, step, profile);
    let reads_on = looks || step.executor.kind == ExecutorKind::Specialist;
    let cut = reads_on && profile.planner == PlannerProfile::Full && has_more_than_fits(carrier, profile);
    let read = cut.then(|| READ.to_owned()).filter(|name| carrier.parts.catalogue.get(name).is_some());
    let mut names = if looks { explained(carrier) } else { Vec::new() };
    // What was explained is what the model is about to call.
    names.splice(0..0, read.filter(|name| !names.contains(name)));
    names
}

/// Whether the calls of the run gave more than one request has room for. What is short enough to stand in an event is
/// never cut.
fn has_more_than_fits(carrier: &Carrier, profile: &ModelProfile) -> bool {
    let most = room_of(profile.context_tokens).min(carrier.plan().limits.tool_result_max_length as usize) as u64;
    let state = carrier.state();
    let outputs = state.ledger().iter().filter_map(|entry| match &entry.state {
        CallState::Ended(end) => Some(&end.output),
        _ => None,
    });
    let long = outputs.map(|output| match output {
        Content::Blob { bytes, .. } => *bytes,
        Content::Inline { .. } => 0,
    });
    long.fold(0_u64, u64::saturating_add) > most
}

/// The names of the tools that were explained in this run, the latest last.
fn explained(carrier: &Carrier) -> Vec<String> {
    let explained: Vec<(CallId, Content)> = {
        let state = carrier.state();
        let ended = state
            .ledger()
            .iter()
            .filter(|entry| entry.tool == TOOL_EXPLAIN)
            .filter(|entry| matches!(&entry.state, CallState::Ended(end) if end.status == CallStatus::Success));
        ended.map(|entry| (entry.call.clone(), entry.arguments.clone())).collect()
    };
    let mut names: Vec<String> = Vec::new();
    for (call, arguments) in explained {
        let arguments = match carrier.value(&arguments) {
            Ok(arguments) => meta_arguments(TOOL_EXPLAIN, arguments.as_ref()),
            Err(error) => {
                tracing::warn!("what the call {call} explained cannot be read: {error}");
                continue;
            }
        };
        let Some(name) = arguments.get("tool_id").and_then(Value::as_str) else { continue };
        // What was asked for and is not there was not discovered.
        if !is_meta(name) && carrier.parts.catalogue.get(name).is_some() {
            names.retain(|known| known != name);
            names.push(name.to_owned());
        }
    }
    names
}
