//! Random runs: whatever order events come in, the state stays lawful, and a fold can be cut anywhere.

use expect_test::expect_file;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use serde_json::json;

use super::{approve, call_ended, ended, opened, place, plan, replied, skipped};
use crate::contract::{Fault, Risk, Stage};
use crate::heap::Expanded;
use crate::ids::RunId;
use crate::plan::{Plan, Step};
use crate::run::state::{CallState, RequestState, RunState};
use crate::run::{Answer, Event, EventKind, KEEP_GOING, RequestKind, RequestStatus, RunStatus, StepStatus};

/// What a person may be asked.
const KINDS: [RequestKind; 6] = [
    RequestKind::Question,
    RequestKind::Confirm,
    RequestKind::Permit,
    RequestKind::UnknownOutcome,
    RequestKind::Cap,
    RequestKind::Help,
];

/// What a person may choose where they are asked about a limit, or about a call of unknown outcome.
const CHOICES: [&str; 5] = [KEEP_GOING, "stop here", "done", "run again", "skip"];

/// How many are folded by the page as well.
const HISTORIES: usize = 24;

/// More steps than that are not delegated: enough for parts of parts, and for attempts that leave theirs behind.
const MOST_STEPS: usize = 24;

/// An event for a number: most are lawful at some time, many are not just now.
fn event(state: &RunState, choice: (u8, u8, u8)) -> (Option<usize>, EventKind) {
    let (what, which, other) = choice;
    let step = usize::from(which) % state.steps().len();
    let entries = state.ledger().len().max(1);
    let call = format!("c{}", usize::from(other) % entries);
    let request = format!("q{}", usize::from(other) % state.requests().len().max(1));
    let fresh_call = format!("c{}", state.ledger().len());
    let fresh_request = format!("q{}", state.requests().len());
    let kind = match what % 32 {
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
        12 | 13 => opened(&fresh_request, KINDS[usize::from(other) % KINDS.len()], None),
        14 => EventKind::RequestAnswered { request: request.as_str().into(), answer: approve(), file: None },
        15 => EventKind::RequestAnswered {
            request: request.as_str().into(),
            answer: Answer::Reject { reason: None },
            file: None,
        },
        16 => EventKind::RequestCancelled { request: request.as_str().into(), reason: "gone".into() },
        17 | 18 => ended(StepStatus::Completed),
        19 => ended([StepStatus::Failed, StepStatus::Cancelled][usize::from(other) % 2]),
        20 if other.is_multiple_of(2) => skipped(state.step(usize::from(other / 2) % state.steps().len()).id.as_str()),
        20 => ended(StepStatus::Skipped),
        21 => EventKind::StepReset { stale: state.steps().iter().map(|step| step.id.clone()).collect() },
        22 => EventKind::CallStarted {
            call: fresh_call.as_str().into(),
            tool: "read".into(),
            arguments: None,
            risk: Risk::Write,
            repeats: Some(call.as_str().into()),
        },
        23 if other.is_multiple_of(16) => EventKind::RunEnded { status: RunStatus::Cancelled },
        23 => EventKind::RunEnded { status: state.final_status() },
        rarer => rarer_event(state, rarer, &call, &request, usize::from(other)),
    };
    (Some(step), kind)
}

/// What happens in few runs: steps that are brought to leaves or handed on, refusals, requests about calls, and answers
/// that are values.
fn rarer_event(state: &RunState, what: u8, call: &str, request: &str, other: usize) -> EventKind {
    let fault = Fault::new(Stage::Scope, "there is no such tool");
    match what {
        24 => EventKind::CallRefused { call: call.into(), fault },
        25 if state.steps().len() < MOST_STEPS => delegated(state.steps().len(), other),
        26 if other.is_multiple_of(2) && state.steps().len() < MOST_STEPS => called(state.steps().len(), call),
        25 | 26 => {
            let (from, leaf) = ("a".to_owned(), format!("a__part{other}"));
            let expanded = Expanded { root: from.clone(), from, leaf, path: vec![], calls: other };
            EventKind::StepExpanded { expanded: Box::new(expanded) }
        }
        27 => EventKind::Reprompted { fault: Box::new(fault) },
        28 if other.is_multiple_of(16) => EventKind::RunStopAsked,
        29 => {
            let fresh = format!("q{}", state.requests().len());
            opened(&fresh, KINDS[other % KINDS.len()], Some(call))
        }
        _ => EventKind::RequestAnswered {
            request: request.into(),
            answer: Answer::Value { value: json!(CHOICES[other % CHOICES.len()]) },
            file: None,
        },
    }
}

