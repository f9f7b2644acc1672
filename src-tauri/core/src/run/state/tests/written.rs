//! Random runs as an executor and a person write them: by the rules that they go by, whatever comes first of what can come
//! next. None of it is refused, nothing that a person has said of a call is lost, and what was begun can go on.

use proptest::prelude::*;
use serde_json::json;

use super::random::check_invariants;
use super::{approve, call_ended, ended, opened, place, plan, replied};
use crate::contract::{Fault, Risk, Stage};
use crate::ids::RunId;
use crate::run::state::{CallState, LedgerEntry, RequestState, RunState};
use crate::run::{
    Answer, CallStatus, Content, Decider, EventKind, KEEP_GOING, RequestKind, RequestStatus, RunStatus, StepStatus,
};

/// Events of one transaction, each with its step.
type Batch = Vec<(Option<usize>, EventKind)>;

fn value(text: &str) -> Answer {
    Answer::Value { value: json!(text) }
}

fn reject() -> Answer {
    Answer::Reject { reason: None }
}

fn begin(call: &LedgerEntry, repeats: bool, fresh: &str) -> EventKind {
    let (call, repeats) = if repeats { (fresh.into(), Some(call.call.clone())) } else { (call.call.clone(), None) };
    EventKind::CallStarted { call, tool: "read".into(), arguments: None, risk: Risk::Write, repeats }
}

fn by_person(call: &LedgerEntry) -> EventKind {
    EventKind::CallEnded {
        call: call.call.clone(),
        status: CallStatus::Success,
        output: Content::inline("yes"),
        error: None,
        satisfied: true,
        missed: None,
        met: false,
        by: Some(Decider::User),
        duration_ms: 0,
    }
}

fn is_allowed(asked: &RequestState) -> bool {
    asked.request.kind == RequestKind::Permit && matches!(asked.answer, Some(Answer::Approve { .. }))
}

/// Everything that can be written next.
fn candidates(state: &RunState) -> Vec<Batch> {
    let mut all: Vec<Batch> = Vec::new();
    for asked in state.open_requests() {
        let answers = match asked.request.kind {
            RequestKind::Cap => vec![value(KEEP_GOING), approve(), value("stop here")],
            RequestKind::UnknownOutcome => vec![value("done"), value("run again"), value("skip")],
            RequestKind::Question | RequestKind::Help => vec![value("this one")],
            RequestKind::Confirm | RequestKind::Permit => vec![approve(), approve(), reject()],
        };
        let request = asked.request.id.clone();
        let answered = |answer| EventKind::RequestAnswered { request: request.clone(), answer, file: None };
        all.extend(answers.into_iter().map(|answer| vec![(asked.step, answered(answer))]));
    }
    if state.is_paused() {
        return all;
    }
    all.extend(state.doomed_steps().map(|(step, _)| vec![(Some(step), ended(StepStatus::Skipped))]));
    let begun = |step: usize| EventKind::StepStarted { attempt: state.step(step).attempt + 1 };
    all.extend(state.ready_steps().map(|step| vec![(Some(step), begun(step))]));
    let at_work = (0..state.steps().len()).filter(|step| state.step(*step).status == StepStatus::InProgress);
    all.extend(at_work.flat_map(|step| next_of(state, step)));
    all
}

