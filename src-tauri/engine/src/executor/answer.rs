//! What a person's answer does: whether it fits what was asked, and what follows from it in the step.

use assent_core::contract::{Fault, Stage};
use assent_core::ids::CallId;
use assent_core::plan::{Plan, ValidationMode};
use assent_core::run::{
    Answer, CallState, CallStatus, Choice, Decider, Durability, EventKind, InputKind, Reach, Request, RequestKind,
    RequestState, RequestStatus, RunState, StepStatus,
};
use serde_json::{Value, json};
use thiserror::Error;

use super::carrier::{Carrier, Happened};
use super::ends::withdrawn;
use super::error::Stop;
use super::step::{Worker, ended, is_granted};
use super::suspend::{AGAIN, CHANGE_PLAN, DONE};
use super::{verify, words};

/// An answer that does not fit what was asked. The request stays open.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Unfitting {
    /// It is of another type.
    #[error("the answer has to be {0}")]
    Type(&'static str),
    /// It is none of the options.
    #[error("the answer has to be one of: {0}")]
    Option(String),
    /// It is no choice of the options.
    #[error("the answer has to be one or more of: {0}")]
    Options(String),
    /// It is a path that nothing can be read at.
    #[error("the answer has to be a path inside the workspace: {0}")]
    Path(String),
    /// The request does not let its arguments be changed.
    #[error("the arguments of this call cannot be changed")]
    Fixed,
    /// Nobody is asked about the same again only where the request says so.
    #[error("this can be allowed only for {0}")]
    Reach(String),
    /// The changed arguments break the tool's parameters.
    #[error("the changed arguments do not fit: {0}")]
    Arguments(Box<Fault>),
}

/// Whether an answer fits what was asked. Whether a path is there, only its workspace can tell.
///
/// # Errors
/// [`Unfitting`] with what would fit.
pub fn fits(request: &Request, answer: &Answer) -> Result<(), Unfitting> {
    let input = &request.input;
    let value = match answer {
        // "Yes" to "keep going?" is one too.
        Answer::Approve { arguments, .. }
            if input.kind != InputKind::Decision && (request.kind != RequestKind::Cap || arguments.is_some()) =>
        {
            return Err(unfit(request));
        }
        Answer::Approve { arguments: Some(_), .. } if !input.allow_edit => return Err(Unfitting::Fixed),
        Answer::Approve { reach, .. } if !reach.is_once() && !request.reaches.contains(reach) => {
            return Err(Unfitting::Reach(reaches(request)));
        }
        // "No" to "did it do its work?" may as well mean that it is to be done again.
        Answer::Reject { .. } if request.kind == RequestKind::UnknownOutcome => return Err(unfit(request)),
        Answer::Approve { .. } | Answer::Reject { .. } => return Ok(()),
        Answer::Value { value } => value,
    };
    let is_option = |value: &Value| input.options.iter().any(|option| value.as_str() == Some(&option.label));
    let text = value.as_str().map(str::trim);
    let free = || input.allow_text && text.is_some_and(|text| !text.is_empty());
    let fits = match input.kind {
        InputKind::Decision => false,
        InputKind::Boolean => value.is_boolean(),
        InputKind::Text => text.is_some_and(|text| !text.is_empty()),
        InputKind::Number => value.is_number(),
        InputKind::Date => text.is_some_and(is_date),
        InputKind::File => text.is_some_and(|text| !text.is_empty()),
        InputKind::Select => is_option(value) || free(),
        InputKind::Multiselect => value.as_array().is_some_and(|chosen| {
            let once = |(at, one): (usize, &Value)| is_option(one) && !chosen[..at].contains(one);
            !chosen.is_empty() && chosen.iter().enumerate().all(once)
        }),
    };
    if fits { Ok(()) } else { Err(unfit(request)) }
}

