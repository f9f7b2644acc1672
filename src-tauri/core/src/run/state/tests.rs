//! Random runs: whatever order events come in, the state stays lawful, and a fold can be cut anywhere.

use proptest::prelude::*;
use serde_json::json;

use super::{CallState, RunState};
use crate::contract::Risk;
use crate::ids::{RequestId, RunId, SessionId, StepId};
use crate::plan::Plan;
use crate::run::{
    Answer, CallStatus, Content, Event, EventKind, Input, InputKind, Place, PlannedCall, Purpose, Reach, Request,
    RequestKind, RequestStatus, RunStatus, StepStatus, Usage, ValidationStatus,
};

fn plan(dependencies: &[Vec<usize>]) -> Plan {
    let steps: Vec<_> = dependencies
        .iter()
        .enumerate()
        .map(|(at, on)| {
            let on: Vec<String> = on.iter().map(|other| format!("s{other}")).collect();
            json!({"id": format!("s{at}"), "description": "do it", "dependencies": on})
        })
        .collect();
    serde_json::from_value(json!({
        "format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c", "steps": steps
    }))
    .unwrap()
}

fn place(step: Option<usize>) -> Place {
    Place {
        session: SessionId::new("c"),
        turn: None,
        run: Some(RunId::new("r")),
        step: step.map(|at| StepId::new(format!("s{at}"))),
    }
}

fn replied(calls: &[&str]) -> EventKind {
    let calls = calls
        .iter()
        .map(|id| PlannedCall { id: (*id).into(), tool: "read".into(), arguments: Content::inline(json!({})) })
        .collect();
    EventKind::ModelReplied {
        purpose: Purpose::Step,
        model: "scripted".into(),
        recipe: None,
        text: Some(Content::inline("done")),
        thoughts: None,
        calls,
        faults: Vec::new(),
        usage: Usage { input: 3, cached: 1, output: 2 },
        duration_ms: 1,
    }
}

fn ended(status: StepStatus) -> EventKind {
    EventKind::StepEnded {
        status,
        validation: ValidationStatus::Skipped,
        result: Some(Content::inline("result")),
        reason: None,
        because: None,
        carried_from: None,
    }
}

fn call_ended(call: &str) -> EventKind {
    EventKind::CallEnded {
        call: call.into(),
        status: CallStatus::Success,
        output: Content::inline("found"),
        error: None,
        satisfied: true,
        by: None,
        duration_ms: 0,
    }
}

fn opened(id: &str, kind: RequestKind, call: Option<&str>) -> EventKind {
    EventKind::RequestOpened {
        request: Box::new(Request {
            id: id.into(),
            kind,
            path: Vec::new(),
            call: call.map(Into::into),
            asked_by: String::new(),
            prompt: "May I?".into(),
            reason: None,
            step_index: None,
            step_total: None,
            input: Input { kind: InputKind::Decision, options: Vec::new(), allow_edit: false, allow_text: false },
            tool: None,
            arguments: None,
            risk: None,
            reaches: Vec::new(),
        }),
    }
}

fn approve() -> Answer {
    Answer::Approve { arguments: None, note: None, reach: Reach::Once }
}

