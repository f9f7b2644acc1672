//! What a person is asked: one form of request for a question, a decision, a permission, an outcome that nobody knows,
//! and a limit.

use assent_core::contract::Risk;
use assent_core::ids::{CallId, RequestId};
use assent_core::run::{Choice, CredentialAsked, EventKind, Input, InputKind, KEEP_GOING, Reach, Request, RequestKind};
use serde_json::Value;

use super::calls::Ready;
use super::error::Stop;
use super::parts::Permit;
use super::step::Worker;
use crate::tool::Ask;
use crate::vault::wanted_of;

/// The person knows that the call has had its effect.
pub const DONE: &str = "done";
/// The call is to be made once more.
pub const AGAIN: &str = "run again";
/// The step is to be left out.
pub const SKIP: &str = "skip";
/// The step is to end at a limit.
const STOP_HERE: &str = "stop here";
/// The step is to end at a limit, because a person goes on with another version of the plan.
pub const CHANGE_PLAN: &str = "change the plan";

/// The event that asks.
pub(super) fn opened(request: Request) -> EventKind {
    EventKind::RequestOpened { request: Box::new(request) }
}

/// The events that ask about a call, which waits for the answer.
pub(super) fn waits(call: CallId, request: Request) -> [EventKind; 2] {
    [EventKind::CallSuspended { call, request: request.id.clone() }, opened(request)]
}

fn request(worker: &Worker<'_>, kind: RequestKind, prompt: String, reason: Option<String>, input: Input) -> Request {
    let step = worker.plan_step();
    let asked_by = if step.executor.id.is_empty() { "self" } else { step.executor.id.as_str() };
    let (path, asked_by) = (worker.carrier.path_to(step), asked_by.to_owned());
    let id = RequestId::new(worker.carrier.parts.ids.fresh());
    Request { path, asked_by, reason, ..Request::new(id, kind, prompt, input) }
}

fn decision(allow_edit: bool) -> Input {
    Input { kind: InputKind::Decision, options: Vec::new(), allow_edit, allow_text: true }
}

/// One of several, each with what it leads to.
fn choice(options: &[(&str, &str)]) -> Input {
    let option = |(label, consequence): &(&str, &str)| Choice {
        label: (*label).to_owned(),
        consequence: Some((*consequence).to_owned()),
    };
    let options = options.iter().map(option).collect();
    Input { kind: InputKind::Select, options, allow_edit: false, allow_text: false }
}

fn about(ready: &Ready, request: Request) -> Request {
    Request {
        call: Some(ready.call.clone()),
        tool: Some(ready.tool.spec().name.clone()),
        arguments: Some(ready.arguments.clone()),
        risk: Some(ready.risk()),
        template: ready.tool.spec().template.clone(),
        ..request
    }
}

/// What a blocking tool asks.
pub(super) fn asked(worker: &Worker<'_>, ready: &Ready, ask: Ask) -> Request {
    let request = request(worker, ask.kind, ask.prompt, ask.reason, ask.input);
    let (step_index, step_total) = (ask.position.map(|(index, _)| index), ask.position.map(|(_, total)| total));
    // To ask is harmless; what the card has to show is what the answer lets happen.
    let own = Some(ready.risk()).filter(|risk| risk.has_effects());
    let credential = if ask.kind == RequestKind::Confirm { None } else { secret_in(worker, &request) };
    let risk = own.or_else(|| if ask.kind == RequestKind::Confirm { released(worker) } else { None });
    Request { step_index, step_total, risk, credential, ..about(ready, request) }
}

/// The credential that a question asks for, where it can be answered in words.
fn secret_in(worker: &Worker<'_>, asked: &Request) -> Option<CredentialAsked> {
    let Input { kind, allow_text, .. } = &asked.input;
    let is_in_words = *kind == InputKind::Text || (*kind == InputKind::Select && *allow_text);
    let (plan, step) = (worker.carrier.plan(), worker.plan_step());
    let context = Value::Object(plan.extracted_context.clone()).to_string();
    let task = [step.description.as_str(), &plan.user_message, &context];
    is_in_words.then(|| wanted_of(&asked.prompt, task))?
}

