//! The loop guard: the same call with the same result is pointed out at the second time, refused at the third, and put
//! before a person at the fourth.

use assent_core::contract::{Fault, Stage};
use assent_core::run::{CallState, CallStatus, Content, LedgerEntry, RunState};

/// What the loop guard says of a call that is about to be made.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Guarded {
    /// Go on.
    Free,
    /// It is refused.
    Blocked(Fault),
    /// A person decides.
    Ask,
}

/// How often a call may come out the same before it is refused.
const SAME: usize = 2;

/// Judges a planned call by the calls of its step since a person last said "go on".
pub(super) fn guard(state: &RunState, at: usize, entry: usize) -> Guarded {
    let asked = &state.ledger()[entry];
    let step = state.step(at);
    let since = || step.calls.iter().skip(step.guard_from).copied().filter(|other| *other < entry);
    let same_call = |other: &usize| same_call(&state.ledger()[*other], asked);
    let ended: Vec<(&Content, CallStatus)> =
        since().filter(same_call).filter_map(|other| result(&state.ledger()[other])).collect();
    let Some(latest) = ended.last() else {
        return Guarded::Free;
    };
    let same = ended.iter().rev().take_while(|result| *result == latest).count();
    if same < SAME {
        return Guarded::Free;
    }
    let blocked = |other: usize| matches!(&state.ledger()[other].state, CallState::Refused(fault) if fault.stage == Stage::Repetition);
    if since().filter(same_call).any(blocked) {
        return Guarded::Ask;
    }
    let message = format!("{} was called {same} times with these arguments and gave the same result", asked.tool);
    Guarded::Blocked(Fault::new(Stage::Repetition, message).hint("Use that result, or do something else."))
}

/// How many earlier calls of the step were the same as an ended one and gave the same.
pub(super) fn repeats_before(state: &RunState, at: usize, entry: usize) -> usize {
    let this = &state.ledger()[entry];
    let Some(gave) = result(this) else {
        return 0;
    };
    let earlier = state.step(at).calls.iter().copied().take_while(|other| *other < entry);
    earlier
        .filter(|other| same_call(&state.ledger()[*other], this) && result(&state.ledger()[*other]) == Some(gave))
        .count()
}

fn same_call(one: &LedgerEntry, other: &LedgerEntry) -> bool {
    one.tool == other.tool && one.arguments == other.arguments
}

fn result(entry: &LedgerEntry) -> Option<(&Content, CallStatus)> {
    match &entry.state {
        CallState::Ended(end) => Some((&end.output, end.status)),
        _ => None,
    }
}