/// An event for a number: most are lawful at some time, many are not just now.
fn event(state: &RunState, choice: (u8, u8, u8)) -> (Option<usize>, EventKind) {
    let (what, which, other) = choice;
    let step = usize::from(which) % state.steps().len();
    let entries = state.ledger().len().max(1);
    let call = format!("c{}", usize::from(other) % entries);
    let request = format!("q{}", usize::from(other) % state.requests().len().max(1));
    let fresh_call = format!("c{}", state.ledger().len());
    let fresh_request = format!("q{}", state.requests().len());
    let kinds = [
        RequestKind::Question,
        RequestKind::Confirm,
        RequestKind::Permit,
        RequestKind::UnknownOutcome,
        RequestKind::Cap,
        RequestKind::Help,
    ];
    let kind = match what % 24 {
        0..=3 => EventKind::StepStarted { attempt: state.step(step).attempt + 1 },
        4 | 5 => replied(&[&fresh_call]),
        6 => EventKind::CallStarted {
            call: call.as_str().into(),
            tool: "read".into(),
            arguments: None,
            risk: Risk::Write,
            repeats: None,
        },
        7 | 8 => call_ended(&call),
        9 => EventKind::CallSuspended { call: call.as_str().into(), request: request.as_str().into() },
        10 => EventKind::CallHeld { call: call.as_str().into(), request: request.as_str().into() },
        11 => EventKind::Enforced { missing: vec!["read".into()], attempt: 1 },
        12 | 13 => opened(&fresh_request, kinds[usize::from(other) % kinds.len()], None),
        14 => EventKind::RequestAnswered { request: request.as_str().into(), answer: approve() },
        15 => EventKind::RequestAnswered { request: request.as_str().into(), answer: Answer::Reject { reason: None } },
        16 => EventKind::RequestCancelled { request: request.as_str().into(), reason: "gone".into() },
        17 | 18 => ended(StepStatus::Completed),
        19 => ended([StepStatus::Failed, StepStatus::Cancelled][usize::from(other) % 2]),
        20 => ended(StepStatus::Skipped),
        21 => EventKind::StepReset { stale: state.steps().iter().map(|step| step.id.clone()).collect() },
        22 => EventKind::CallStarted {
            call: fresh_call.as_str().into(),
            tool: "read".into(),
            arguments: None,
            risk: Risk::Write,
            repeats: Some(call.as_str().into()),
        },
        _ if other == 0 => EventKind::RunEnded { status: RunStatus::Cancelled },
        _ => EventKind::RunEnded { status: state.final_status() },
    };
    (Some(step), kind)
}

fn check_invariants(state: &RunState) {
    let completed = |at: &usize| state.step(*at).status == StepStatus::Completed;
    let lost = |at: &usize| state.step(*at).status.is_settled() && !completed(at);
    let pending = |at: &usize| state.step(*at).status == StepStatus::Pending;
    let all: Vec<usize> = (0..state.steps().len()).collect();
    let over = state.is_over();
    let ready: Vec<usize> =
        all.iter().copied().filter(|at| pending(at) && state.step(*at).dependencies().iter().all(completed)).collect();
    assert_eq!(state.ready_steps().collect::<Vec<_>>(), ready);
    let doomed: Vec<usize> =
        all.iter().copied().filter(|at| pending(at) && state.step(*at).dependencies().iter().any(lost)).collect();
    assert_eq!(state.doomed_steps().map(|(at, _)| at).collect::<Vec<_>>(), doomed);
    let count = |status| all.iter().filter(|at| state.step(**at).status == status).count();
    for status in [StepStatus::Pending, StepStatus::InProgress, StepStatus::Waiting, StepStatus::Completed] {
        assert_eq!(state.count(status), count(status));
    }
    let open = state.requests().iter().filter(|request| request.status == RequestStatus::Open).count();
    assert_eq!(state.open_requests().count(), open);
    // Whatever waits, waits for somebody who can still answer.
    assert!(count(StepStatus::Waiting) == 0 || open > 0);
    // No silent deadlock: while anything is left to do, somebody can do something.
    let left = all.iter().any(|at| !state.step(*at).status.is_settled());
    let can_go_on = count(StepStatus::InProgress) + count(StepStatus::Waiting) + ready.len() + doomed.len() > 0;
    assert!(over || !left || can_go_on);
    assert_eq!(state.status() == RunStatus::Synthesizing, !left && !over);
    for entry in state.ledger() {
        assert!(entry.repeated_by.is_none() || matches!(entry.state, CallState::Open));
    }
}

