//! How what is not carried on comes to its end: steps that are left out or cut short, and what they ask.

use assent_core::ids::{CallId, RequestId, StepId};
use assent_core::run::{
    CallState, CallStatus, Content, EventKind, LedgerEntry, RunState, RunStatus, StepStatus, ValidationStatus,
};
use serde_json::Value;

use super::carrier::Happened;

/// What ends a run that was stopped: calls ended, requests and steps cancelled, the run over. Nothing where it is over.
pub(super) fn cancelled(state: &RunState) -> Vec<Happened> {
    let mut events: Vec<Happened> = Vec::new();
    if state.is_over() {
        return events;
    }
    let reason = "the run was stopped";
    events.extend(withdrawn(state, reason, |_| true));
    for at in (0..state.steps().len()).filter(|at| is_under_way(state, *at)) {
        events.extend(cut_short(state, at, reason, None));
    }
    events.push((None, EventKind::RunEnded { status: RunStatus::Cancelled }));
    events
}

/// Whether a step has begun and is not over.
pub(super) fn is_under_way(state: &RunState, at: usize) -> bool {
    matches!(state.step(at).status, StepStatus::InProgress | StepStatus::Waiting)
}

/// The end of what such steps ask.
pub(super) fn withdrawn(state: &RunState, reason: &str, of: impl Fn(Option<usize>) -> bool) -> Vec<Happened> {
    let cancelled = |request: RequestId| EventKind::RequestCancelled { request, reason: reason.to_owned() };
    let open = state.open_requests().filter(|open| of(open.step));
    open.map(|open| (open.step, cancelled(open.request.id.clone()))).collect()
}

/// The end of a step that is under way, and of its calls that have none; what it asks is another thing.
pub(super) fn cut_short(state: &RunState, at: usize, reason: &str, because: Option<StepId>) -> Vec<Happened> {
    let open = |entry: &&LedgerEntry| entry.repeated_by.is_none() && matches!(entry.state, CallState::Open);
    let calls = state.entries_of(at).filter(open).map(|entry| stopped(entry.call.clone()));
    let end = over(StepStatus::Cancelled, reason.to_owned(), because);
    calls.chain([end]).map(|kind| (Some(at), kind)).collect()
}

fn stopped(call: CallId) -> EventKind {
    EventKind::CallEnded {
        call,
        status: CallStatus::Error,
        output: Content::inline(Value::Null),
        error: Some("stopped by a person while it ran; it may have done a part".to_owned()),
        satisfied: false,
        missed: None,
        met: false,
        by: None,
        duration_ms: 0,
    }
}

/// The end of a step that ended because of another: done again with it.
pub(super) fn because_of(ended: EventKind, cause: Option<StepId>) -> EventKind {
    match ended {
        EventKind::StepEnded { status, validation, result, reason, carried_from, .. } => {
            EventKind::StepEnded { status, validation, result, reason, because: cause, carried_from }
        }
        other => other,
    }
}

/// A step that is left out.
pub(super) fn skip(reason: String, because: Option<StepId>) -> EventKind {
    over(StepStatus::Skipped, reason, because)
}

/// The end of a step of which nothing is left to be checked.
fn over(status: StepStatus, reason: String, because: Option<StepId>) -> EventKind {
    EventKind::StepEnded {
        status,
        validation: ValidationStatus::Skipped,
        result: None,
        reason: Some(reason),
        because,
        carried_from: None,
    }
}
