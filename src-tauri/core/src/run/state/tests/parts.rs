//! What becomes of the parts of a step when it is done again.

use serde_json::json;

use super::{approve, ended, opened, place, play, started};
use crate::plan::Step;
use crate::run::state::RunState;
use crate::run::{Answer, EventKind, RequestKind, StepStatus};

/// One part, named as the steps of the other tests are.
fn handed_on(id: &str) -> EventKind {
    let step: Step = serde_json::from_value(json!({"id": id, "description": "a part"})).unwrap();
    EventKind::StepDelegated { summary: String::new(), steps: vec![step] }
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
