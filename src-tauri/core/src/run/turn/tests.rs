//! Random histories of turns and of plan versions: whatever order events come in, no state is reached that the rules do
//! not know, and a fold can be cut anywhere.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::{PlanStatus, TurnState};
use crate::ids::Digest;
use crate::run::{Answer, Decider, Event, EventKind, Place, PlanRef, RunStatus, TurnStatus};

/// Turns and versions of one plan, as their events leave them.
#[derive(Debug, Clone, Default, PartialEq)]
struct World {
    turns: [Option<TurnState>; 3],
    versions: [Option<PlanStatus>; 3],
}

impl World {
    /// Takes an event in, unless the version that it names may not be given that status.
    fn take(&mut self, turn: usize, kind: &EventKind) -> bool {
        if let (Some(next), Some(version)) = (PlanStatus::said_by(kind), version_of(kind)) {
            let lawful = match self.versions[version] {
                None => next == PlanStatus::Proposed,
                Some(status) => status.may_become(next),
            };
            if !lawful {
                return false;
            }
            self.versions[version] = Some(next);
        }
        self.turns[turn] = Some(self.turns[turn].unwrap_or_default().after(kind));
        true
    }
}

fn version_of(kind: &EventKind) -> Option<usize> {
    match kind {
        EventKind::PlanProposed { plan, .. }
        | EventKind::PlanApproved { plan, .. }
        | EventKind::PlanRejected { plan, .. }
        | EventKind::PlanSuperseded { plan, .. } => Some(plan.version as usize - 1),
        _ => None,
    }
}

const ENDS: [TurnStatus; 4] = [TurnStatus::Answered, TurnStatus::Asked, TurnStatus::Failed, TurnStatus::Cancelled];

/// An event for a number; most make sense at some time, many not just now.
fn event((what, which, _): (u8, u8, u8)) -> EventKind {
    let version = which % 3 + 1;
    let plan = || PlanRef { id: "p".into(), version: u32::from(version), digest: Digest::of_bytes(&[version]) };
    match what % 16 {
        0 => EventKind::MessageReceived { text: "do it".into(), answers: None, replans: None },
        1..=3 => EventKind::PlanProposed { plan: plan(), faults: Vec::new() },
        4 | 5 => EventKind::PlanApproved { plan: plan(), by: Decider::User, note: None, starts: false },
        6 => EventKind::PlanRejected { plan: plan(), reason: None },
        7 => EventKind::PlanSuperseded { plan: plan(), by_version: 4 },
        8 => EventKind::RunQueued { plan: plan() },
        9 => EventKind::RunStarted,
        10 => EventKind::StepReset { stale: Vec::new() },
        11 => EventKind::RequestAnswered { request: "q".into(), answer: Answer::Reject { reason: None }, file: None },
        12 => EventKind::RunEnded { status: RunStatus::Completed },
        13 => EventKind::Warned { message: "look".into() },
        _ => EventKind::TurnEnded { status: ENDS[usize::from(which) % ENDS.len()], error: None },
    }
}

/// What the history of a turn says of it, read backwards: another way to the same state.
fn told_by(history: &[&EventKind]) -> TurnState {
    let goes_on = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::PlanApproved { starts: true, .. }
                | EventKind::RunQueued { .. }
                | EventKind::RunStarted
                | EventKind::StepReset { .. }
                | EventKind::RequestAnswered { .. }
        )
    };
    for (at, kind) in history.iter().enumerate().rev() {
        match kind {
            EventKind::TurnEnded { status, .. } => return TurnState::Over(*status),
            kind if goes_on(kind) => return TurnState::Running,
            EventKind::PlanApproved { .. } => {
                let over = |kind: &&EventKind| matches!(kind, EventKind::TurnEnded { .. });
                if !history[..at].iter().any(over) {
                    return TurnState::Running;
                }
            }
            _ => {}
        }
    }
    let proposed = history.iter().any(|kind| matches!(kind, EventKind::PlanProposed { .. }));
    if proposed { TurnState::Proposed } else { TurnState::Planning }
}

