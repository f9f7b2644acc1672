//! Agents that a step calls. What goes in is checked before anything begins; then the agent is a step of its own, below
//! the step that called it, which goes on with what it gave.
//!
//! An input that does not fit is the result of the call, so that the model which called can mend it; `inputRetries` says
//! how often in a row. A call and its step are written at once: after a crash there are both or neither.

use std::sync::Arc;

use assent_core::contract::{AgentCall, InputRefused, Schema, Source, properties_of};
use assent_core::ids::StepId;
use assent_core::plan::{Contracts, Executor, ExecutorKind, Origin, Step, StepInput, StepType, ValidationMode};
use assent_core::run::{CallState, CallStatus, Content, Durability, EventKind, LedgerEntry, RunState, StepStatus};
use serde_json::{Map, Value, json};

use super::base;
use super::calls::Ready;
use super::ends::because_of;
use super::error::Stop;
use super::flood::{MAX_OUTPUT_BYTES, bounded};
use super::shown::does_something_else;
use super::step::{Worker, elapsed};
use super::{caps, verify, words};
use crate::heap::Agent;
use crate::model::PlannerProfile;
use crate::prompt::build_user_prompt;
use crate::tool::arguments::fit_call;

/// Whether a call is one of an agent.
pub(super) fn is_agent(ready: &Ready) -> bool {
    ready.tool.spec().source == Source::Agent
}

/// What an agent begins with.
struct Handed {
    agent: Arc<Agent>,
    task: String,
    context: Map<String, Value>,
}

/// Why an agent does not begin, as its caller reads it.
enum NotHanded {
    Contract(Box<InputRefused>),
    /// It is not the one that was approved.
    Changed,
    /// It is not there any more.
    Gone,
}

