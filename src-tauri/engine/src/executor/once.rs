//! What a message asks for once is made once, however often a model calls for it. A person's edit of the plan may say
//! otherwise: each step that has to make one makes one.

use assent_core::contract::{Fault, Stage};
use assent_core::plan::{Plan, Step};
use assent_core::run::{CallState, LedgerEntry, RunState};

use crate::planner::{AGENT, CREATE_AGENT, asks_for_one_agent};

/// Why a call is not made that would make an agent too many.
pub(super) fn made_before(plan: &Plan, state: &RunState, entry: usize) -> Option<Fault> {
    let ledger = state.ledger();
    let makes = |entry: &LedgerEntry| entry.tool == CREATE_AGENT;
    if !makes(&ledger[entry]) || !asks_for_one_agent(&plan.user_message) {
        return None;
    }
    let makes_one = |entry: &LedgerEntry| match &entry.state {
        CallState::Open => entry.repeated_by.is_none(),
        CallState::Ended(end) => end.satisfied,
        CallState::Planned | CallState::Suspended | CallState::Refused(_) => false,
    };
    let made =
        ledger[..entry].iter().chain(&ledger[entry + 1..]).filter(|other| makes(other) && makes_one(other)).count();
    let must = |step: &&Step| {
        step.required_tools.iter().any(|tool| tool == CREATE_AGENT)
            || step.is_handed_over() && step.executor.id == AGENT
    };
    let wanted = plan.steps.iter().filter(must).count().max(1);
    let message = "the message asks for one agent, and it is made already";
    let fault =
        Fault::new(Stage::Permission, message).hint("Change that one with update_agent, or go on without a call.");
    (made >= wanted).then_some(fault)
}