fn check_moves(before: &World, after: &World, kind: &EventKind) {
    use PlanStatus::{Approved, Proposed, Rejected, Superseded};
    for (was, is) in before.versions.iter().zip(&after.versions) {
        let lawful = match (was, is) {
            (one, other) if one == other => true,
            (None, Some(Proposed)) | (Some(Proposed), Some(Approved | Rejected | Superseded)) => true,
            (Some(Approved), Some(Superseded)) => true,
            _ => false,
        };
        assert!(lawful, "{was:?} became {is:?} by {kind:?}");
    }
    for (was, is) in before.turns.iter().zip(&after.turns) {
        let ended = matches!(kind, EventKind::TurnEnded { .. });
        let lawful = match (was.unwrap_or_default(), is.unwrap_or_default()) {
            (one, other) if one == other => true,
            (_, TurnState::Over(_)) => ended,
            (TurnState::Over(_), TurnState::Running) => !ended,
            (TurnState::Planning, TurnState::Proposed | TurnState::Running) => true,
            (TurnState::Proposed, TurnState::Running) => true,
            _ => false,
        };
        assert!(lawful, "{was:?} became {is:?} by {kind:?}");
        assert!(was == is || TurnState::is_moved_by(kind) || was.is_none());
    }
}

/// Plays these choices, checks each move, and folds what was written again from its text, in two parts.
fn play_at_random(choices: &[(u8, u8, u8)], cut: prop::sample::Index) -> usize {
    let mut world = World::default();
    let mut history: Vec<(usize, EventKind)> = Vec::new();
    for choice in choices {
        let (turn, kind) = (usize::from(choice.2) % 3, event(*choice));
        let before = world.clone();
        if world.take(turn, &kind) {
            check_moves(&before, &world, &kind);
            history.push((turn, kind));
        } else {
            assert_eq!(before, world, "what is refused changes nothing");
        }
    }
    for (turn, state) in world.turns.iter().enumerate() {
        let of_turn: Vec<&EventKind> = history.iter().filter(|(of, _)| *of == turn).map(|(_, kind)| kind).collect();
        assert_eq!(state.is_some(), !of_turn.is_empty());
        assert_eq!(state.unwrap_or_default(), told_by(&of_turn), "{of_turn:?}");
    }
    let written: Vec<String> = history
        .iter()
        .enumerate()
        .map(|(at, (turn, kind))| {
            let turn = Some(format!("t{turn}").as_str().into());
            let place = Place { session: "c".into(), turn, run: None, step: None };
            let event = Event { seq: at as u64, place, at: 0, kind: kind.clone() };
            serde_json::to_string(&event).unwrap()
        })
        .collect();
    let fold = |from: World, events: &[String]| {
        events.iter().fold(from, |mut world, line| {
            let event: Event = serde_json::from_str(line).unwrap();
            let turn = event.place.turn.unwrap().as_str()[1..].parse().unwrap();
            assert!(world.take(turn, &event.kind));
            world
        })
    };
    let cut = cut.index(written.len() + 1);
    assert_eq!(fold(fold(World::default(), &written[..cut]), &written[cut..]), world);
    history.len()
}

fn choices() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec(any::<(u8, u8, u8)>(), 0..250)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_events_leaves_turns_and_versions_in_a_lawful_state(
        choices in choices(),
        cut in any::<prop::sample::Index>(),
    ) {
        play_at_random(&choices, cut);
    }
}

#[test]
#[ignore = "a minute: run it with --ignored when a state machine has changed"]
fn a_million_lawful_events_of_turns_and_versions_in_random_order_leave_lawful_states() {
    let mut runner = TestRunner::deterministic();
    let histories = (choices(), any::<prop::sample::Index>());
    let (mut tried, mut taken, mut played) = (0, 0, 0);
    // Refused events prove little: only those that were taken are counted.
    while taken < 1_000_000 {
        let (choices, cut) = histories.new_tree(&mut runner).unwrap().current();
        taken += play_at_random(&choices, cut);
        tried += choices.len();
        played += 1;
    }
    // `bench/run recovery` reads this line.
    eprintln!("{taken} lawful, {tried} tried, {played} histories");
}