fn dependencies() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..7).prop_map(|steps| {
        let earlier = |at: usize, on: &[prop::sample::Index]| match at {
            0 => Vec::new(),
            _ => on.iter().map(|index| index.index(at)).collect(),
        };
        steps.iter().enumerate().map(|(at, on)| earlier(at, on)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_events_leaves_a_lawful_state(
        dependencies in dependencies(),
        choices in prop::collection::vec(any::<(u8, u8, u8)>(), 0..250),
        cut in any::<prop::sample::Index>(),
    ) {
        // covers: T6 T12
        let plan = plan(&dependencies);
        let mut state = RunState::new(RunId::new("r"), &plan);
        state.apply(&place(None), 0, &EventKind::RunStarted).unwrap();
        let mut history = vec![(place(None), EventKind::RunStarted)];
        for (at, choice) in choices.into_iter().enumerate() {
            let (step, kind) = event(&state, choice);
            let before = state.clone();
            match state.apply(&place(step), at as i64, &kind) {
                Err(_) => prop_assert_eq!(&before, &state),
                Ok(()) => {
                    for (was, is) in before.steps().iter().zip(state.steps()) {
                        let reset = matches!(kind, EventKind::StepReset { .. });
                        prop_assert!(reset || !was.status.is_settled() || was.status == is.status);
                        let started = was.status == StepStatus::Pending && is.status == StepStatus::InProgress;
                        let met = |on: &usize| before.step(*on).status == StepStatus::Completed;
                        prop_assert!(!started || was.dependencies().iter().all(met));
                    }
                    history.push((place(step), kind));
                }
            }
            check_invariants(&state);
        }
        let written: Vec<String> = history
            .iter()
            .enumerate()
            .map(|(at, (place, kind))| {
                let event = Event { seq: at as u64, place: place.clone(), at: 0, kind: kind.clone() };
                serde_json::to_string(&event).unwrap()
            })
            .collect();
        let fold = |from: RunState, events: &[String]| {
            events.iter().fold(from, |mut state, line| {
                let event: Event = serde_json::from_str(line).unwrap();
                state.apply(&event.place, event.at, &event.kind).unwrap();
                state
            })
        };
        let cut = cut.index(written.len());
        let start = RunState::new(RunId::new("r"), &plan);
        let half = fold(start.clone(), &written[..cut]);
        prop_assert_eq!(fold(half, &written[cut..]), fold(start, &written));
    }
}

fn started(dependencies: &[Vec<usize>]) -> RunState {
    let mut state = RunState::new(RunId::new("r"), &plan(dependencies));
    state.apply(&place(None), 0, &EventKind::RunStarted).unwrap();
    state
}

fn play(state: &mut RunState, events: &[(usize, EventKind)]) {
    for (step, kind) in events {
        state.apply(&place(Some(*step)), 0, kind).unwrap();
    }
}

#[test]
fn a_confirmation_holds_calls_with_effects_of_later_steps_and_nothing_else() {
    // covers: T15
    let mut state = started(&[vec![], vec![], vec![], vec![0]]);
    let begin = || EventKind::StepStarted { attempt: 1 };
    play(&mut state, &[(0, begin()), (1, begin()), (2, begin()), (1, opened("q", RequestKind::Confirm, None))]);
    assert_eq!(state.status(), RunStatus::Running);
    let barred: Vec<bool> = (0..4).map(|step| state.barrier(step).is_some()).collect();
    assert_eq!(barred, [false, false, true, true]);

    let held = EventKind::CallHeld { call: "c".into(), request: "q".into() };
    play(&mut state, &[(2, replied(&["c"])), (2, held), (0, ended(StepStatus::Failed))]);
    assert_eq!(state.doomed_steps().collect::<Vec<_>>(), [(3, Some(0))]);
    play(&mut state, &[(3, ended(StepStatus::Skipped))]);
    assert_eq!(state.status(), RunStatus::Suspended);

    let reject = EventKind::RequestAnswered { request: "q".into(), answer: Answer::Reject { reason: None } };
    play(&mut state, &[(1, reject.clone())]);
    assert_eq!((state.refused_before(1), state.refused_before(2)), (None, Some(1)));
    assert_eq!(state.step(2).status, StepStatus::InProgress);
    let second = state.apply(&place(Some(1)), 0, &reject).unwrap_err();
    assert_eq!(second.to_string(), "request q is already Answered");
}

#[test]
fn a_call_made_once_more_carries_the_outcome_of_the_first() {
    let mut state = started(&[vec![]]);
    let start = |call: &str, repeats: Option<&str>| EventKind::CallStarted {
        call: call.into(),
        tool: "read".into(),
        arguments: None,
        risk: Risk::Write,
        repeats: repeats.map(Into::into),
    };
    play(
        &mut state,
        &[
            (0, EventKind::StepStarted { attempt: 1 }),
            (0, replied(&["c1"])),
            (0, start("c1", None)),
            (0, opened("q", RequestKind::UnknownOutcome, Some("c1"))),
            (0, EventKind::RequestAnswered { request: RequestId::new("q"), answer: approve() }),
            (0, start("c2", Some("c1"))),
            (0, call_ended("c2")),
        ],
    );
    assert_eq!(state.outcome(0).call.as_str(), "c2");
    assert_eq!(state.satisfied(0).collect::<Vec<_>>(), ["read"]);
}

#[test]
fn a_retry_makes_skipped_steps_pending_again_and_marks_completed_ones_stale() {
    let mut state = started(&[vec![], vec![0], vec![1], vec![2]]);
    let begin = || EventKind::StepStarted { attempt: 1 };
    play(
        &mut state,
        &[
            (0, begin()),
            (0, ended(StepStatus::Completed)),
            (1, begin()),
            (1, ended(StepStatus::Failed)),
            (2, ended(StepStatus::Skipped)),
            (3, ended(StepStatus::Skipped)),
        ],
    );
    let over = EventKind::RunEnded { status: RunStatus::Failed };
    state.apply(&place(None), 0, &over).unwrap();
    assert_eq!(state.status(), RunStatus::Failed);
    play(&mut state, &[(1, EventKind::StepReset { stale: vec![] })]);
    let statuses: Vec<StepStatus> = state.steps().iter().map(|step| step.status).collect();
    let pending = StepStatus::Pending;
    assert_eq!(statuses, [StepStatus::Completed, pending, pending, pending]);
    assert_eq!(state.ready_steps().collect::<Vec<_>>(), [1]);
    play(&mut state, &[(1, EventKind::StepStarted { attempt: 2 }), (1, ended(StepStatus::Completed))]);
    play(&mut state, &[(0, EventKind::StepReset { stale: vec![StepId::new("s1"), StepId::new("s2")] })]);
    assert_eq!(state.steps().iter().map(|step| step.stale).collect::<Vec<_>>(), [false, true, false, false]);
}

#[test]
fn a_run_cannot_be_said_to_have_ended_otherwise_than_its_steps_did() {
    let mut state = started(&[vec![]]);
    let claim = EventKind::RunEnded { status: RunStatus::Completed };
    assert!(state.apply(&place(None), 0, &claim).is_err());
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 }), (0, ended(StepStatus::Failed))]);
    assert_eq!(state.apply(&place(None), 0, &claim).unwrap_err().to_string(), "the run is Failed, not Completed");
}

