//! What of an event can be searched.

use assent_core::ids::Digest;
use assent_core::plan::{Plan, Step};
use assent_core::run::{Answer, Content, EventKind, PlanRef, Request};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use crate::store::HitKind;
use crate::store::failure::Failure;
use crate::store::table::blob;
use crate::store::table::event::KINDS;

/// Of each message, answer, plan, call and result so many bytes are searched: more of one nobody reads.
pub const MOST_SEARCHED: usize = 1_000_000;

/// The kinds of events that hold something to search.
const SEARCHED: [&str; 15] = [
    "session_created",
    "session_renamed",
    "message_received",
    "model_replied",
    "plan_proposed",
    "plan_approved",
    "plan_rejected",
    "commented",
    "step_delegated",
    "call_started",
    "call_ended",
    "step_ended",
    "request_opened",
    "request_answered",
    "answered",
];

/// Those of them that hold what tools took and gave.
const OF_CALLS: [&str; 4] = ["model_replied", "call_started", "call_ended", "step_ended"];

/// A condition that holds for the events that may be searched, for use after `WHERE`.
pub(super) fn condition() -> String {
    of_kinds(|name| SEARCHED.contains(&name))
}

/// A condition that holds for the events of those that hold what was said: not what tools took and gave.
pub(super) fn said() -> String {
    of_kinds(|name| SEARCHED.contains(&name) && !OF_CALLS.contains(&name))
}

fn of_kinds(is_meant: impl Fn(&str) -> bool) -> String {
    let codes = (1..).zip(KINDS.iter()).filter(|(_, name)| is_meant(name)).map(|(code, _)| code.to_string());
    format!("kind IN ({})", codes.collect::<Vec<_>>().join(","))
}

/// How much of an event is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Whole,
    /// Of what is stored elsewhere only its beginning, which stands in the event.
    Beginnings,
}

/// What an event holds to search.
pub(super) struct Found {
    pub(super) kind: HitKind,
    pub(super) text: String,
    /// The bytes that were read for it from elsewhere.
    pub(super) read: usize,
}

/// The text of an event, if it holds one.
pub(super) fn text_of(connection: &Connection, kind: &EventKind, reading: Reading) -> Result<Option<Found>, Failure> {
    let mut text = Text { found: String::new(), most: MOST_SEARCHED, reading, read: 0 };
    let found = match told(&mut text, kind) {
        None => given(connection, &mut text, kind)?,
        found => found,
    };
    let Text { found: whole, read, .. } = text;
    Ok(found.filter(|_| !whole.is_empty()).map(|kind| Found { kind, text: whole, read }))
}

/// Whether an event holds what a tool took or gave.
pub(super) fn is_of_call(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::ModelReplied { .. }
            | EventKind::CallStarted { .. }
            | EventKind::CallEnded { .. }
            | EventKind::StepEnded { .. }
    )
}

/// Adds what stands in an event itself, and says what that is.
fn told(text: &mut Text, kind: &EventKind) -> Option<HitKind> {
    Some(match kind {
        EventKind::SessionCreated { title, .. } | EventKind::SessionRenamed { title } => {
            add(text, title);
            HitKind::Title
        }
        EventKind::MessageReceived { text: message, .. } => {
            add(text, message);
            HitKind::Message
        }
        EventKind::StepDelegated { summary, steps, .. } => {
            add(text, summary);
            add_steps(text, steps);
            HitKind::Plan
        }
        EventKind::Commented { text: comment, .. }
        | EventKind::PlanApproved { note: Some(comment), .. }
        | EventKind::PlanRejected { reason: Some(comment), .. } => {
            add(text, comment);
            HitKind::Comment
        }
        EventKind::RequestOpened { request } => {
            add_request(text, request);
            HitKind::Question
        }
        EventKind::RequestAnswered { answer, .. } => {
            add_answer(text, answer);
            HitKind::Question
        }
        _ => return None,
    })
}