/// What a step that is at work writes next: of its calls, the first that is not over.
fn next_of(state: &RunState, step: usize) -> Vec<Batch> {
    let alone = |kind: EventKind| vec![(Some(step), kind)];
    let fresh_call = format!("c{}", state.ledger().len());
    if state.step(step).cap_refused.is_some() {
        return vec![alone(ended(StepStatus::Failed))];
    }
    let unfinished = |entry: &&usize| {
        let entry = &state.ledger()[**entry];
        let is_over = matches!(entry.state, CallState::Ended(_) | CallState::Refused(_));
        !is_over && entry.repeated_by.is_none()
    };
    let Some(at) = state.step(step).calls.iter().find(unfinished) else {
        return vec![alone(replied(&[&fresh_call])), alone(replied(&[])), alone(ended(StepStatus::Completed))];
    };
    let call = &state.ledger()[*at];
    let asked = call.request.map(|asked| &state.requests()[asked]);
    let asks = |kind: RequestKind, waits: bool| {
        let request = format!("q{}", state.requests().len());
        let suspended = EventKind::CallSuspended { call: call.call.clone(), request: request.as_str().into() };
        let events = waits.then_some(suspended).into_iter().chain([opened(&request, kind, Some(call.call.as_str()))]);
        events.map(|kind| (Some(step), kind)).collect::<Batch>()
    };
    let begins = || match state.barrier(step) {
        Some(waited) => EventKind::CallHeld { call: call.call.clone(), request: waited.request.id.clone() },
        None => begin(call, false, &fresh_call),
    };
    let settled = asked.filter(|asked| asked.status != RequestStatus::Open && !is_allowed(asked));
    let answer = settled.and_then(|asked| asked.answer.as_ref());
    match (&call.state, answer) {
        (CallState::Suspended, _) if asked.is_some_and(is_allowed) => {
            vec![alone(begins()), alone(begins()), asks(RequestKind::Cap, false)]
        }
        (CallState::Suspended | CallState::Open, Some(Answer::Reject { .. })) => {
            vec![alone(ended(StepStatus::Cancelled))]
        }
        (CallState::Open, Some(Answer::Value { value })) if value == "run again" => {
            vec![alone(begin(call, true, &fresh_call))]
        }
        (CallState::Open, Some(Answer::Value { value })) if value == "skip" => {
            vec![alone(ended(StepStatus::Skipped))]
        }
        (CallState::Suspended | CallState::Open, Some(_)) => vec![alone(by_person(call))],
        (CallState::Planned, _) => {
            let fault = Fault::new(Stage::Scope, "there is no such tool");
            let refused = EventKind::CallRefused { call: call.call.clone(), fault };
            let asks =
                [asks(RequestKind::Permit, true), asks(RequestKind::Permit, true), asks(RequestKind::Cap, false)];
            asks.into_iter().chain([alone(begins()), alone(begins()), alone(refused)]).collect()
        }
        (CallState::Open, None) => {
            use RequestKind::{Confirm, Help, Question, UnknownOutcome};
            let asks = [asks(Confirm, true), asks(Question, true), asks(Help, true), asks(UnknownOutcome, false)];
            asks.into_iter().chain([alone(call_ended(call.call.as_str()))]).collect()
        }
        // It waits for what is asked.
        _ => Vec::new(),
    }
}

/// The calls that a person has allowed and that have yet to begin, each with that request.
fn allowed(state: &RunState) -> Vec<(usize, usize)> {
    let calls = state.ledger().iter().enumerate().filter(|(_, call)| call.state == CallState::Suspended);
    calls
        .filter_map(|(at, call)| Some((at, call.request.filter(|asked| is_allowed(&state.requests()[*asked]))?)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    // covers: T6 T12 T15
    #[test]
    fn nothing_is_refused_that_an_executor_and_a_person_write_in_any_order(
        dependencies in super::random::dependencies(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
    ) {
        let mut state = RunState::new(RunId::new("r"), &plan(&dependencies));
        state.apply(&place(None), 0, &EventKind::RunStarted).unwrap();
        for choice in choices {
            let next = candidates(&state);
            if next.is_empty() {
                let status = state.final_status();
                prop_assert!(state.all_settled(), "nothing can be written, and {:?} is not over", state.status());
                prop_assert_eq!(state.apply(&place(None), 0, &EventKind::RunEnded { status }), Ok(()));
                prop_assert!(status != RunStatus::Running);
                return Ok(());
            }
            let given = allowed(&state);
            for (step, kind) in &next[choice.index(next.len())] {
                let what = format!("{kind:?}");
                prop_assert_eq!(state.apply(&place(*step), 0, kind), Ok(()), "{}", what);
            }
            check_invariants(&state);
            for (call, request) in given {
                let entry = &state.ledger()[call];
                prop_assert_eq!(entry.request, Some(request), "what a person has said of {} is lost", &entry.call);
            }
        }
    }
}
