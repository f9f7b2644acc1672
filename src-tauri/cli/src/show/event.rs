//! Events as lines, while they happen and when a session is read again.

use assent_core::ids::StepId;
use assent_core::run::{CallStatus, Content, Decider, EventKind, StepStatus};
use assent_engine::Engine;
use serde_json::Value;

use crate::show::{duration, heap, request};
use crate::terminal::{Style, Terminal, clip, plain, wrap};

/// So many lines of what a call gave that failed are shown.
const SHOWN_LINES: usize = 24;

/// What an event looks like; `None` for those that say nothing new to a reader.
pub fn lines(engine: &Engine, terminal: &Terminal, step: Option<&StepId>, kind: &EventKind) -> Option<String> {
    let name = step.map(|step| plain(step.as_str())).unwrap_or_default();
    let wide = terminal.width;
    Some(match kind {
        EventKind::MessageReceived { text, .. } => format!("{} {}", terminal.paint(Style::Strong, "›"), plain(text)),
        // A failure that stays is told with the end of its step or turn.
        EventKind::ModelFailed { error, retrying: true, .. } => warning(terminal, error),
        EventKind::PlanApproved { by: Decider::Policy, .. } => {
            terminal.paint(Style::Quiet, "  approved by your policy")
        }
        EventKind::PlanApproved { .. } => terminal.paint(Style::Quiet, "  approved"),
        EventKind::PlanRejected { reason, .. } => {
            let why = reason.as_deref().map(|reason| format!(": {}", plain(reason))).unwrap_or_default();
            terminal.paint(Style::Quiet, &format!("  rejected{why}"))
        }
        EventKind::StepStarted { attempt: 1 } => format!("{} {name}", terminal.paint(Style::Name, "●")),
        EventKind::StepStarted { attempt } => {
            format!("{} {name}  attempt {attempt}", terminal.paint(Style::Name, "●"))
        }
        EventKind::ModelReplied { calls, .. } if !calls.is_empty() => {
            let shown = calls.iter().map(|call| {
                let arguments = clip(&content(&call.arguments), wide.saturating_sub(call.tool.len() + 6));
                format!("    {} {}", terminal.paint(Style::Name, &plain(&call.tool)), arguments)
            });
            shown.collect::<Vec<_>>().join("\n")
        }
        EventKind::CallEnded { .. } => return called(engine, terminal, kind),
        EventKind::CallRefused { fault, .. } => mark(terminal, Style::Warn, "    ✗", &plain(&fault.to_string())),
        EventKind::Enforced { missing, .. } => {
            let text = format!("still has to call {}", plain(&missing.join(", ")));
            terminal.paint(Style::Quiet, &format!("    {text}"))
        }
        EventKind::StepExpanded { expanded } => terminal.paint(Style::Quiet, &heap::expanded(&name, expanded)),
        EventKind::StepDelegated { steps, by, .. } => {
            terminal.paint(Style::Quiet, &heap::delegated(steps, by.as_ref()))
        }
        EventKind::StepEnded { status, reason, .. } => ended(terminal, &name, *status, reason.as_deref()),
        EventKind::StepReset { stale } => reset(terminal, &name, stale),
        EventKind::RequestOpened { request } => request::card(engine, terminal, request),
        EventKind::RequestCancelled { reason, .. } => {
            terminal.paint(Style::Quiet, &format!("  a request is no longer needed: {}", plain(reason)))
        }
        EventKind::Commented { on, text, .. } => {
            let on = on.as_ref().map(|step| format!(" on {}", plain(step.as_str()))).unwrap_or_default();
            format!("{} {}", terminal.paint(Style::Quiet, &format!("  comment{on}:")), plain(text))
        }
        EventKind::LimitReached { limit, value } => {
            mark(terminal, Style::Warn, "!", &format!("the limit {} ({value}) was reached", plain(limit)))
        }
        EventKind::Warned { message } => warning(terminal, message),
        EventKind::Answered { text } => format!("\n{}\n", plain(&whole(engine, text))),
        EventKind::TurnEnded { error: Some(error), .. } => mark(terminal, Style::Bad, "✗", &plain(error)),
        _ => return None,
    })
}

/// The text of a content, or its beginning where the whole is kept apart.
pub fn content(content: &Content) -> String {
    match content {
        Content::Inline { inline } => inline.as_str().map_or_else(|| inline.to_string(), str::to_owned),
        Content::Blob { preview, bytes, .. } => format!("{preview}… ({bytes} bytes)"),
    }
}

