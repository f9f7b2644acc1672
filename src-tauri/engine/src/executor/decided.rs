//! What becomes of a call that a person has settled before, when it comes again.

use assent_core::contract::Risk;
use assent_core::run::{
    Answer, CallState, Decider, Ended, EventKind, LedgerEntry, Reach, RequestKind, RequestState, RunState,
};

use super::guard::same_call;
use super::step::Worker;
use super::suspend::AGAIN;

impl Worker<'_> {
    /// What becomes of a call that a person has settled before in this attempt, made again with the same arguments.
    /// Nobody is asked twice:
    ///
    /// - A decision, or an effect that the person says has happened, is its result; a refusal is a refusal.
    /// - One that was allowed as a single call, or of unknown outcome made once more, and that has done its work gives what
    ///   it gave, and nothing happens again: "once" was the person's word, and to refuse the second would cancel a step
    ///   whose work is done. That holds as long as no other effect of the run has begun since. After one, the same call may
    ///   mean something else (a command after an edit), and it is asked about as a new one. So is a look at something far
    ///   away, whose answer may be another each time: what it was before is no answer.
    ///
    /// What cannot be undone asks each time. What failed, what only looks, and what was allowed for longer than one call
    /// is judged anew like any other call.
    pub(super) fn decided(&self, entry: usize) -> Option<EventKind> {
        let state = self.carrier.state();
        let asked = &state.ledger()[entry];
        if asked.request.is_some() {
            // It has an answer of its own.
            return None;
        }
        let earlier = state.step(self.at).calls.iter().take_while(|other| **other != entry);
        // What was given again counts no more than what it was given from, which began.
        let first = |other: &&LedgerEntry| other.begun.is_some() || !matches!(other.state, CallState::Ended(_));
        let mut same = earlier.map(|other| state.outcome(*other)).filter(|other| same_call(other, asked)).filter(first);
        let call = asked.call.clone();
        let looks_anew = self.carrier.parts.catalogue.get(&asked.tool).is_some_and(|tool| tool.looks_anew());
        same.find_map(|other| match &other.state {
            CallState::Ended(end) if end.by.is_some() || (!looks_anew && still_stands(&state, other, end)) => {
                Some(EventKind::CallEnded {
                    call: call.clone(),
                    status: end.status,
                    output: end.output.clone(),
                    error: end.error.clone(),
                    satisfied: end.satisfied,
                    missed: end.missed.clone(),
                    met: end.met,
                    by: Some(Decider::User),
                    duration_ms: 0,
                })
            }
            CallState::Refused(fault) => {
                let request = &state.requests()[other.request?];
                let by_person = matches!(request.answer, Some(Answer::Reject { .. }));
                by_person.then(|| EventKind::CallRefused { call: call.clone(), fault: fault.clone() })
            }
            _ => None,
        })
    }
}

/// Whether an effect that a person has allowed once, or wanted once more, is the latest of the run, and below what asks
/// each time.
fn still_stands(state: &RunState, entry: &LedgerEntry, end: &Ended) -> bool {
    // What was made once more was asked about where it was made first.
    let is_repeated =
        |other: &&LedgerEntry| other.repeated_by.is_some_and(|repeat| state.ledger()[repeat].call == entry.call);
    let asked = entry.request.or_else(|| state.ledger().iter().find(is_repeated)?.request);
    let Some(request) = asked.map(|request| &state.requests()[request]) else {
        return false;
    };
    // What a longer permission covers is judged by that.
    let covers = |other: &RequestState| other.allows_more() && other.request.tool == request.request.tool;
    if request.request.kind == RequestKind::Permit && state.requests().iter().any(covers) {
        return false;
    }
    let once = match (request.request.kind, &request.answer) {
        (RequestKind::UnknownOutcome, Some(Answer::Value { value })) => value == AGAIN,
        (_, answer) => matches!(answer, Some(Answer::Approve { reach: Reach::Once, .. })),
    };
    let can_be_undone = request.request.risk.is_some_and(|risk| risk < Risk::Destructive);
    let later = |other: &&LedgerEntry| other.has_effects() && other.begun > entry.begun;
    end.satisfied && once && can_be_undone && entry.has_effects() && !state.ledger().iter().any(|other| later(&other))
}
