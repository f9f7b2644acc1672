//! The loop guard: the same call with the same result is pointed out at the second time, refused at the third, and put
//! before a person at the fourth. A step that has made every call that it must make is not worth a person's word: it is
//! brought to its end.

use assent_core::contract::{Fault, Risk, Stage};
use assent_core::run::{CallState, CallStatus, Content, Exchange, LedgerEntry, RunState};
use serde_json::Value;

/// What the loop guard says of a call that is about to be made.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Guarded {
    /// Go on.
    Free,
    /// It goes round in circles, as this says.
    Round {
        /// What is told to the model.
        fault: Fault,
        /// Whether the model was told before.
        again: bool,
    },
}

/// The field of a tool's output that is another each time.
const DURATION: &str = "duration_ms";

/// How often a call may come out the same before it is refused.
const SAME: usize = 2;

/// Judges a planned call by the calls of its step since a person last said "go on".
pub(super) fn guard(state: &RunState, at: usize, entry: usize) -> Guarded {
    let asked = &state.ledger()[entry];
    let step = state.step(at);
    let since = || step.calls.iter().skip(step.guard_from).copied().filter(|other| *other < entry);
    let same_call = |other: &usize| same_call(&state.ledger()[*other], asked);
    let ended: Vec<Gave<'_>> = since().filter(same_call).filter_map(|other| result(&state.ledger()[other])).collect();
    let Some(latest) = ended.last() else {
        return Guarded::Free;
    };
    let same = ended.iter().rev().take_while(|result| same_result(result, latest)).count();
    if same < SAME {
        return Guarded::Free;
    }
    let blocked = |other: usize| refused_as_repeated(&state.ledger()[other]);
    let again = since().filter(same_call).any(blocked);
    let message = format!("{} was called {same} times with these arguments and gave the same result", asked.tool);
    let fault = Fault::new(Stage::Repetition, message).hint("Use that result, or do something else.");
    Guarded::Round { fault, again }
}

/// Whether the latest call of a step, since a person last said "go on", was refused because it goes round in circles.
pub(super) fn goes_round(state: &RunState, at: usize) -> bool {
    let step = state.step(at);
    let latest = step.calls.iter().skip(step.guard_from).last();
    latest.is_some_and(|entry| refused_as_repeated(&state.ledger()[*entry]))
}

fn refused_as_repeated(entry: &LedgerEntry) -> bool {
    matches!(&entry.state, CallState::Refused(fault) if fault.stage == Stage::Repetition)
}

/// Whether a call of a tool was refused to a step by the rules, which said why.
pub(super) fn is_told(state: &RunState, at: usize, tool: &str) -> bool {
    let refused = |entry: &LedgerEntry| {
        entry.tool == tool && matches!(&entry.state, CallState::Refused(fault) if fault.stage == Stage::Permission)
    };
    state.step(at).calls.iter().any(|entry| refused(&state.ledger()[*entry]))
}

/// How many earlier calls of the step were the same as an ended one and gave the same.
pub(super) fn repeats_before(state: &RunState, at: usize, entry: usize) -> usize {
    let this = &state.ledger()[entry];
    let Some(gave) = result(this) else {
        return 0;
    };
    let earlier = state.step(at).calls.iter().copied().take_while(|other| *other < entry);
    earlier
        .filter(|other| same_call(&state.ledger()[*other], this))
        .filter_map(|other| result(&state.ledger()[other]))
        .filter(|other| same_result(other, &gave))
        .count()
}

/// What is left of a reply in what a small model is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// All of it.
    Whole,
    /// Nothing: its calls failed, and the same came again and failed again.
    Gone,
    /// The error of this entry, for all replies that failed alike.
    Error(usize),
}

/// What is left of something said in a step, where only the first `upto` things said are known.
pub(super) fn standing(state: &RunState, at: usize, upto: usize, place: usize) -> Standing {
    let exchange = &state.step(at).exchange[..upto];
    let Some(calls) = failed_calls(state, &exchange[place]) else {
        return Standing::Whole;
    };
    let alike = |others: &[usize]| {
        let pair = |(one, other): (&usize, &usize)| same_call(&state.ledger()[*one], &state.ledger()[*other]);
        calls.len() == others.len() && calls.iter().zip(others).all(pair)
    };
    let copies = exchange.iter().enumerate().filter_map(|(place, item)| Some((place, failed_calls(state, item)?)));
    let copies: Vec<(usize, &[usize])> = copies.filter(|(_, others)| alike(others)).collect();
    match copies.last() {
        Some((last, _)) if copies.len() > 1 && *last == place => {
            // What the tool said is worth more than that it was not called again.
            let entries = || copies.iter().rev().filter_map(|(_, calls)| calls.last().copied());
            let made = entries().find(|entry| matches!(state.outcome(*entry).state, CallState::Ended(_)));
            made.or_else(|| entries().next()).map_or(Standing::Whole, Standing::Error)
        }
        Some(_) if copies.len() > 1 => Standing::Gone,
        _ => Standing::Whole,
    }
}

/// The calls of a reply that asks for calls none of which worked.
fn failed_calls<'a>(state: &RunState, item: &'a Exchange) -> Option<&'a [usize]> {
    let Exchange::Reply(reply) = item else {
        return None;
    };
    let failed = |entry: &usize| match &state.outcome(*entry).state {
        CallState::Ended(end) => !end.satisfied,
        CallState::Refused(_) => true,
        CallState::Planned | CallState::Open | CallState::Suspended => false,
    };
    (!reply.calls.is_empty() && reply.calls.iter().all(failed)).then_some(&reply.calls)
}

/// Whether two calls are the same: with what was asked for, or with what a person has made of it.
pub(super) fn same_call(one: &LedgerEntry, other: &LedgerEntry) -> bool {
    let alike = |one: &LedgerEntry, other: &LedgerEntry| {
        one.arguments == other.arguments || one.planned.as_ref().is_some_and(|planned| *planned == other.arguments)
    };
    one.tool == other.tool && (alike(one, other) || alike(other, one))
}

/// What a call gave.
struct Gave<'a> {
    output: &'a Content,
    status: CallStatus,
    /// Whether it says how long it took, so that the whole is another each time.
    is_timed: bool,
}

/// Whether two calls came out the same, however long they took. Of large results that say how long only the beginnings are
/// compared, which is all that a state holds.
fn same_result(one: &Gave<'_>, other: &Gave<'_>) -> bool {
    let same_content = match (one.output.here(), other.output.here(), one.output, other.output) {
        (Some(Value::Object(one)), Some(Value::Object(other)), ..) => {
            let lasts = |(name, _): &(&String, &Value)| *name != DURATION;
            one.iter().filter(lasts).eq(other.iter().filter(lasts))
        }
        (.., Content::Blob { preview: first, .. }, Content::Blob { preview: second, .. }) if one.is_timed => {
            first == second
        }
        (.., one, other) => one == other,
    };
    one.status == other.status && same_content
}

fn result(entry: &LedgerEntry) -> Option<Gave<'_>> {
    match &entry.state {
        CallState::Ended(end) => {
            let is_timed = entry.risk.is_some_and(|risk| risk >= Risk::Execute);
            Some(Gave { output: &end.output, status: end.status, is_timed })
        }
        _ => None,
    }
}
