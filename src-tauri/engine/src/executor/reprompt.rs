//! Replies that go back to the model with what is wrong: which fault is told, how often, and what is left of one that was
//! told as often as it may be.

use assent_core::contract::{Fault, Stage};
use assent_core::plan::Plan;
use assent_core::run::{Exchange, RunState};

use super::left_behind::is_left_behind;

/// How often a reply goes back for its form, as the plan names it.
pub(super) const OUTPUT_RETRIES: &str = "outputRetries";

/// A reply that could not be read goes back, as often as an output may be mended.
pub(super) fn unread(plan: &Plan, state: &RunState, at: usize) -> Option<Fault> {
    let fault = state.step(at).latest_reply()?.faults.first()?;
    told_again(state, at, Fault { stage: Stage::Parse, ..fault.clone() }, plan.limits.output_retries)
}

/// What is wrong with the last words of a step, where they are not whole: they were cut off, or could not be read.
pub(super) fn unwhole(state: &RunState, at: usize) -> Option<&Fault> {
    let wordy = |item: &'_ &Exchange| matches!(item, Exchange::Reply(reply) if reply.calls.is_empty());
    match state.step(at).exchange.iter().rev().find(wordy)? {
        Exchange::Reply(reply) => reply.faults.first(),
        _ => None,
    }
}

/// A fault as it goes back to the model, unless its like was told as often as it may be.
pub(super) fn told_again(state: &RunState, at: usize, fault: Fault, retries: u32) -> Option<Fault> {
    let told = reprompts(state, at, |other| is_alike(&fault, other));
    let left = retries.checked_sub(told + 1)?;
    Some(Fault { attempt: Some(told + 1), retries_remaining: Some(left), ..fault })
}

/// Whether two faults tell the same: where a stage has several, what is to be done about it tells them apart.
fn is_alike(one: &Fault, other: &Fault) -> bool {
    let is_same = match one.stage {
        Stage::RequiredTools => one.hint == other.hint,
        Stage::OutputContract => is_left_behind(one) == is_left_behind(other),
        _ => true,
    };
    is_same && one.stage == other.stage
}

/// How often such a fault was told.
pub(super) fn reprompts(state: &RunState, at: usize, is_such: impl Fn(&Fault) -> bool) -> u32 {
    let told = |item: &&Exchange| matches!(item, Exchange::Reprompted(fault) if is_such(fault));
    u32::try_from(state.step(at).exchange.iter().filter(told).count()).unwrap_or(u32::MAX)
}

/// Whether a reply went back for its form, and not for what the step has left undone.
pub(super) fn is_of_form(fault: &Fault) -> bool {
    match fault.stage {
        Stage::RequiredTools => false,
        Stage::OutputContract => !is_left_behind(fault),
        _ => true,
    }
}
