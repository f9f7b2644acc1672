//! Steps that are done once more, and what comes along with them.

use super::{call_ended, ended, place, play, replied, skipped, started};
use crate::contract::Risk;
use crate::ids::StepId;
use crate::run::state::RunState;
use crate::run::{EventKind, RunStatus, StepStatus};

fn reset() -> EventKind {
    EventKind::StepReset { stale: vec![] }
}

fn writes(call: &str) -> [(usize, EventKind); 3] {
    let began = EventKind::CallStarted {
        call: call.into(),
        tool: "append".into(),
        arguments: None,
        risk: Risk::Write,
        repeats: None,
    };
    [(1, EventKind::StepStarted { attempt: 1 }), (1, replied(&[call])), (1, began)]
}

fn statuses(state: &RunState) -> Vec<StepStatus> {
    state.steps().iter().map(|step| step.status).collect()
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
            (2, skipped("s1")),
            (3, skipped("s2")),
        ],
    );
    let over = EventKind::RunEnded { status: RunStatus::Failed };
    state.apply(&place(None), 0, &over).unwrap();
    assert_eq!(state.status(), RunStatus::Failed);
    play(&mut state, &[(1, reset())]);
    let pending = StepStatus::Pending;
    assert_eq!(statuses(&state), [StepStatus::Completed, pending, pending, pending]);
    assert_eq!(state.ready_steps().collect::<Vec<_>>(), [1]);
    play(&mut state, &[(1, EventKind::StepStarted { attempt: 2 }), (1, ended(StepStatus::Completed))]);
    play(&mut state, &[(0, EventKind::StepReset { stale: vec![StepId::new("s1"), StepId::new("s2")] })]);
    assert_eq!(state.steps().iter().map(|step| step.stale).collect::<Vec<_>>(), [false, true, false, false]);
}

#[test]
fn a_step_that_a_person_has_left_out_does_not_come_along_with_the_one_it_builds_on() {
    let mut state = started(&[vec![], vec![0], vec![1]]);
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 }), (0, ended(StepStatus::Completed))]);
    play(&mut state, &writes("c"));
    // Nobody knows how its call ended, and a person leaves it out.
    play(&mut state, &[(1, ended(StepStatus::Skipped)), (2, skipped("s1")), (0, reset())]);
    assert_eq!(statuses(&state), [StepStatus::Pending, StepStatus::Skipped, StepStatus::Skipped]);
    play(&mut state, &[(1, reset())]);
    assert_eq!(
        statuses(&state),
        [StepStatus::Pending; 3],
        "their word about itself has it done again, and what follows"
    );
}

#[test]
fn a_step_that_has_begun_an_effect_is_not_begun_anew_with_the_one_that_ended_it() {
    let mut state = started(&[vec![], vec![], vec![]]);
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 })]);
    play(&mut state, &writes("c"));
    let stopped = |because: &str| {
        let mut kind = skipped(because);
        if let EventKind::StepEnded { status, .. } = &mut kind {
            *status = StepStatus::Cancelled;
        }
        kind
    };
    play(&mut state, &[(1, call_ended("c")), (0, ended(StepStatus::Cancelled)), (1, stopped("s0"))]);
    play(&mut state, &[(2, EventKind::StepStarted { attempt: 1 }), (2, stopped("s0")), (0, reset())]);
    assert_eq!(statuses(&state), [StepStatus::Pending, StepStatus::Cancelled, StepStatus::Pending]);
}

#[test]
fn a_step_that_was_done_since_does_not_come_along_with_the_one_that_ended_it_before() {
    let mut state = started(&[vec![], vec![]]);
    play(&mut state, &[(0, EventKind::StepStarted { attempt: 1 }), (0, ended(StepStatus::Cancelled))]);
    play(&mut state, &[(1, skipped("s0")), (1, reset()), (1, EventKind::StepStarted { attempt: 1 })]);
    play(&mut state, &[(1, ended(StepStatus::Completed)), (0, reset())]);
    assert_eq!(statuses(&state), [StepStatus::Pending, StepStatus::Completed]);
}