// covers: T6 T10 T23 T24 T56
#[test]
fn a_step_keeps_what_it_called_what_that_gave_and_how_it_was_judged() {
    let mut state = started(&[vec![]]);
    assert_eq!((state.step(0).status, state.step(0).validation), (StepStatus::Pending, None));
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 }), (0, replied(&["c1", "c2"]))]);
    let start = |call: &str| EventKind::CallStarted {
        call: call.into(),
        tool: "read".into(),
        arguments: None,
        risk: Risk::Read,
        repeats: None,
    };
    play(&mut state, &[(0, start("c1")), (0, call_ended("c1"))]);
    play(&mut state, &[(0, start("c2")), (0, call_ended("c2"))]);
    let judged = |validation| EventKind::StepEnded {
        status: StepStatus::Completed,
        validation,
        result: Some(Content::inline("both are read")),
        reason: None,
        because: None,
        carried_from: None,
    };
    for validation in [ValidationStatus::Failed, ValidationStatus::Skipped] {
        let mut other = state.clone();
        play(&mut other, &[(0, judged(validation))]);
        assert_eq!(other.step(0).validation, Some(validation));
    }
    play(&mut state, &[(0, judged(ValidationStatus::Passed))]);

    let step = state.step(0);
    assert_eq!(
        (step.id.as_str(), step.status, step.validation),
        ("s0", StepStatus::Completed, Some(ValidationStatus::Passed))
    );
    assert_eq!(step.result, Some(Content::inline("both are read")));
    let ledger: Vec<_> = state
        .entries_of(0)
        .map(|entry| match &entry.state {
            CallState::Ended(end) => (entry.call.as_str(), entry.tool.as_str(), end.status, end.output.clone()),
            other => panic!("{other:?}"),
        })
        .collect();
    let found = || Content::inline("found");
    assert_eq!(ledger, [("c1", "read", CallStatus::Success, found()), ("c2", "read", CallStatus::Success, found())]);
}