/// One to three steps, some of which wait for the one before.
fn delegated(first: usize, other: usize) -> EventKind {
    let step = |at: usize| -> Step {
        let waits = at > 0 && (other >> at) % 2 == 1;
        let on: Vec<String> = waits.then(|| format!("s{}", first + at - 1)).into_iter().collect();
        serde_json::from_value(json!({"id": format!("s{}", first + at), "description": "a part", "dependencies": on}))
            .unwrap()
    };
    EventKind::StepDelegated {
        summary: String::new(),
        steps: (0..1 + other % 3).map(step).collect(),
        by: None,
        call: None,
        prompt: None,
        does: None,
    }
}

/// The step that carries out a call of an agent.
fn called(first: usize, call: &str) -> EventKind {
    let step = serde_json::from_value(json!({"id": format!("s{first}"), "description": "an agent"})).unwrap();
    EventKind::StepDelegated {
        summary: String::new(),
        steps: vec![step],
        by: None,
        call: Some(call.into()),
        prompt: None,
        does: None,
    }
}

/// Whether a step is one of the plan, or a part of what a step has handed on in its current attempt.
fn counts(state: &RunState, at: usize) -> bool {
    let parent = state.step(at).parent();
    !state.step(at).discounted
        && parent.is_none_or(|parent| state.step(parent).children().contains(&at) && counts(state, parent))
}

pub(super) fn check_invariants(state: &RunState) {
    let completed = |at: &usize| state.step(*at).status == StepStatus::Completed;
    let lost = |at: &usize| state.step(*at).status.is_settled() && !completed(at);
    let pending = |at: &usize| state.step(*at).status == StepStatus::Pending;
    let (all, dropped): (Vec<usize>, Vec<usize>) = (0..state.steps().len()).partition(|at| counts(state, *at));
    assert!(dropped.iter().all(|at| state.step(*at).status.is_settled()), "what counts no more is over");
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
    let helps = state.open_requests().filter(|request| request.request.kind == RequestKind::Help).count();
    assert_eq!(state.is_paused(), helps > 0);
    assert!(!state.is_paused() || over || state.status() == RunStatus::WaitingForUser);
    // Whatever waits, waits for somebody who can still answer.
    assert!(count(StepStatus::Waiting) == 0 || open > 0);
    // No silent deadlock: while anything is left to do, somebody can do something.
    let left = all.iter().any(|at| !state.step(*at).status.is_settled());
    let at_work = |at: &&usize| state.step(**at).status == StepStatus::InProgress && !state.is_delegating(**at);
    let at_work = all.iter().filter(at_work).count();
    let can_go_on = at_work + count(StepStatus::Waiting) + ready.len() + doomed.len() > 0;
    assert!(over || !left || can_go_on);
    assert_eq!(state.status() == RunStatus::Synthesizing, !left && !over);
    for entry in state.ledger() {
        assert!(entry.repeated_by.is_none() || matches!(entry.state, CallState::Open));
    }
    // An effect waits just where an earlier step, or an earlier part of the same, has a decision open.
    let decisions = || {
        use RequestKind::{Confirm, Help, Question};
        state.open_requests().filter(|open| matches!(open.request.kind, Confirm | Question | Help))
    };
    for at in 0..state.steps().len() {
        let is_before = |asks: usize| (state.outermost(asks), asks) < (state.outermost(at), at);
        let earlier = decisions().filter(|open| open.step.is_some_and(is_before)).count();
        let barrier = state.barrier(at);
        assert_eq!(barrier.is_some(), earlier > 0, "step {at} and {barrier:?}");
        let is_one = |barrier: &RequestState| decisions().any(|open| open.request.id == barrier.request.id);
        assert!(barrier.is_none_or(is_one), "step {at} waits for {barrier:?}");
        // A refusal counts until its step is to be done again.
        let again = state.refused_before(at).filter(|refused| pending(&state.outermost(*refused)));
        assert_eq!(again, None, "step {at} is barred by what is asked once more");
    }
}

