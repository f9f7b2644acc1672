//! What a text says was done, held against the ledger.
//!
//! A model that says "I have saved the table to out.md" and has called nothing is believed by nobody else: its step is
//! marked. Only plain reports in English are recognised (`report`); what is not recognised is not marked, and nothing is
//! ever refused for its words.

mod report;

use assent_core::contract::Risk;
use assent_core::run::{CallState, RunState};

use report::{Kind, Report, reports};

/// A report of an effect that no call stands behind.
pub(super) struct Unproven {
    kind: Kind,
    /// What of it is told, as part of a sentence.
    pub(super) why: String,
}

impl Unproven {
    /// Whether a call of this risk could have done what is reported.
    pub(super) fn is_within(&self, risk: Risk) -> bool {
        proves(risk, self.kind)
    }
}

/// Why a text of a step is marked: it reports an effect, and no call of what the step can know of has had one like it.
pub(super) fn unproven(state: &RunState, at: usize, text: &str) -> Option<Unproven> {
    unproven_by(state, || behind(state, at), text)
}

/// Why the answer of a run is marked: it reports an effect, and no call of the run has had one like it.
pub(super) fn unproven_answer(state: &RunState, text: &str) -> Option<Unproven> {
    unproven_by(state, || vec![true; state.steps().len()], text)
}

/// `known` says of each step whether the text may report its work. Most texts report nothing, and it is not asked.
fn unproven_by(state: &RunState, known: impl FnOnce() -> Vec<bool>, text: &str) -> Option<Unproven> {
    let mut reports = reports(text).peekable();
    reports.peek()?;
    let known = known();
    // What an earlier run has done is not in this ledger.
    if state.steps().iter().zip(&known).any(|(step, known)| *known && step.carried_from.is_some()) {
        return None;
    }
    let stands = |report: &Report<'_>| {
        state.ledger().iter().filter(|entry| known[entry.step]).any(|entry| {
            let ended = matches!(&entry.state, CallState::Ended(end) if end.satisfied);
            ended && entry.risk.is_none_or(|risk| proves(risk, report.kind))
        })
    };
    let Report { sentence, kind } = reports.find(|report| !stands(report))?;
    Some(Unproven { kind, why: format!("it says \"{sentence}\", and no call stands behind that") })
}

/// Whether a call of this risk can have done what is reported. What a command does, nobody knows beforehand.
fn proves(risk: Risk, kind: Kind) -> bool {
    match (risk, kind) {
        (Risk::Read, _) | (Risk::Network, Kind::ChangedFile) | (Risk::Write, Kind::Sent) => false,
        (Risk::Write | Risk::Network, _) | (Risk::Execute | Risk::Destructive, _) => true,
    }
}

/// The steps whose work a step may report: itself, what it was handed on to, and what it or the step that handed it on
/// builds on, by their places.
fn behind(state: &RunState, at: usize) -> Vec<bool> {
    let mut known = vec![false; state.steps().len()];
    let mut left = vec![at];
    let mut above = state.step(at).parent();
    while let Some(parent) = above {
        left.extend(state.step(parent).dependencies());
        above = state.step(parent).parent();
    }
    while let Some(step) = left.pop() {
        if !std::mem::replace(&mut known[step], true) {
            left.extend(state.step(step).dependencies());
            left.extend(state.step(step).children());
        }
    }
    known
}
