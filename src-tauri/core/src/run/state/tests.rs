//! What each event does to a run.

mod again;
mod parts;
mod random;
mod written;

use serde_json::json;

use super::{CallState, Conflict, RunState};
use crate::contract::Risk;
use crate::heap::Expanded;
use crate::ids::{RequestId, RunId, SessionId, StepId};
use crate::plan::{Plan, Step};
use crate::run::{
    Answer, CallStatus, Content, EventKind, Input, InputKind, Place, PlannedCall, Purpose, Reach, Request, RequestKind,
    RunStatus, StepStatus, Usage, ValidationStatus,
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
        before: 0,
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

/// A step that is left out because of another.
fn skipped(because: &str) -> EventKind {
    let mut kind = ended(StepStatus::Skipped);
    if let EventKind::StepEnded { because: cause, .. } = &mut kind {
        *cause = Some(because.into());
    }
    kind
}

fn call_ended(call: &str) -> EventKind {
    EventKind::CallEnded {
        call: call.into(),
        status: CallStatus::Success,
        output: Content::inline("found"),
        error: None,
        satisfied: true,
        missed: None,
        met: false,
        by: None,
        duration_ms: 0,
    }
}

fn start_call(call: &str) -> EventKind {
    EventKind::CallStarted { call: call.into(), tool: "read".into(), arguments: None, risk: Risk::Read, repeats: None }
}

fn opened(id: &str, kind: RequestKind, call: Option<&str>) -> EventKind {
    let input = Input { kind: InputKind::Decision, options: Vec::new(), allow_edit: false, allow_text: false };
    let request = Request { call: call.map(Into::into), ..Request::new(id.into(), kind, "May I?", input) };
    EventKind::RequestOpened { request: Box::new(request) }
}

fn approve() -> Answer {
    Answer::Approve { arguments: None, note: None, reach: Reach::Once }
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

    let reject =
        EventKind::RequestAnswered { request: "q".into(), answer: Answer::Reject { reason: None }, file: None };
    play(&mut state, &[(1, reject.clone())]);
    assert_eq!((state.refused_before(1), state.refused_before(2)), (None, Some(1)));
    assert_eq!(state.step(2).status, StepStatus::InProgress);
    let second = state.apply(&place(Some(1)), 0, &reject).unwrap_err();
    assert_eq!(second.to_string(), "request q is already answered");
    // What was on its way meanwhile waits for nothing.
    let late = EventKind::CallHeld { call: "c".into(), request: "q".into() };
    play(&mut state, &[(2, late)]);
    assert_eq!((state.step(2).status, state.open_requests().count()), (StepStatus::InProgress, 0));
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
            (0, EventKind::RequestAnswered { request: RequestId::new("q"), answer: approve(), file: None }),
            (0, start("c2", Some("c1"))),
            (0, call_ended("c2")),
        ],
    );
    assert_eq!(state.outcome(0).call.as_str(), "c2");
    assert_eq!(state.satisfied(0).collect::<Vec<_>>(), ["read"]);
}

#[test]
fn replies_that_had_not_the_asked_form_count_as_calls_of_the_model() {
    let mut state = started(&[vec![]]);
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 }), (0, replied(&[]))]);
    let mut repaired = replied(&[]);
    if let EventKind::ModelReplied { before, .. } = &mut repaired {
        *before = 2;
    }
    assert_eq!(state.model_calls(), 1);
    play(&mut state, &[(0, repaired)]);
    assert_eq!(state.model_calls(), 4);
}

#[test]
fn a_call_that_wrote_something_else_counts_only_beside_one_that_wrote_what_its_step_names() {
    let call = |id: &str, tool: &str, risk: Risk, missed: Option<&str>, met: bool| {
        let (id, tool) = (id.to_owned(), tool.to_owned());
        let planned = PlannedCall { id: id.as_str().into(), tool: tool.clone(), arguments: Content::inline(json!({})) };
        let mut asked = replied(&[]);
        let EventKind::ModelReplied { calls, .. } = &mut asked else { unreachable!() };
        *calls = vec![planned];
        let start = EventKind::CallStarted { call: id.as_str().into(), tool, arguments: None, risk, repeats: None };
        let mut end = call_ended(&id);
        if let EventKind::CallEnded { missed: of, met: with, .. } = &mut end {
            (*of, *with) = (missed.map(str::to_owned), met);
        }
        [(0, asked), (0, start), (0, end)]
    };
    let mut state = started(&[vec![]]);
    let counts = |state: &RunState| state.satisfied(0).map(str::to_owned).collect::<Vec<_>>();
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 })]);
    play(&mut state, &call("c1", "read", Risk::Read, Some("a.txt"), false));
    play(&mut state, &call("c2", "edit_file", Risk::Write, Some("a.txt"), false));
    play(&mut state, &call("c3", "post", Risk::Network, Some("a.example"), false));
    assert_eq!(counts(&state), [""; 0], "nothing of the step was touched");
    play(&mut state, &call("c4", "grep", Risk::Read, None, false));
    play(&mut state, &call("c5", "bash", Risk::Execute, None, false));
    assert_eq!(counts(&state), ["grep", "bash"], "what may have been anything proves nothing for another");
    play(&mut state, &call("c6", "bash", Risk::Execute, None, true));
    let all = counts(&state);
    assert_eq!(all, ["edit_file", "grep", "bash", "bash"], "a change is no look, and no word to somebody");
}

