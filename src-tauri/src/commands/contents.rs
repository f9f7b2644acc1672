//! Whole contents, where events hold only their beginnings.

use assent_core::ids::{CallId, Digest, RunId};
use assent_core::run::{CallState, Content};
use serde_json::Value;

use super::Here;
use crate::aside::Aside;
use crate::wire::{CallContents, ErrorCode, Failure};

pub fn content_read(shell: Here<'_>, content: Content) -> Aside<Value> {
    shell.ask(move |engine| Ok(engine.content(&content)?))
}

pub fn content_blob(shell: Here<'_>, digest: Digest) -> Aside<Value> {
    shell.ask(move |engine| Ok(engine.blob(&digest)?))
}

pub fn content_call(shell: Here<'_>, run: RunId, call: CallId) -> Aside<CallContents> {
    shell.ask(move |engine| {
        let state = engine.runs().get(&run)?.state;
        let Some(entry) = state.call(&call).map(|at| &state.ledger()[at]) else {
            return Err(Failure::new(ErrorCode::NotFound, format!("there is no call {call}")));
        };
        let output = match &entry.state {
            CallState::Ended(end) => Some(engine.content(&end.output)?),
            _ => None,
        };
        Ok(CallContents { arguments: engine.content(&entry.arguments)?, output })
    })
}