/// What a text says as an answer where it can be nothing else: an option by its label or number, yes or no, a number, a
/// day. Free text is none of that.
pub fn literal(request: &Request, text: &str) -> Option<Value> {
    let (input, text) = (&request.input, text.trim());
    let option = |text: &str| option_named(&input.options, text).map(|option| Value::String(option.label.clone()));
    let value = match input.kind {
        InputKind::Decision | InputKind::File => None,
        InputKind::Boolean => match text.to_lowercase().as_str() {
            "yes" | "y" | "true" => Some(Value::Bool(true)),
            "no" | "n" | "false" => Some(Value::Bool(false)),
            _ => None,
        },
        InputKind::Number => serde_json::from_str(text).ok(),
        InputKind::Date => Some(Value::String(text.to_owned())),
        InputKind::Text | InputKind::Select => option(text),
        // A label may have a comma in it.
        InputKind::Multiselect => match option(text) {
            Some(label) => Some(Value::Array(vec![label])),
            None => text.split(',').map(option).collect(),
        },
    };
    value.filter(|value| fits(request, &Answer::Value { value: value.clone() }).is_ok())
}

/// The option that a typed text names: the one of just this label, else the only one of this label in another case, else
/// the one of this number, from 1. White space around it does not count.
pub fn option_named<'a>(options: &'a [Choice], typed: &str) -> Option<&'a Choice> {
    let typed = typed.trim();
    let folded = typed.to_lowercase();
    let exact = options.iter().find(|option| option.label.trim() == typed);
    let in_another_case = || {
        let mut alike = options.iter().filter(|option| option.label.trim().to_lowercase() == folded);
        alike.next().filter(|_| alike.next().is_none())
    };
    let numbered = || options.get(typed.parse::<usize>().ok()?.checked_sub(1)?);
    exact.or_else(in_another_case).or_else(numbered)
}

/// What would fit.
fn unfit(request: &Request) -> Unfitting {
    let input = &request.input;
    let labels = || input.options.iter().map(|option| option.label.as_str()).collect::<Vec<_>>().join(", ");
    match input.kind {
        InputKind::Select => Unfitting::Option(labels()),
        InputKind::Multiselect => Unfitting::Options(labels()),
        kind => Unfitting::Type(expected(kind)),
    }
}

/// How far a permission may reach, in words.
fn reaches(request: &Request) -> String {
    let further = request.reaches.iter().map(|reach| match reach {
        Reach::Once => "this call",
        Reach::Step => "this step",
        Reach::Run => "this run",
        Reach::Workspace => "this workspace",
    });
    std::iter::once("this call").chain(further).collect::<Vec<_>>().join(", ")
}

fn expected(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Decision => "approve or reject",
        InputKind::Boolean => "yes or no",
        InputKind::Text => "a text",
        InputKind::Number => "a number",
        InputKind::Select => "one of the options",
        InputKind::Multiselect => "a list of options",
        InputKind::Date => "a day as YYYY-MM-DD",
        InputKind::File => "a path inside the workspace",
    }
}

fn is_date(text: &str) -> bool {
    let number = |part: &str, digits: usize| {
        let all = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u32>().ok().filter(|_| all)
    };
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=days).contains(&day)
}

/// What an answer makes of a call.
enum Means {
    /// The person's word is the result.
    Result(Value),
    /// The call is made once more.
    Again,
    /// The step is over.
    End(StepStatus, String),
}

