//! Making a call: its start is written down before the tool does anything, its end after it, whatever the tool does.

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::Risk;
use assent_core::plan::Origin;
use assent_core::run::{CallStatus, Durability, EventKind, StepStatus};
use serde_json::Value;

use super::agent::is_agent;
use super::aim::Aim;
use super::calls::Ready;
use super::error::Stop;
use super::flood::{MAX_OUTPUT_BYTES, bounded};
use super::lend::hiding;
use super::result::presented;
use super::step::{Worker, elapsed};
use super::work::{Ended, at_work};
use super::{caps, suspend};
use crate::memory::ToolUsage;
use crate::tool::meant::Meant;
use crate::tool::meta::is_meta;
use crate::tool::{CallContext, Outcome, ToolStop};

/// Files that a warning names.
const LOST_NAMED: usize = 10;

impl Worker<'_> {
    /// Makes a call, writing its start unless it is there already.
    pub(super) async fn execute(&self, ready: Ready, starts: bool) -> Result<(), Stop> {
        let carrier = self.carrier;
        if is_agent(&ready) {
            return self.call_agent(ready).await;
        }
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
        let lent = self.lent(&ready, context.limit).await?;
        let context = CallContext { lends: matches!(lent, Ok(Some(_))), ..context };
        // What was lent is hidden by now.
        let context = hiding(context, carrier.parts.vault.mask().await);
        if effects {
            carrier.look_again();
        }
        let lent = match self.untold(&ready) {
            Some(message) => Err(message),
            None => lent,
        };
        let ended = match lent {
            Ok(lent) => at_work(ready.tool.clone(), lent.unwrap_or_else(|| ready.arguments.clone()), context).await,
            Err(message) => Ended::Told(Ok(Outcome::Error { message, output: Value::Null })),
        };
        let duration_ms = elapsed(started_at, carrier.parts.clock.now());
        if effects {
            carrier.look_again();
        }
        let mut after = Vec::new();
        let (status, output, error) = match ended {
            Ended::Told(Ok(Outcome::Success(output))) => (CallStatus::Success, output, None),
            Ended::Told(Ok(Outcome::Error { message, output })) => (CallStatus::Error, output, Some(message)),
            Ended::Told(Ok(Outcome::Suspended(ask))) => {
                let ask = self.before_others(ask).await?;
                let request = suspend::asked(self, &ready, ask);
                return self.write(suspend::waits(ready.call, request).into(), Durability::Committed).await;
            }
            Ended::Told(Err(ToolStop::Cancelled)) | Ended::Stopped => return Err(Stop::Cancelled),
            Ended::Told(Err(stop @ ToolStop::Workspace { .. })) => {
                after.push(self.ending(StepStatus::Failed, None, Some(stop.to_string())));
                (CallStatus::Error, Value::Null, Some(stop.to_string()))
            }
            Ended::Told(Err(ToolStop::Unknown { .. })) | Ended::Broke | Ended::OutOfTime(_) => {
                let (event, reached) = broken_off(&ended);
                let event = carrier.parts.vault.mask().await.text(&event);
                if effects {
                    let begun = carrier.state().call(&ready.call).unwrap_or(ready.entry);
                    return self.ask_what_became_of(begun, &event, reached).await;
                }
                after.extend(reached);
                (CallStatus::Error, Value::Null, Some(format!("{} {event}", ready.tool.spec().name)))
            }
        };
        self.keep(ready, Gave { status, output, error, duration_ms }, after).await
    }

    /// Why a call is not made whose consequence a person has to know: nobody was told it, or it has become another since.
    fn untold(&self, ready: &Ready) -> Option<String> {
        let now = ready.tool.consequence(&ready.arguments)?;
        let state = self.carrier.state();
        let request = state.ledger()[ready.entry].request.map(|request| &state.requests()[request].request);
        if request.is_some_and(|request| request.consequence.as_ref() == Some(&now)) {
            return None;
        }
        let message =
            "it was not done, because what it would do now is not what a person was asked about; call it again";
        Some(message.to_owned())
    }

    /// The files that a script of the call has written over, and that neither the person nor the plan has named or means,
    /// nor an earlier call, nor the call itself.
    fn unnamed(&self, ready: &Ready, output: &Value) -> Result<Vec<String>, Stop> {
        let mut rewritten = ready.tool.rewritten(output);
        if !rewritten.is_empty() {
            let (seen, command) = (self.seen()?, ready.effects.command.as_deref().unwrap_or_default());
            let meant = Meant::of(seen.own_words().chain([command]));
            let is_named = |path: &String| {
                let name = path.rsplit('/').next().unwrap_or_default();
                meant.covers(path) || seen.is_wanted(name) || command.contains(name)
            };
            rewritten.retain(|path| !is_named(path));
        }
        Ok(rewritten)
    }

    /// Writes down how a call ended, and what came of it.
    async fn keep(&self, ready: Ready, gave: Gave, mut after: Vec<EventKind>) -> Result<(), Stop> {
        let (carrier, effects) = (self.carrier, ready.risk().has_effects());
        let Gave { status, output, error, duration_ms } = gave;
        // Before anything of it is kept. Where a tool cuts what it gives, it has hidden secrets before.
        let mask = carrier.parts.vault.mask().await;
        let (output, error) = (mask.value(output), error.map(|error| mask.text(&error)));
        let satisfied = status == CallStatus::Success && ready.tool.spec().success.satisfied_by(&output);
        let aim = if satisfied { self.aim(&ready, &output) } else { Aim::Open };
        let satisfied = satisfied && !matches!(aim, Aim::Idle(_));
        let (met, missed) = (aim == Aim::Met, aim.missed());
        after.extend(untold_change(&ready, "deleted, emptied or moved away", &ready.tool.lost(&output)));
        after.extend(untold_change(&ready, "written over or changed", &self.unnamed(&ready, &output)?));
        let (output, cut) = bounded(output);
        if cut {
            let (tool, most) = (&ready.tool.spec().name, MAX_OUTPUT_BYTES >> 20);
            after.insert(
                0,
                EventKind::Warned { message: format!("{tool} gave more than {most} MiB; the rest is lost") },
            );
        }
        let most = carrier.plan().limits.tool_result_max_length;
        if presented(&carrier.parts.catalogue, &ready.tool.spec().name, &output).len() > most as usize {
            after.insert(0, caps::reached("toolResultMaxLength", most));
        }
        let output = carrier.content(output);
        let call = ready.call;
        let ended = EventKind::CallEnded { call, status, output, error, satisfied, missed, met, by: None, duration_ms };
        let durability = if effects { Durability::Committed } else { Durability::Queued };
        self.write(std::iter::once(ended).chain(after).collect(), durability).await?;
        if satisfied {
            self.tell_witness(&ready.tool.spec().name, duration_ms);
        }
        Ok(())
    }

    /// Says that a call has done what its tool is for. To look for a tool is nothing to learn from.
    fn tell_witness(&self, tool: &str, duration_ms: u64) {
        if !is_meta(tool) {
            // The words of a call that a person makes are its arguments: nothing that anybody would look for a tool by.
            let by_hand = self.plan_step().origin == Origin::Call;
            let intent = if by_hand { "" } else { &self.carrier.plan().user_message };
            let usage = ToolUsage::new(tool, intent, duration_ms, &self.carrier.place.session);
            self.carrier.parts.witness.worked(usage);
        }
    }

    fn call_context(&self, ready: &Ready) -> CallContext {
        let (carrier, step) = (self.carrier, self.plan_step());
        // Whatever of these the plan does not grant, a person has allowed: for this call or for longer.
        let hosts = [&step.grants.hosts[..], &ready.effects.hosts[..]].concat();
        // Looked up before anything else holds the state.
        let (results, limit) = (self.results_named(&ready.effects.reads), self.limit(ready));
        CallContext {
            workspace: carrier.job.workspace.clone(),
            hidden: carrier.parts.hidden.clone(),
            hosts,
            session: carrier.place.session.clone(),
            run: carrier.state().run().clone(),
            step: step.id.clone(),
            call: ready.call.clone(),
            results,
            callable: self.callable_by(&ready.tool.spec().name),
            approved: ready.approved.clone(),
            granted: ready.granted,
            lends: false,
            mask: Arc::default(),
            history: carrier.job.history.clone(),
            progress: carrier.parts.live.progress(&carrier.place_of(Some(self.at)), &ready.call),
            limit,
            cancel: carrier.cancel.child_token(),
        }
    }

    /// What the step may call, for a tool about tools; no other asks for it.
    fn callable_by(&self, tool: &str) -> Vec<String> {
        let shown = self.base.iter().filter(|_| is_meta(tool)).flat_map(|base| base.tools.iter());
        shown.map(|spec| spec.name.clone()).collect()
    }

    /// So long a call may take.
    fn limit(&self, ready: &Ready) -> Duration {
        let of_plan = Duration::from_secs(self.carrier.call_seconds(self.at).into());
        ready.tool.own_limit(&ready.arguments).map_or(of_plan, |own| own.min(of_plan))
    }
}

