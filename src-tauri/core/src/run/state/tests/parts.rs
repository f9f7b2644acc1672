//! What becomes of the parts of a step when it is done again.

use serde_json::json;

use super::{approve, call_ended, ended, opened, place, play, replied, started};
use crate::contract::Risk;
use crate::plan::Step;
use crate::run::state::RunState;
use crate::run::{Answer, EventKind, RequestKind, RunStatus, StepStatus};

/// One part, named as the steps of the other tests are.
fn handed_on(id: &str) -> EventKind {
    let step: Step = serde_json::from_value(json!({"id": id, "description": "a part"})).unwrap();
    EventKind::StepDelegated {
        summary: String::new(),
        steps: vec![step],
        by: None,
        call: None,
        prompt: None,
        does: None,
    }
}

fn begun(attempt: u32) -> EventKind {
    EventKind::StepStarted { attempt }
}

fn again() -> EventKind {
    EventKind::StepReset { stale: vec![] }
}

fn answered(request: &str, answer: Answer) -> EventKind {
    EventKind::RequestAnswered { request: request.into(), answer, file: None }
}

#[test]
fn a_refusal_in_a_part_holds_later_effects_only_until_its_step_is_done_again() {
    let mut state = started(&[vec![], vec![]]);
    play(&mut state, &[(0, begun(1)), (0, handed_on("s2")), (2, begun(1))]);
    let no = answered("q0", Answer::Reject { reason: None });
    play(&mut state, &[(2, opened("q0", RequestKind::Confirm, None)), (2, no), (2, ended(StepStatus::Cancelled))]);
    play(&mut state, &[(0, ended(StepStatus::Cancelled))]);
    assert_eq!(state.refused_before(1), Some(2));
    play(&mut state, &[(0, again()), (0, begun(2)), (0, handed_on("s3")), (3, begun(1))]);
    assert_eq!(state.refused_before(1), None, "the part in which it was refused counts no more");
    let yes = answered("q1", approve());
    play(&mut state, &[(3, opened("q1", RequestKind::Confirm, None)), (3, yes)]);
    assert_eq!(state.refused_before(1), None);
}

#[test]
fn a_part_of_an_earlier_attempt_is_not_done_again_because_of_another_step() {
    let mut state = started(&[vec![], vec![]]);
    let skipped = EventKind::StepEnded {
        status: StepStatus::Skipped,
        validation: crate::run::ValidationStatus::Skipped,
        result: None,
        reason: None,
        because: Some("s0".into()),
        carried_from: None,
    };
    play(&mut state, &[(0, begun(1)), (0, ended(StepStatus::Cancelled)), (1, begun(1)), (1, handed_on("s2"))]);
    play(&mut state, &[(2, skipped), (1, ended(StepStatus::Failed))]);
    let mut kept = state.clone();
    play(&mut kept, &[(0, again())]);
    assert_eq!(kept.ready_steps().collect::<Vec<_>>(), [0], "nor because of it while its own step is over");

    play(&mut state, &[(1, again()), (1, begun(2)), (0, again())]);
    assert_eq!(state.ready_steps().collect::<Vec<_>>(), [0]);
    assert_eq!(state.step(2).status, StepStatus::Skipped);
    assert_eq!(state.count(StepStatus::Skipped), 0, "it is not counted");
}

#[test]
fn a_step_does_not_begin_anew_while_parts_of_its_parts_go_on() {
    let mut state = started(&[vec![]]);
    play(&mut state, &[(0, begun(1)), (0, handed_on("s1")), (1, begun(1)), (1, handed_on("s2"))]);
    let refuses = |state: &RunState, attempt: u32| {
        let mut state = state.clone();
        state.apply(&place(Some(0)), 0, &begun(attempt)).is_err()
    };
    assert!(refuses(&state, 2));
    play(&mut state, &[(1, ended(StepStatus::Cancelled)), (0, ended(StepStatus::Cancelled)), (0, again())]);
    assert!(refuses(&state, 2), "the part of the part can still begin");
    play(&mut state, &[(2, ended(StepStatus::Skipped)), (0, begun(2))]);
    assert_eq!((state.step(0).children().len(), state.count(StepStatus::Cancelled)), (0, 0));
}

fn calls(id: &str, call: &str) -> EventKind {
    let step: Step = serde_json::from_value(json!({"id": id, "description": "an agent"})).unwrap();
    EventKind::StepDelegated {
        summary: String::new(),
        steps: vec![step],
        by: None,
        call: Some(call.into()),
        prompt: None,
        does: None,
    }
}

fn call_begun(call: &str) -> EventKind {
    EventKind::CallStarted { call: call.into(), tool: "run_x".into(), arguments: None, risk: Risk::Read, repeats: None }
}

#[test]
fn a_step_waits_for_the_agent_that_it_called_and_goes_on_with_what_it_gave() {
    let mut state = started(&[vec![]]);
    play(&mut state, &[(0, begun(1)), (0, replied(&["c0", "c1"])), (0, call_begun("c0")), (0, calls("s1", "c0"))]);
    assert!(state.is_delegating(0) && !state.has_handed_on(0));
    assert_eq!((state.ready_steps().collect::<Vec<_>>(), state.ledger()[0].carried_out_by), (vec![1], Some(1)));
    // One at a time, and only for a call of this step that has begun.
    for (event, wrong) in
        [(calls("s2", "c0"), "taken"), (calls("s2", "c1"), "not begun"), (calls("s2", "c9"), "nobody's")]
    {
        assert!(state.clone().apply(&place(Some(0)), 0, &event).is_err(), "{wrong}");
    }
    play(&mut state, &[(1, begun(1)), (1, ended(StepStatus::Completed)), (0, call_ended("c0"))]);
    assert!(!state.is_delegating(0) && !state.has_handed_on(0));
    play(&mut state, &[(0, call_begun("c1")), (0, calls("s2", "c1"))]);
    assert_eq!(state.step(0).children(), [1, 2]);
}

#[test]
fn an_agent_that_failed_counts_as_the_call_that_it_was_and_a_refusal_in_one_stays_a_refusal() {
    let mut state = started(&[vec![], vec![]]);
    play(&mut state, &[(0, begun(1)), (0, replied(&["c0"])), (0, call_begun("c0")), (0, calls("s2", "c0"))]);
    play(&mut state, &[(2, begun(1)), (2, ended(StepStatus::Failed)), (0, call_ended("c0"))]);
    play(&mut state, &[(0, ended(StepStatus::Completed)), (1, begun(1)), (1, ended(StepStatus::Completed))]);
    assert_eq!(state.final_status(), RunStatus::Completed, "the step that called it has mended that");
    assert_eq!(state.step(0).children(), [2], "it is still shown");

    let mut state = started(&[vec![], vec![]]);
    play(&mut state, &[(0, begun(1)), (0, replied(&["c0"])), (0, call_begun("c0")), (0, calls("s2", "c0"))]);
    let no = answered("q0", Answer::Reject { reason: None });
    play(&mut state, &[(2, begun(1)), (2, opened("q0", RequestKind::Confirm, None)), (2, no)]);
    play(&mut state, &[(2, ended(StepStatus::Cancelled)), (0, call_ended("c0"))]);
    assert_eq!(state.refused_before(1), Some(2));
}