impl Worker<'_> {
    /// Carries out the first answer that waits to be carried out.
    pub(super) async fn apply_answers(&mut self) -> Result<(), Stop> {
        let stopped = {
            let state = self.carrier.state();
            let refused = state.step(self.at).cap_refused;
            refused.map(|request| at_limit(&state.requests()[request]))
        };
        if let Some((status, reason)) = stopped {
            let ended = self.ending(status, None, Some(reason));
            return self.write(vec![ended], Durability::Committed).await;
        }
        let Some((entry, request)) = self.waiting() else {
            return Ok(());
        };
        let call = self.carrier.state().ledger()[entry].call.clone();
        match means(&request) {
            Means::Result(value) => {
                let ended = self.person_said(call, value, true);
                self.write(vec![ended], Durability::Queued).await
            }
            Means::Again => self.make_again(entry, call).await,
            Means::End(_, reason)
                if may_go_on_without(self.carrier.plan(), &self.carrier.state(), self.at, &request) =>
            {
                let fault = Fault::new(Stage::Permission, reason).hint("Do the step without it.");
                self.write(vec![EventKind::CallRefused { call, fault }], Durability::Queued).await
            }
            Means::End(status, reason) => {
                let mut events = Vec::new();
                if request.request.kind == RequestKind::Confirm {
                    events.push(self.person_said(call, json!({"approved": false, "reason": reason}), false));
                }
                events.push(self.ending(status, None, Some(reason)));
                self.write(events, Durability::Committed).await
            }
        }
    }

    fn waiting(&self) -> Option<(usize, RequestState)> {
        let state = self.carrier.state();
        state.step(self.at).calls.iter().find_map(|entry| {
            let at = &state.ledger()[*entry];
            let waits = matches!(at.state, CallState::Suspended | CallState::Open) && at.repeated_by.is_none();
            let request = state.requests().get(at.request?)?;
            let settled = request.status != RequestStatus::Open && !is_granted(request);
            (waits && settled).then(|| (*entry, request.clone()))
        })
    }

    fn person_said(&self, call: CallId, value: Value, satisfied: bool) -> EventKind {
        EventKind::CallEnded {
            call,
            status: CallStatus::Success,
            output: self.carrier.content(value),
            error: None,
            satisfied,
            missed: None,
            met: false,
            by: Some(Decider::User),
            duration_ms: 0,
        }
    }

    async fn make_again(&mut self, entry: usize, original: CallId) -> Result<(), Stop> {
        self.prepare(None).await?;
        let mut ready = match self.fit(entry)? {
            Ok(ready) => ready,
            Err(fault) => {
                let ended = self.ending(StepStatus::Failed, None, Some(fault.to_string()));
                return self.write(vec![ended], Durability::Committed).await;
            }
        };
        // The person's word is the permission for exactly these arguments, and for the file as it was then. What else
        // they are asked, or have refused, in an earlier step comes before it.
        ready.granted = true;
        if ready.risk().has_effects() && self.held(&ready).await? {
            return Ok(());
        }
        ready.call = CallId::new(self.carrier.parts.ids.fresh());
        ready.approved = {
            let state = self.carrier.state();
            state.ledger()[entry].request.and_then(|request| state.requests()[request].file.clone())
        };
        ready.repeats = Some(original);
        self.execute(ready, true).await
    }
}

/// Ends the steps that wait for a person who has refused one of their calls: what else they ask has no answer that anything
/// could follow from.
pub(super) async fn end_refused(carrier: &Carrier) -> Result<(), Stop> {
    let mut events: Vec<Happened> = Vec::new();
    {
        let state = carrier.state();
        for (at, request) in refused(carrier.plan(), &state) {
            events.extend(withdrawn(&state, "another call of its step was refused", |step| step == Some(at)));
            let validation = verify::validation(&state, at, &carrier.step(at));
            let reason = Some(refusal(&state.requests()[request], "refused by a person"));
            events.push((Some(at), ended(StepStatus::Cancelled, validation, None, reason)));
        }
    }
    if !events.is_empty() {
        // What is left to end after another answer is another thing, seen once that is taken in.
        carrier.write_unless_overtaken(events).await?;
    }
    Ok(())
}