pub(super) fn dependencies() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..7).prop_map(|steps| {
        let earlier = |at: usize, on: &[prop::sample::Index]| match at {
            0 => Vec::new(),
            _ => on.iter().map(|index| index.index(at)).collect(),
        };
        steps.iter().enumerate().map(|(at, on)| earlier(at, on)).collect()
    })
}

/// Plays these choices, checks the state after each, and folds what was written from its text, in two parts: it gives
/// the same state.
/// How many of the choices the state took.
fn play_at_random(dependencies: &[Vec<usize>], choices: &[(u8, u8, u8)], cut: prop::sample::Index) -> usize {
    let plan = plan(dependencies);
    let (state, history) = lived_through(&plan, choices, |_| ());
    let written: Vec<String> = history.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let fold = |from: RunState, events: &[String]| {
        events.iter().fold(from, |mut state, line| {
            let event: Event = serde_json::from_str(line).unwrap();
            state.apply(&event.place, event.at, &event.kind).unwrap();
            state
        })
    };
    let cut = cut.index(written.len());
    let start = RunState::new(RunId::new("r"), &plan);
    let half = fold(start, &written[..cut]);
    assert_eq!(fold(half, &written[cut..]), state, "what was written gives the state that was lived through");
    history.len() - 1
}

/// The choices that a run takes, as events, and what they come to; `after` sees the state after each.
fn lived_through(plan: &Plan, choices: &[(u8, u8, u8)], mut after: impl FnMut(&RunState)) -> (RunState, Vec<Event>) {
    let mut state = RunState::new(RunId::new("r"), plan);
    state.apply(&place(None), 0, &EventKind::RunStarted).unwrap();
    let mut history = vec![Event { seq: 0, place: place(None), at: 0, kind: EventKind::RunStarted }];
    after(&state);
    for (at, choice) in choices.iter().enumerate() {
        let (step, kind) = event(&state, *choice);
        let before = state.clone();
        match state.apply(&place(step), at as i64, &kind) {
            Err(_) => assert_eq!(before, state, "what is refused changes nothing"),
            Ok(()) => {
                check_transitions(&before, &state, &kind);
                history.push(Event { seq: history.len() as u64, place: place(step), at: at as i64, kind });
                after(&state);
            }
        }
        check_invariants(&state);
    }
    (state, history)
}

/// How a run stands, as the page's fold can tell it too: of each step a letter (`-` for one that counts no more), then
/// the open requests.
fn told(state: &RunState) -> String {
    let letter = |at: usize| match state.step(at).status {
        _ if !counts(state, at) => '-',
        StepStatus::Pending => 'p',
        StepStatus::InProgress => 'i',
        StepStatus::Waiting => 'w',
        StepStatus::Completed => 'c',
        StepStatus::Failed => 'f',
        StepStatus::Skipped => 's',
        StepStatus::Cancelled => 'x',
    };
    let open = state.open_requests().map(|open| format!(" {}", open.request.id));
    (0..state.steps().len()).map(letter).chain(open.collect::<String>().chars()).collect()
}