impl Worker<'_> {
    /// Of calls that are left: an agent is called when those before it are over, and those after it wait. Whether it was
    /// turned away, before anybody is asked about it.
    pub(super) async fn turns_away(&self, left: &mut Vec<Ready>) -> Result<bool, Stop> {
        let Some(place) = left.iter().position(is_agent) else {
            return Ok(false);
        };
        left.truncate(place.max(1));
        let [ready] = left.as_slice() else {
            return Ok(false);
        };
        match self.handed(ready).await? {
            Err(not) if is_agent(ready) => self.turn_away(ready, not).await.map(|()| true),
            _ => Ok(false),
        }
    }

    /// Calls an agent: its step is there when this returns.
    pub(super) async fn call_agent(&self, ready: Ready) -> Result<(), Stop> {
        let carrier = self.carrier;
        if carrier.state().is_paused() {
            return Ok(());
        }
        let Handed { agent, task, context } = match self.handed(&ready).await? {
            Ok(handed) => handed,
            Err(not) => return self.turn_away(&ready, not).await,
        };
        if let Some(limit) = self.delegation_limit(1) {
            let message = "no further agent can be called from here: too many work for each other already".to_owned();
            return self.end_at_once(&ready, Value::Null, Some(message), vec![limit]).await;
        }
        let contract = agent.input.as_ref().map(Schema::source);
        let prompt = agent.template_for(&context);
        let template = prompt.map(|prompt| prompt.template(contract));
        // Made again where it is told: what cannot be rendered now never can.
        if let Err(error) = build_user_prompt(&carrier.parts.templates, template.as_ref(), &task, Some(&context)) {
            return self.end_at_once(&ready, Value::Null, Some(error.to_string()), Vec::new()).await;
        }
        let prompt = prompt.map(|prompt| carrier.content(json!(prompt)));
        let arguments = ready.changed.then(|| carrier.content(ready.arguments.clone()));
        let (call, risk) = (ready.call.clone(), ready.risk());
        let step = self.step_of(&agent, task, context, &ready);
        let tool = ready.tool.spec().name.clone();
        let started = EventKind::CallStarted { call: call.clone(), tool, arguments, risk, repeats: None };
        let steps = vec![step];
        let (summary, does) = (String::new(), Some(agent.digest()));
        let below = EventKind::StepDelegated { summary, steps, by: None, call: Some(call), prompt, does };
        self.write(vec![started, below], Durability::Queued).await
    }

    /// Ends the call of an agent whose step is over.
    pub(super) async fn take_back(&self, entry: usize, agent: usize) -> Result<(), Stop> {
        let carrier = self.carrier;
        let (call, began, status, result, reason, id, cause) = {
            let state = carrier.state();
            let (asked, step) = (&state.ledger()[entry], state.step(agent));
            let (result, reason) = (self.last_reply(&state, agent), step.reason.clone());
            let cause = state.cause_outside(agent).map(|cause| state.step(cause).id.clone());
            (asked.call.clone(), asked.started_at, step.status, result, reason, step.id.clone(), cause)
        };
        let why = reason.unwrap_or_else(|| format!("it was {}", status.word()));
        let (status, output, error, after) = match status {
            StepStatus::Completed => (CallStatus::Success, self.gave(agent, result.as_ref())?, None, None),
            // A person's no to a part is one to the whole.
            StepStatus::Cancelled | StepStatus::Skipped => {
                let ended = self.ending(StepStatus::Cancelled, None, Some(format!("part {id}: {why}")));
                let ended = because_of(ended, cause);
                (CallStatus::Error, Value::Null, Some(why), Some(ended))
            }
            _ => (CallStatus::Error, Value::Null, Some(format!("the agent did not complete: {why}")), None),
        };
        let mask = carrier.parts.vault.mask().await;
        let (output, error) = (mask.value(output), error.map(|error| mask.text(&error)));
        let (status, output, error) = kept(status, output, error);
        let duration_ms = began.map_or(0, |began| elapsed(began, carrier.parts.clock.now()));
        let (satisfied, output) = (status == CallStatus::Success, carrier.content(output));
        let (missed, met) = (None, false);
        let ended = EventKind::CallEnded { call, status, output, error, satisfied, missed, met, by: None, duration_ms };
        self.write(std::iter::once(ended).chain(after).collect(), Durability::Queued).await
    }

    /// What a call hands to its agent, checked.
    async fn handed(&self, ready: &Ready) -> Result<Result<Handed, NotHanded>, Stop> {
        let parts = &self.carrier.parts;
        let (Some(arguments), Some(agent)) =
            (ready.arguments.as_object(), parts.heap.agent_of(&ready.tool.spec().name))
        else {
            return Ok(Err(NotHanded::Gone));
        };
        if self.agent_has_changed(ready) {
            return Ok(Err(NotHanded::Changed));
        }
        let mut call = AgentCall::of(arguments);
        if let Some(contract) = &agent.input {
            self.drop_copied(contract, &mut call.context).await?;
            self.fill(contract, &mut call.context)?;
        }
        let call = match fit_call(agent.input.as_ref(), call) {
            Ok(call) => call,
            Err(refused) => return Ok(Err(NotHanded::Contract(refused))),
        };
        // A small model may write the name of a value where the task belongs: what the caller itself is to do stands there
        // then. Of any other the task is handed on as it is.
        let properties = agent.input.as_ref().map(|contract| properties_of(contract.source())).unwrap_or_default();
        let is_name = |task: &String| properties.iter().any(|(name, _)| *name == task.trim());
        let task = call.task.unwrap_or_default();
        let is_slip = is_name(&task) && self.is_small().await?;
        let task = if is_slip { self.plan_step().description.clone() } else { task };
        Ok(Ok(Handed { agent, task, context: call.context }))
    }

    /// Whether the model of this step is a small one.
    pub(super) async fn is_small(&self) -> Result<bool, Stop> {
        let base = match &self.base {
            Some(base) => base.clone(),
            None => base::of(self.carrier, self.at, None).await?,
        };
        Ok(base.shared.profile == PlannerProfile::Compact)
    }

    /// Tells the caller what is wrong with its input, as the result of its call; too often is the end of the step.
    async fn turn_away(&self, ready: &Ready, not: NotHanded) -> Result<(), Stop> {
        let tool = &ready.tool.spec().name;
        let refused = match not {
            NotHanded::Contract(refused) => refused,
            NotHanded::Changed => return self.refuse(ready.entry, does_something_else(tool)).await,
            NotHanded::Gone => {
                let message = format!("there is no agent {tool} any more");
                return self.end_at_once(ready, Value::Null, Some(message), Vec::new()).await;
            }
        };
        let limit = self.carrier.plan().limits.input_retries;
        let told = {
            let state = self.carrier.state();
            // A refusal that was mended is over: those count that came since the tool last began.
            let since = |told: u32, entry: &LedgerEntry| match () {
                () if entry.carried_out_by.is_some() => 0,
                () if was_turned_away(entry) => told.saturating_add(1),
                () => told,
            };
            state.entries_of(self.at).filter(|entry| entry.tool == *tool).fold(0, since)
        };
        let mut after = Vec::new();
        if told >= limit {
            let why = &refused.validation_message;
            let reason = format!("the input of {tool} does not fit its contract after {} tries: {why}", told + 1);
            after.extend((limit > 0).then(|| caps::reached("inputRetries", limit)));
            after.push(self.ending(StepStatus::Failed, None, Some(reason)));
        }
        self.end_at_once(ready, json!(refused), None, after).await
    }

    /// Begins a call and ends it without success.
    async fn end_at_once(
        &self,
        ready: &Ready,
        output: Value,
        error: Option<String>,
        after: Vec<EventKind>,
    ) -> Result<(), Stop> {
        let carrier = self.carrier;
        let mask = carrier.parts.vault.mask().await;
        // Meanwhile another step may have asked for help: nothing begins then, and this is turned away after the answer.
        if carrier.state().is_paused() {
            return Ok(());
        }
        // It says what the caller has given by its names, of which there may be any number.
        let output = carrier.content(bounded(mask.value(output)).0);
        let (call, tool) = (ready.call.clone(), ready.tool.spec().name.clone());
        let (risk, status) = (ready.risk(), CallStatus::Error);
        let error = error.map(|error| mask.text(&error));
        let started = EventKind::CallStarted { call: call.clone(), tool, arguments: None, risk, repeats: None };
        let (satisfied, missed, met, duration_ms) = (false, None, false, 0);
        let ended = EventKind::CallEnded { call, status, output, error, satisfied, missed, met, by: None, duration_ms };
        self.write([started, ended].into_iter().chain(after).collect(), Durability::Queued).await
    }

    /// The step in which an agent does its task. It may do what the step may that calls it; where the plan names the
    /// agent, whose digest binds its tools, also what those do.
    fn step_of(&self, agent: &Agent, task: String, context: Map<String, Value>, ready: &Ready) -> Step {
        let caller = self.plan_step();
        let number = self.carrier.state().step(self.at).delegated() + 1;
        let mut grants = caller.grants.clone();
        if grants.tools.contains(&ready.tool.spec().name) {
            grants.tools.extend(agent.tools.iter().cloned());
        }
        let source = |schema: &Option<Schema>| schema.as_ref().map(|schema| schema.source().clone());
        Step {
            parent_id: Some(caller.id.clone()),
            origin: Origin::AgentCall,
            step_type: Some(if agent.must_call.is_empty() { StepType::Reasoning } else { StepType::Tool }),
            required_tools: agent.must_call.clone(),
            executor: Executor { kind: ExecutorKind::Agent, id: agent.name.clone() },
            instructions: agent.prompt.clone(),
            input: StepInput { context },
            grants,
            contracts: Contracts { input: source(&agent.input), output: source(&agent.output) },
            // Its file says that it has not done its task without them, whatever the plan says of its own steps.
            tool_validation_mode: if agent.must_call.is_empty() {
                caller.tool_validation_mode
            } else {
                Some(ValidationMode::Strict)
            },
            ..Step::new(StepId::new(format!("{}/{number}", caller.id)), task)
        }
    }

    /// What a completed agent gave: the value that its contract describes, else its text.
    fn gave(&self, agent: usize, reply: Option<&Content>) -> Result<Value, Stop> {
        let Some(reply) = reply else {
            return Ok(Value::Null);
        };
        let text = words::plain(self.carrier.value(reply)?.as_ref());
        let has_contract = self.carrier.step(agent).contracts.output.is_some();
        Ok(match serde_json::from_str(verify::bare(&text)) {
            Ok(value) if has_contract => value,
            _ => Value::String(text),
        })
    }

    /// What an agent said last, as its contract was checked on; else what it gave.
    fn last_reply(&self, state: &RunState, agent: usize) -> Option<Content> {
        let step = state.step(agent);
        step.latest_reply().and_then(|reply| reply.text.clone()).or_else(|| step.result.clone())
    }
}

/// How a call ends by what is kept of its output: a result of which only a part would be is none, and fits no contract.
fn kept(status: CallStatus, output: Value, error: Option<String>) -> (CallStatus, Value, Option<String>) {
    let (kept, cut) = bounded(output.clone());
    if !cut {
        return (status, kept, error);
    }
    let (size, most) = (output.to_string().len(), MAX_OUTPUT_BYTES >> 20);
    let message = format!(
        "the agent gave {size} bytes, and at most {most} MiB of a result are kept: call it for less at once, or have it \
         write what is large into a file and name that"
    );
    (CallStatus::Error, Value::Null, Some(error.unwrap_or(message)))
}

/// Whether a call of an agent ended without a step: its input did not fit.
fn was_turned_away(entry: &LedgerEntry) -> bool {
    let failed = |end: &assent_core::run::Ended| end.status == CallStatus::Error && end.error.is_none();
    entry.carried_out_by.is_none() && matches!(&entry.state, CallState::Ended(end) if failed(end))
}