fn delegated(ids: &[(&str, &[&str])]) -> EventKind {
    let step = |(id, after): &(&str, &[&str])| Step {
        parent_id: Some(StepId::new("s0")),
        dependencies: after.iter().map(|on| StepId::from(*on)).collect(),
        ..Step::new(StepId::from(*id), "do a part")
    };
    EventKind::StepDelegated {
        summary: "Two parts.".into(),
        steps: ids.iter().map(step).collect(),
        by: None,
        call: None,
        prompt: None,
        does: None,
    }
}

fn play_by_id(state: &mut RunState, events: &[(&str, EventKind)]) {
    for (step, kind) in events {
        let place = Place { step: Some(StepId::from(*step)), ..place(None) };
        state.apply(&place, 0, kind).unwrap();
    }
}

// covers: H69 H77
#[test]
fn steps_that_are_handed_on_are_steps_of_the_run_and_hold_the_one_above_them() {
    let mut state = started(&[vec![], vec![0], vec![]]);
    let begin = || EventKind::StepStarted { attempt: 1 };
    play_by_id(&mut state, &[("s0", begin()), ("s0", delegated(&[("s0/1", &[]), ("s0/2", &["s0/1"])]))]);
    assert_eq!((state.steps().len(), state.step(0).children()), (5, &[3, 4][..]));
    assert_eq!((state.step(4).parent(), state.outermost(4), state.step(4).dependencies()), (Some(0), 0, &[3][..]));
    assert!(state.is_delegating(0));
    assert_eq!(state.ready_steps().collect::<Vec<_>>(), [2, 3], "the second part waits for the first");
    assert!(state.apply(&place(Some(0)), 0, &ended(StepStatus::Completed)).is_err(), "its parts are not done");

    // A confirmation in the first part holds the second and what stands later in the plan, not what stands before.
    play_by_id(&mut state, &[("s0/1", begin()), ("s0/1", opened("q", RequestKind::Confirm, None))]);
    let barred: Vec<bool> = (0..5).map(|step| state.barrier(step).is_some()).collect();
    assert_eq!(barred, [false, true, true, false, true]);
    play_by_id(&mut state, &[("s2", begin()), ("s2", ended(StepStatus::Completed))]);
    assert_eq!(state.status(), RunStatus::Suspended, "only a person can help, though a step above is in progress");

    // A part can be handed on once more.
    let answer = EventKind::RequestAnswered { request: "q".into(), answer: approve(), file: None };
    play_by_id(&mut state, &[("s0/1", answer), ("s0/1", delegated(&[("s0/1/1", &[])])), ("s0/1/1", begin())]);
    assert_eq!((state.outermost(5), state.status()), (0, RunStatus::Running));
    play_by_id(&mut state, &[("s0/1/1", replied(&["c"])), ("s0/1/1", start_call("c")), ("s0/1/1", call_ended("c"))]);
    assert!(state.has_called(0, "read") && !state.has_called(1, "read"));
    play_by_id(
        &mut state,
        &[
            ("s0/1/1", ended(StepStatus::Completed)),
            ("s0/1", ended(StepStatus::Completed)),
            ("s0/2", begin()),
            ("s0/2", ended(StepStatus::Failed)),
            ("s0", ended(StepStatus::Failed)),
            ("s1", skipped("s0")),
        ],
    );
    assert_eq!(state.final_status(), RunStatus::Failed);

    // Done again, the step begins without parts, and the earlier ones count no more.
    let reset = EventKind::StepReset { stale: vec![] };
    let alone = state.apply(&Place { step: Some("s0/2".into()), ..place(None) }, 0, &reset).unwrap_err();
    assert_eq!(alone.to_string(), "step s0/2 is a part of step s0: have that one done again");
    let again = EventKind::StepStarted { attempt: 2 };
    play_by_id(&mut state, &[("s0", reset), ("s0", again), ("s0", delegated(&[("s0/3", &[])])), ("s0/3", begin())]);
    assert_eq!((state.step(0).children(), state.step(0).delegated()), (&[6][..], 3));
    let done = || ended(StepStatus::Completed);
    play_by_id(&mut state, &[("s0/3", done()), ("s0", done()), ("s1", begin()), ("s1", done())]);
    assert!(state.all_settled());
    assert_eq!(state.final_status(), RunStatus::Completed);
}

