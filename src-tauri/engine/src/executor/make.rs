//! Making a call: its start is written down before the tool does anything, its end after it, whatever the tool does.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use assent_core::run::{CallStatus, Durability, EventKind, StepStatus};
use futures::FutureExt as _;
use serde_json::Value;

use super::calls::Ready;
use super::error::Stop;
use super::flood::{MAX_OUTPUT_BYTES, bounded};
use super::step::{Worker, elapsed};
use super::suspend;
use crate::tool::{CallContext, Outcome, ToolStop};

/// So long a tool may take to end after a person has stopped the run, which is to be over within a second.
pub(super) const GRACE: Duration = Duration::from_millis(500);

impl Worker<'_> {
    /// Makes a call, writing its start unless it is there already.
    pub(super) async fn execute(&self, ready: Ready, starts: bool) -> Result<(), Stop> {
        let carrier = self.carrier;
        let risk = ready.risk();
        let relied_on = risk.has_effects() || ready.repeats.is_some();
        let durability = if relied_on { Durability::Synced } else { Durability::Queued };
        if starts {
            if carrier.state().is_paused() {
                // Another step has asked for help meanwhile: the call begins after the reply.
                return Ok(());
            }
            let arguments = ready.changed.then(|| carrier.content(ready.arguments.clone()));
            let tool = ready.tool.spec().name.clone();
            let (call, repeats) = (ready.call.clone(), ready.repeats.clone());
            let started = EventKind::CallStarted { call, tool, arguments, risk, repeats };
            self.write(vec![started], durability).await?;
        }
        self.make(ready).await
    }

    /// Makes a call whose start is written.
    pub(super) async fn make(&self, ready: Ready) -> Result<(), Stop> {
        let carrier = self.carrier;
        let effects = ready.risk().has_effects();
        let started_at = carrier.parts.clock.now();
        let context = self.call_context(&ready);
        if effects {
            carrier.look_again();
        }
        let call = AssertUnwindSafe(ready.tool.call(ready.arguments.clone(), &context)).catch_unwind();
        let out_of_time = async {
            carrier.cancel.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        let outcome = tokio::select! {
            biased;
            outcome = call => outcome,
            () = out_of_time => return Err(Stop::Cancelled),
        };
        let duration_ms = elapsed(started_at, carrier.parts.clock.now());
        if effects {
            carrier.look_again();
        }
        let mut after = Vec::new();
        let (status, output, error) = match outcome {
            Ok(Ok(Outcome::Success(output))) => (CallStatus::Success, output, None),
            Ok(Ok(Outcome::Error { message, output })) => (CallStatus::Error, output, Some(message)),
            Ok(Ok(Outcome::Suspended(ask))) => {
                let request = suspend::asked(self, &ready, ask);
                let suspended = EventKind::CallSuspended { call: ready.call, request: request.id.clone() };
                return self.write(vec![suspended, suspend::opened(request)], Durability::Committed).await;
            }
            Ok(Err(ToolStop::Cancelled)) => return Err(Stop::Cancelled),
            Ok(Err(stop @ ToolStop::Workspace { .. })) => {
                after.push(self.ending(StepStatus::Failed, None, Some(stop.to_string())));
                (CallStatus::Error, Value::Null, Some(stop.to_string()))
            }
            Err(_) if effects => {
                let begun = carrier.state().call(&ready.call).unwrap_or(ready.entry);
                return self.ask_what_became_of(begun, "broke while it ran").await;
            }
            Err(_) => {
                let message = format!("{} broke while it ran; it may have done a part", ready.tool.spec().name);
                (CallStatus::Error, Value::Null, Some(message))
            }
        };
        let satisfied = status == CallStatus::Success && ready.tool.spec().success.satisfied_by(&output);
        let (output, cut) = bounded(output);
        if cut {
            let (tool, most) = (&ready.tool.spec().name, MAX_OUTPUT_BYTES >> 20);
            after.insert(
                0,
                EventKind::Warned { message: format!("{tool} gave more than {most} MiB; the rest is lost") },
            );
        }
        let output = carrier.content(output);
        let ended = EventKind::CallEnded { call: ready.call, status, output, error, satisfied, by: None, duration_ms };
        let durability = if effects { Durability::Committed } else { Durability::Queued };
        self.write(std::iter::once(ended).chain(after).collect(), durability).await
    }

    fn call_context(&self, ready: &Ready) -> CallContext {
        let (carrier, step) = (self.carrier, self.plan_step());
        let mut hosts = step.grants.hosts.clone();
        if ready.granted {
            hosts.extend(ready.effects.hosts.iter().cloned());
        }
        // Looked up before anything else holds the state.
        let results = self.results_named(&ready.effects.reads);
        CallContext {
            workspace: carrier.job.workspace.clone(),
            hidden: carrier.parts.hidden.clone(),
            hosts,
            session: carrier.place.session.clone(),
            run: carrier.state().run().clone(),
            step: step.id.clone(),
            call: ready.call.clone(),
            results,
            history: carrier.job.history.clone(),
            progress: carrier.parts.live.progress(&carrier.place_of(Some(self.at)), &ready.call),
            cancel: carrier.cancel.clone(),
        }
    }
}