#[test]
fn histories_for_the_fold_of_the_page_say_how_a_run_stands_after_each_event() {
    let mut runner = TestRunner::deterministic();
    let mut lines = Vec::new();
    // Long enough for something to happen, and together short enough to be kept.
    while lines.len() < HISTORIES {
        let plan = plan(&dependencies().new_tree(&mut runner).unwrap().current());
        let choices = choices().new_tree(&mut runner).unwrap().current();
        let mut stands = Vec::new();
        let (_, events) = lived_through(&plan, &choices, |state| stands.push(told(state)));
        if (20..60).contains(&events.len()) {
            lines.push(serde_json::to_string(&json!({"events": events, "stands": stands})).unwrap());
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/src/model/histories.test-data.jsonl");
    expect_file![file].assert_eq(&format!("{}\n", lines.join("\n")));
}

/// What one event may make of steps and requests.
fn check_transitions(before: &RunState, after: &RunState, kind: &EventKind) {
    use StepStatus::{Cancelled, Completed, Failed, InProgress, Pending, Skipped, Waiting};
    let reset = matches!(kind, EventKind::StepReset { .. });
    let begins = matches!(kind, EventKind::StepStarted { .. } | EventKind::CallStarted { .. });
    assert!(!begins || !before.is_paused(), "{kind:?} while a person's help is awaited");
    for (was, is) in before.steps().iter().zip(after.steps()) {
        let lawful = match (was.status, is.status) {
            (one, other) if one == other => true,
            (Pending, InProgress) => was.dependencies().iter().all(|on| before.step(*on).status == Completed),
            (Pending, Skipped | Cancelled) => true,
            // A step that an earlier run completed.
            (Pending, Completed) => matches!(kind, EventKind::StepEnded { carried_from: Some(_), .. }),
            (InProgress, Waiting | Completed | Failed | Skipped | Cancelled) => true,
            (Waiting, InProgress | Failed | Skipped | Cancelled) => true,
            (Completed | Failed | Skipped | Cancelled, Pending) => reset,
            _ => false,
        };
        assert!(lawful, "{:?} became {:?} by {kind:?}", was.status, is.status);
    }
    for (was, is) in before.ledger().iter().zip(after.ledger()) {
        use CallState::{Ended, Open, Planned, Refused, Suspended};
        let lawful = match (&was.state, &is.state) {
            (one, other) if one == other => true,
            (Planned, Open | Suspended | Refused(_)) => true,
            (Open, Suspended | Ended(_)) => true,
            (Suspended, Open | Ended(_) | Refused(_)) => true,
            _ => false,
        };
        assert!(lawful, "call {}: {:?} became {:?} by {kind:?}", was.call, was.state, is.state);
    }
    for (was, is) in before.requests().iter().zip(after.requests()) {
        let settled = was.status != RequestStatus::Open;
        assert!(!settled || (was.status, &was.answer) == (is.status, &is.answer), "settled twice by {kind:?}");
    }
}

fn choices() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec(any::<(u8, u8, u8)>(), 0..250)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    // covers: T6 T12 T15
    #[test]
    fn any_order_of_events_leaves_a_lawful_state(
        dependencies in dependencies(),
        choices in choices(),
        cut in any::<prop::sample::Index>(),
    ) {
        play_at_random(&dependencies, &choices, cut);
    }
}

#[test]
#[ignore = "minutes: run it with --ignored when a state machine has changed"]
fn a_million_lawful_events_in_random_order_leave_lawful_states() {
    let mut runner = TestRunner::deterministic();
    let runs = (dependencies(), choices(), any::<prop::sample::Index>());
    let (mut tried, mut taken, mut played) = (0, 0, 0);
    // Refused events prove little: only those that the state took are counted.
    while taken < 1_000_000 {
        let (dependencies, choices, cut) = runs.new_tree(&mut runner).unwrap().current();
        taken += play_at_random(&dependencies, &choices, cut);
        tried += choices.len();
        played += 1;
    }
    // `bench/run recovery` reads this line.
    eprintln!("{taken} lawful, {tried} tried, {played} histories");
}