#[test]
fn what_cannot_be_handed_on_changes_nothing() {
    let mut state = started(&[vec![], vec![]]);
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 })]);
    let refused = |state: &mut RunState, step: usize, kind: &EventKind| {
        let before = state.clone();
        assert!(state.apply(&place(Some(step)), 0, kind).is_err());
        assert_eq!(*state, before);
    };
    refused(&mut state, 1, &delegated(&[("s1/1", &[])]));
    refused(&mut state, 0, &delegated(&[]));
    refused(&mut state, 0, &delegated(&[("s1", &[])]));
    refused(&mut state, 0, &delegated(&[("s0/1", &[]), ("s0/1", &[])]));
    refused(&mut state, 0, &delegated(&[("s0/1", &["s0/2"]), ("s0/2", &[])]));
    refused(&mut state, 0, &delegated(&[("s0/1", &["s1"])]));
    play(&mut state, &[(0, delegated(&[("s0/1", &[])]))]);
    refused(&mut state, 0, &delegated(&[("s0/2", &[])]));
}

#[test]
fn a_step_that_was_brought_to_a_leaf_keeps_how() {
    let mut state = started(&[vec![]]);
    let expanded = Expanded { from: "a".into(), root: "a".into(), leaf: "a__part2".into(), path: vec![], calls: 1 };
    let kind = EventKind::StepExpanded { expanded: Box::new(expanded.clone()) };
    play(&mut state, &[(0, kind.clone()), (0, EventKind::StepStarted { attempt: 1 })]);
    assert_eq!(state.step(0).expanded.as_deref(), Some(&expanded));
    play(&mut state, &[(0, ended(StepStatus::Failed)), (0, EventKind::StepReset { stale: vec![] })]);
    assert_eq!(state.step(0).expanded.as_deref(), Some(&expanded), "a retry is done by the same leaf");
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 2 }), (0, ended(StepStatus::Failed))]);
    assert!(state.apply(&place(Some(0)), 0, &kind).is_err(), "it is over");
}

#[test]
fn a_run_cannot_be_said_to_have_ended_otherwise_than_its_steps_did() {
    let mut state = started(&[vec![]]);
    let claim = EventKind::RunEnded { status: RunStatus::Completed };
    assert!(state.apply(&place(None), 0, &claim).is_err());
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 }), (0, ended(StepStatus::Failed))]);
    assert_eq!(state.apply(&place(None), 0, &claim).unwrap_err().to_string(), "the run is failed, not completed");
}

#[test]
fn once_a_stop_is_asked_for_nothing_may_begin_and_what_was_written_before_is_still_read() {
    let mut state = started(&[vec![], vec![]]);
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 }), (0, replied(&["a"]))]);
    let begins = || [EventKind::StepStarted { attempt: 1 }, start_call("a")];
    begins().iter().for_each(|kind| state.admits(kind).unwrap());
    state.apply(&place(None), 1, &EventKind::RunStopAsked).unwrap();
    let completed = EventKind::RunEnded { status: RunStatus::Completed };
    for kind in begins().iter().chain([&completed]) {
        assert_eq!(state.admits(kind), Err(Conflict::Stopped(RunId::new("r"))), "{kind:?}");
    }
    for kind in [call_ended("a"), ended(StepStatus::Cancelled), EventKind::RunEnded { status: RunStatus::Cancelled }] {
        assert_eq!(state.admits(&kind), Ok(()), "{kind:?}");
    }
    // A history of a version that did not ask this.
    play(&mut state, &[(0, start_call("a")), (0, call_ended("a"))]);
}

#[test]
fn a_step_that_was_taken_over_and_is_done_again_has_nothing_of_the_earlier_run() {
    let mut state = started(&[vec![]]);
    let EventKind::StepEnded { status, validation, result, reason, because, .. } = ended(StepStatus::Completed) else {
        panic!("it is an end");
    };
    let carried_from = Some(RunId::new("before"));
    let taken =
        EventKind::StepEnded { status, validation, result, reason, because, carried_from: carried_from.clone() };
    play(&mut state, &[(0, taken)]);
    assert_eq!(state.step(0).carried_from, carried_from);
    play(&mut state, &[(0, EventKind::StepReset { stale: vec![] })]);
    assert_eq!((state.step(0).status, &state.step(0).carried_from), (StepStatus::Pending, &None));
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