/// Adds what an event refers to, and may be stored elsewhere, and says what that is.
fn given(connection: &Connection, text: &mut Text, kind: &EventKind) -> Result<Option<HitKind>, Failure> {
    Ok(Some(match kind {
        EventKind::Answered { text: answer } => {
            add_content(connection, text, answer)?;
            HitKind::Answer
        }
        EventKind::PlanProposed { plan, .. } => {
            add_plan(connection, text, plan)?;
            HitKind::Plan
        }
        EventKind::ModelReplied { calls, .. } => {
            for call in calls {
                text.most = text.found.len() + MOST_SEARCHED;
                add(text, &call.tool);
                add_content(connection, text, &call.arguments)?;
            }
            HitKind::Call
        }
        EventKind::CallStarted { arguments: Some(arguments), .. } => {
            add_content(connection, text, arguments)?;
            HitKind::Call
        }
        EventKind::CallEnded { output, error, .. } => {
            add(text, error.as_deref().unwrap_or_default());
            add_content(connection, text, output)?;
            HitKind::Result
        }
        EventKind::StepEnded { result, reason, .. } => {
            add(text, reason.as_deref().unwrap_or_default());
            if let Some(result) = result {
                add_content(connection, text, result)?;
            }
            HitKind::Result
        }
        _ => return Ok(None),
    }))
}

/// What was found of an event, up to a bound in bytes.
struct Text {
    found: String,
    most: usize,
    reading: Reading,
    read: usize,
}

fn add(text: &mut Text, more: &str) {
    let room = text.most.saturating_sub(text.found.len());
    if more.is_empty() || room == 0 {
        return;
    }
    if !text.found.is_empty() {
        text.found.push('\n');
    }
    let end = (0..=room.min(more.len())).rev().find(|end| more.is_char_boundary(*end)).unwrap_or(0);
    text.found.push_str(&more[..end]);
}

/// Adds what stands in a value: texts and numbers. Names of fields are no content.
fn add_value(text: &mut Text, value: &Value) {
    match value {
        Value::String(string) => add(text, string),
        Value::Number(number) => add(text, &number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| add_value(text, item)),
        Value::Object(fields) => fields.values().for_each(|field| add_value(text, field)),
        Value::Null | Value::Bool(_) => {}
    }
}

fn add_content(connection: &Connection, text: &mut Text, content: &Content) -> Result<(), Failure> {
    match content {
        Content::Inline { inline } => add_value(text, inline),
        Content::Blob { preview, .. } if text.reading == Reading::Beginnings => add(text, preview),
        Content::Blob { blob, .. } => add_blob(connection, text, blob)?,
    }
    Ok(())
}

fn add_blob(connection: &Connection, text: &mut Text, digest: &Digest) -> Result<(), Failure> {
    let bytes = blob::read(connection, digest)?;
    text.read += bytes.len();
    let whole = String::from_utf8_lossy(&bytes);
    match serde_json::from_str::<Value>(&whole) {
        Ok(value) => add_value(text, &value),
        Err(_) => add(text, &whole),
    }
    Ok(())
}

fn add_plan(connection: &Connection, text: &mut Text, plan: &PlanRef) -> Result<(), Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT document FROM plan_version JOIN plan ON plan.key = plan_version.plan
          WHERE plan.id = ?1 AND version = ?2",
    )?;
    let document: Option<String> =
        statement.query_row(params![plan.id.as_str(), plan.version], |row| row.get(0)).optional()?;
    let Some(document) = document else { return Ok(()) };
    let plan: Plan = serde_json::from_str(&document)?;
    for part in [&plan.title, &plan.intent, &plan.refined_task] {
        add(text, part);
    }
    plan.extracted_context.values().for_each(|value| add_value(text, value));
    plan.instructions.values().for_each(|told| add(text, told));
    add_steps(text, &plan.steps);
    Ok(())
}

/// Adds what people read of steps.
fn add_steps(text: &mut Text, steps: &[Step]) {
    for step in steps {
        add(text, &step.description);
        add(text, step.expected_outcome.as_deref().unwrap_or_default());
        add(text, step.instructions.as_deref().unwrap_or_default());
        step.required_tools.iter().for_each(|tool| add(text, tool));
        add(text, &step.executor.id);
        step.input.context.values().for_each(|value| add_value(text, value));
    }
}

fn add_request(text: &mut Text, request: &Request) {
    add(text, &request.prompt);
    add(text, request.reason.as_deref().unwrap_or_default());
    request.input.options.iter().for_each(|option| add(text, &option.label));
    if let Some(arguments) = &request.arguments {
        add_value(text, arguments);
    }
}

fn add_answer(text: &mut Text, answer: &Answer) {
    match answer {
        Answer::Approve { arguments, note, .. } => {
            if let Some(arguments) = arguments {
                add_value(text, arguments);
            }
            add(text, note.as_deref().unwrap_or_default());
        }
        Answer::Reject { reason } => add(text, reason.as_deref().unwrap_or_default()),
        Answer::Value { value } => add_value(text, value),
    }
}