/// The worst that can be done once a confirmation is given: by what the step itself has asked for beside it and must still
/// call, by the outermost step it is a part of, and by the tools that later steps must call.
fn released(worker: &Worker<'_>) -> Option<Risk> {
    let state = worker.carrier.state();
    let beside = state.step(worker.at).latest_reply().map_or(&[][..], |reply| &reply.calls);
    let beside = beside.iter().map(|entry| &state.ledger()[*entry].tool);
    let from = worker.carrier.plan().steps.iter().skip(state.outermost(worker.at));
    let tools = from.chain([worker.plan_step()]).flat_map(|step| &step.required_tools).chain(beside);
    let risks = tools.filter_map(|tool| Some(worker.carrier.parts.catalogue.get(tool)?.spec().risk));
    risks.filter(|risk| risk.has_effects()).max()
}

/// Whether a call may be made that the plan's approval does not cover.
pub(super) fn permit(worker: &Worker<'_>, ready: &Ready, permit: Permit) -> Request {
    let prompt = format!("Allow {} in step {}?", ready.tool.spec().name, worker.plan_step().id);
    let reaches = if permit.standing { vec![Reach::Step, Reach::Run, Reach::Workspace] } else { Vec::new() };
    let consequence = ready.tool.consequence(&ready.arguments);
    // With other arguments the consequence would be another than the one that is told.
    let input = decision(consequence.is_none());
    let request = request(worker, RequestKind::Permit, prompt, Some(permit.reason), input);
    Request { reaches, consequence, risk: Some(ready.risk().max(permit.risk)), ..about(ready, request) }
}

/// What became of a call that had begun and has no end; `event` is what came between, said of its tool.
pub(super) fn unknown_outcome(worker: &Worker<'_>, entry: usize, event: &str) -> Result<Request, Stop> {
    let (call, tool, arguments, risk) = {
        let state = worker.carrier.state();
        let open = &state.ledger()[entry];
        (open.call.clone(), open.tool.clone(), open.arguments.clone(), open.risk)
    };
    let prompt = format!("{tool} {event}. Did it do its work?");
    let reason = "It is not made again without your word, because it may already have had its effect.".to_owned();
    let input = choice(&[
        (DONE, "The step goes on as if the call had succeeded."),
        (AGAIN, "The call is made once more with the same arguments."),
        (SKIP, "The step is left out, and the steps that build on it too."),
    ]);
    let arguments = worker.carrier.value(&arguments)?.clone();
    let known = worker.carrier.parts.catalogue.get(&tool);
    Ok(Request {
        // To have it made once more is a yes to what it leads to now.
        consequence: known.and_then(|tool| tool.consequence(&arguments)),
        call: Some(call),
        tool: Some(tool),
        arguments: Some(arguments),
        risk: Some(risk.unwrap_or(Risk::Destructive)),
        ..request(worker, RequestKind::UnknownOutcome, prompt, Some(reason), input)
    })
}

/// Whether to go on although a limit or the loop guard was reached.
pub(super) fn cap(worker: &Worker<'_>, ready: Option<&Ready>, reason: &str) -> Request {
    let prompt = format!("Keep going with step {}?", worker.plan_step().id);
    let input = choice(&[
        (KEEP_GOING, "The step goes on, with as much again."),
        (STOP_HERE, "The step ends as failed, and the steps that build on it are left out."),
        (CHANGE_PLAN, "The step ends. Another version of the plan takes over what is done."),
    ]);
    let request = request(worker, RequestKind::Cap, prompt, Some(reason.to_owned()), input);
    match ready {
        Some(ready) => about(ready, request),
        None => request,
    }
}