/// What is told of a call that has done something to files, where nobody was asked about that: its text did not tell.
fn untold_change(ready: &Ready, done: &str, lost: &[String]) -> Option<EventKind> {
    if lost.is_empty() || ready.risk() >= Risk::Destructive {
        return None;
    }
    let (named, more) = (lost.iter().take(LOST_NAMED).map(String::as_str), lost.len().saturating_sub(LOST_NAMED));
    let named: Vec<&str> = named.collect();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let (tool, named) = (&ready.tool.spec().name, named.join(", "));
    let message = format!(
        "{tool} has {done} {named}{more}. You were not asked about that, because the call did not \
         tell it: look whether it was meant."
    );
    Some(EventKind::Warned { message })
}

/// What a call gave.
struct Gave {
    status: CallStatus,
    output: Value,
    error: Option<String>,
    duration_ms: u64,
}

/// What has become of a call that did not end as calls do, and the limit that it reached.
fn broken_off(ended: &Ended) -> (String, Option<EventKind>) {
    let limit = match ended {
        Ended::OutOfTime(limit) => limit,
        Ended::Told(Err(ToolStop::Unknown { event })) => return (event.clone(), None),
        _ => return ("broke while it ran".to_owned(), None),
    };
    let value = u32::try_from(limit.as_secs()).unwrap_or(u32::MAX);
    let event = format!("was stopped after {value} s, the longest that this plan gives a call");
    (event, Some(caps::reached("callSeconds", value)))
}
