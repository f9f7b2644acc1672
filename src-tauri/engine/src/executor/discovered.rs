//! What a run has discovered: the tools that one of its steps had explained. Read from the ledger, so that a restart
//! changes nothing.

use assent_core::ids::CallId;
use assent_core::run::{CallState, CallStatus, Content};
use serde_json::Value;

use super::carrier::Carrier;
use crate::tool::meta::{TOOL_EXPLAIN, is_meta, meta_arguments};

/// The names of the tools that were explained in this run, the latest last.
pub(super) fn discovered(carrier: &Carrier) -> Vec<String> {
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