/// The whole text of a content; its beginning only where the whole cannot be read.
fn whole(engine: &Engine, text: &Content) -> String {
    match engine.content(text) {
        Ok(Value::String(text)) => text,
        Ok(value) => value.to_string(),
        Err(_) => content(text),
    }
}

/// How a call has ended.
fn called(engine: &Engine, terminal: &Terminal, end: &EventKind) -> Option<String> {
    let wide = terminal.width;
    match end {
        // A refusal is told with the end of its step.
        EventKind::CallEnded { by: Some(Decider::User), satisfied: false, .. } => None,
        EventKind::CallEnded { by: Some(Decider::User), output, .. } => {
            Some(mark(terminal, Style::Good, "    ✓", &clip(&said(output), wide.saturating_sub(8))))
        }
        EventKind::CallEnded { missed: Some(named), .. } => {
            let told = format!("does not count: the step is about {named}");
            Some(mark(terminal, Style::Warn, "    ✗", &clip(&told, wide.saturating_sub(8))))
        }
        EventKind::CallEnded { status: CallStatus::Success, satisfied: true, duration_ms, .. } => {
            Some(mark(terminal, Style::Good, "    ✓", &duration(*duration_ms)))
        }
        EventKind::CallEnded { error, output, .. } => {
            let why = match error {
                Some(error) => wrap(error, wide.saturating_sub(6)),
                None => gave(&engine.content(output).unwrap_or_else(|_| content(output).into())),
            };
            Some(mark(terminal, Style::Warn, "    ✗", &shortened(why).join("\n      ")))
        }
        _ => None,
    }
}

/// What a call gave that worked and did not do what it is for. Of a command the exit code and what it complained of come
/// first: that is what a person looks for.
fn gave(output: &Value) -> Vec<String> {
    let Some(code) = output.get("exit_code").and_then(Value::as_i64) else {
        return plain(&output.to_string()).lines().map(str::to_owned).collect();
    };
    let said = ["stderr", "stdout"].into_iter().filter_map(|stream| output.get(stream)?.as_str());
    let said = said.flat_map(|text| plain(text).lines().map(str::to_owned).collect::<Vec<_>>());
    std::iter::once(format!("exit code {code}")).chain(said).collect()
}

/// The beginning and the end of many lines.
fn shortened(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(SHOWN_LINES);
    if more > 0 {
        let told = format!("… {} more lines", more + 1);
        lines.splice(SHOWN_LINES / 2..=SHOWN_LINES / 2 + more, [told]);
    }
    lines
}

/// What a person has said in the place of a tool.
fn said(output: &Content) -> String {
    match output.here() {
        Some(decision) if decision["approved"] == true => {
            let note = decision["note"].as_str();
            note.map_or_else(|| "approved".to_owned(), |note| format!("approved: {note}"))
        }
        _ => content(output),
    }
}

fn ended(terminal: &Terminal, name: &str, status: StepStatus, reason: Option<&str>) -> String {
    let (style, sign, word) = match status {
        StepStatus::Completed if reason.is_some() => (Style::Warn, "✓", "completed with a warning"),
        StepStatus::Completed => (Style::Good, "✓", "completed"),
        StepStatus::Failed => (Style::Bad, "✗", "failed"),
        StepStatus::Skipped => (Style::Warn, "–", "skipped"),
        StepStatus::Cancelled => (Style::Warn, "–", "cancelled"),
        StepStatus::Pending | StepStatus::InProgress | StepStatus::Waiting => (Style::Quiet, "…", "waits"),
    };
    let why = reason.map(|reason| format!(": {}", plain(reason))).unwrap_or_default();
    format!("{} {name} {word}{why}", terminal.paint(style, sign))
}

/// A step that is done again, and what was done with its earlier result.
fn reset(terminal: &Terminal, name: &str, stale: &[StepId]) -> String {
    let again = format!("{} {name} is done again", terminal.paint(Style::Name, "↻"));
    if stale.is_empty() {
        return again;
    }
    let stale: Vec<String> = stale.iter().map(|step| plain(step.as_str())).collect();
    let (steps, were) = (stale.join(", "), if stale.len() == 1 { "was" } else { "were" });
    format!(
        "{again}\n{}",
        warning(terminal, &format!("{steps} {were} done with its earlier result: stale until done again"))
    )
}

/// Something that a person should know.
pub fn warning(terminal: &Terminal, text: &str) -> String {
    mark(terminal, Style::Warn, "!", &plain(text))
}

fn mark(terminal: &Terminal, style: Style, sign: &str, text: &str) -> String {
    format!("{} {text}", terminal.paint(style, sign))
}
