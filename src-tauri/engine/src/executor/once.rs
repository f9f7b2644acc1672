//! As many agents are made as a plan has steps that make one, however often a model calls for it: for any further one a
//! person is asked. Where the message plainly asks for one, a further one is refused without a question; where it plainly
//! asks for several, they are made. A person's edit of the plan may say otherwise: each step that has to make one makes one.

use assent_core::contract::{Fault, Risk, Stage};
use assent_core::plan::{Plan, Step};
use assent_core::run::{CallState, LedgerEntry, RunState};

use super::calls::Ready;
use super::parts::{Permit, Verdict};
use super::step::Worker;
use crate::planner::{AGENT, CREATE_AGENT, Wanted, agents_wanted};
use crate::tool::grounding::Seen;

/// What becomes of a call that would make an agent too many.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TooMany {
    /// It is refused.
    Refused(Fault),
    /// A person is asked.
    Asks(Permit),
}

impl Worker<'_> {
    /// What becomes of a call of whose kind there were enough.
    pub(super) fn made_before(&self, entry: usize) -> Option<TooMany> {
        made_before(self.carrier.plan(), &self.carrier.state(), entry)
    }

    /// What the rules say of a call, and whether its plan makes so many.
    pub(super) fn permitted(&self, ready: &Ready, seen: &Seen) -> Verdict {
        match (self.carrier.parts.rules.permitted(&self.proposal(ready), seen), self.made_before(ready.entry)) {
            (Verdict::Allowed, Some(TooMany::Asks(permit))) => Verdict::Permit(permit),
            (verdict, _) => verdict,
        }
    }
}

/// What becomes of a call of whose kind there were enough; nothing for any other.
fn made_before(plan: &Plan, state: &RunState, entry: usize) -> Option<TooMany> {
    let ledger = state.ledger();
    let makes = |entry: &LedgerEntry| entry.tool == CREATE_AGENT;
    if !makes(&ledger[entry]) {
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
    // What an earlier run has made is not made once more.
    let is_new = |step: &&Step| state.index_of(&step.id).is_none_or(|at| state.step(at).carried_from.is_none());
    let makers: Vec<&Step> = plan.steps.iter().filter(must).collect();
    let planned = if makers.is_empty() { 1 } else { makers.into_iter().filter(is_new).count() };
    if made < planned {
        return None;
    }
    match agents_wanted(&plan.user_message) {
        Wanted::Several => None,
        Wanted::One => {
            let message = "the message asks for one agent, and it is made already";
            let hint = "Change that one with update_agent, or go on without a call.";
            Some(TooMany::Refused(Fault::new(Stage::Permission, message).hint(hint)))
        }
        Wanted::Unsaid => {
            let reason = match planned {
                0 | 1 => "The plan makes one agent, and it is made already.".to_owned(),
                planned => format!("The plan makes {planned} agents, and they are made already."),
            };
            Some(TooMany::Asks(Permit { reason, risk: Risk::Write, standing: false }))
        }
    }
}