/// The steps that wait for a person who has refused one of their calls, each with the first request that was refused.
pub(super) fn refused(plan: &Plan, state: &RunState) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, request) in state.requests().iter().enumerate() {
        let is_no = request.answer.as_ref().is_some_and(Answer::refuses);
        let waits = |at: &usize| state.step(*at).status == StepStatus::Waiting;
        let Some(at) = request.step.filter(waits).filter(|_| request.request.kind == RequestKind::Permit && is_no)
        else {
            continue;
        };
        let is_of_now = state
            .step(at)
            .calls
            .iter()
            .map(|entry| &state.ledger()[*entry])
            .any(|entry| entry.request == Some(index) && matches!(entry.state, CallState::Suspended));
        if is_of_now && !found.iter().any(|(other, _)| *other == at) && !may_go_on_without(plan, state, at, request) {
            found.push((at, index));
        }
    }
    found
}

/// An advisory step goes on when a call is not permitted that it does not need.
fn may_go_on_without(plan: &Plan, state: &RunState, at: usize, request: &RequestState) -> bool {
    let step = state.document(plan, at);
    let needed = request.request.tool.as_ref().is_some_and(|tool| step.required_tools.contains(tool));
    let advisory = verify::mode(plan, step) == ValidationMode::Advisory;
    request.request.kind == RequestKind::Permit && advisory && !needed
}

fn means(request: &RequestState) -> Means {
    let kind = request.request.kind;
    let Some(answer) = &request.answer else {
        return Means::End(StepStatus::Cancelled, "the request was withdrawn".to_owned());
    };
    if kind == RequestKind::Confirm && answer.refuses() {
        return Means::End(StepStatus::Cancelled, refusal(request, "refused by a person"));
    }
    match (kind, answer) {
        (RequestKind::UnknownOutcome, Answer::Value { value }) if value == AGAIN => Means::Again,
        (RequestKind::UnknownOutcome, Answer::Value { value }) if value == DONE => {
            Means::Result(json!("A person says that this was done."))
        }
        (RequestKind::UnknownOutcome, _) => {
            Means::End(StepStatus::Skipped, "left out by a person, its outcome being unknown".to_owned())
        }
        (_, Answer::Approve { arguments, note, .. }) => {
            let mut said = json!({"approved": true});
            if let Some(arguments) = arguments {
                said["arguments"] = arguments.clone();
            }
            if let Some(note) = note {
                said["note"] = json!(note);
            }
            Means::Result(said)
        }
        (RequestKind::Question, Answer::Value { value }) if is_another(&request.request) => {
            Means::Result(json!({"question": request.request.prompt, "answer": value}))
        }
        (_, Answer::Value { value }) => Means::Result(value.clone()),
        (_, Answer::Reject { .. }) => Means::End(StepStatus::Cancelled, refusal(request, "refused by a person")),
    }
}

/// Whether a person was asked something else than the call asks: the model has to be told what the answer is about.
fn is_another(request: &Request) -> bool {
    let asked = request.arguments.as_ref().and_then(|arguments| arguments["question"].as_str());
    asked.is_some_and(|asked| asked.trim() != request.prompt.trim())
}

/// How a step ends that a person does not let go on beyond a limit.
fn at_limit(request: &RequestState) -> (StepStatus, String) {
    match &request.answer {
        Some(Answer::Value { value }) if value == CHANGE_PLAN => {
            (StepStatus::Cancelled, "stopped at a limit, to go on with another plan".to_owned())
        }
        Some(Answer::Value { .. }) => (StepStatus::Failed, "stopped at a limit".to_owned()),
        _ => (StepStatus::Failed, refusal(request, "stopped at a limit")),
    }
}

fn refusal(request: &RequestState, otherwise: &str) -> String {
    match &request.answer {
        Some(Answer::Reject { reason: Some(reason) }) => format!("{otherwise}: {reason}"),
        Some(Answer::Value { value }) if !value.is_boolean() => format!("{otherwise}: {}", words::plain(value)),
        _ => otherwise.to_owned(),
    }
}

#[cfg(test)]
mod tests;
