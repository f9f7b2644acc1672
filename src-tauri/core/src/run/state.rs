//! What the events of a run fold to.
//!
//! The fold is pure and total over what the executor may write: an event that the state does not allow is a
//! [`Conflict`] and changes nothing. Each event costs a constant time, spread over the run. A settled step is unsettled
//! by [`EventKind::StepReset`](super::EventKind::StepReset) alone.

mod apply;
mod calls;
mod conflict;
mod delegation;
mod graph;
mod ledger;
mod requests;
mod step;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

pub use conflict::Conflict;
pub use ledger::{CallState, Ended, Exchange, LedgerEntry, ReplyRecord, RequestState};
pub use step::StepState;

use super::{Content, RequestKind, RunStatus, StepStatus, Usage};
use crate::ids::{CallId, Digest, RequestId, RunId, StepId};
use crate::plan::{Plan, Step};

/// A run as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    run: RunId,
    /// The plan's steps, then those that were delegated.
    steps: Vec<StepState>,
    /// The documents of delegated steps: the last ones of `steps`.
    delegated: Vec<Arc<Step>>,
    /// Steps that have handed on in their current attempt.
    delegators: BTreeSet<usize>,
    answering: Option<usize>,
    index: HashMap<StepId, usize>,
    ledger: Vec<LedgerEntry>,
    calls: HashMap<CallId, usize>,
    /// How many calls have begun.
    begun: usize,
    requests: Vec<RequestState>,
    request_index: HashMap<RequestId, usize>,
    /// Open requests, oldest first.
    open: BTreeSet<usize>,
    /// How many of them ask for help, which pauses the whole run.
    helps: usize,
    /// Steps with a decision to wait for, each with its request: barriers for effects of later steps.
    barriers: BTreeSet<(Order, usize)>,
    /// Steps in which a person has refused a confirmation.
    refused: BTreeSet<Order>,
    ready: BTreeSet<usize>,
    doomed: BTreeSet<usize>,
    /// How many steps have each status.
    counts: [usize; 7],
    warned: usize,
    started: bool,
    stop_asked: bool,
    cancelled: bool,
    ended: bool,
    synthesis: Option<Content>,
    /// What the requests of steps share, as the latest recipe of a step named it.
    base: Option<Digest>,
    usage: Usage,
    model_calls: u32,
}

/// Where a step stands among all: the place of the outermost step above it, then its own.
type Order = (usize, usize);

impl RunState {
    /// A run before its first event. The plan's dependencies must be free of cycles; one on a step that is not in the
    /// plan can never be met.
    pub fn new(run: RunId, plan: &Plan) -> Self {
        graph::build(run, plan)
    }

    /// The run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// The status, by the first rule that fits: cancelled; queued before the start; waiting for a person while help is
    /// asked for; running while a step is in progress or can start; the kind of the oldest open request while a step
    /// waits; synthesizing until the end is written; then failed, completed with warnings, or completed.
    pub fn status(&self) -> RunStatus {
        if self.cancelled {
            RunStatus::Cancelled
        } else if !self.started {
            RunStatus::Queued
        } else if self.is_paused() {
            RunStatus::WaitingForUser
        } else if self.count(StepStatus::InProgress) > self.delegating()
            || !self.ready.is_empty()
            || !self.doomed.is_empty()
        {
            RunStatus::Running
        } else if self.count(StepStatus::Waiting) > 0 {
            self.waiting_status()
        } else if self.count(StepStatus::Pending) > 0 {
            RunStatus::Running
        } else if self.ended {
            self.final_status()
        } else {
            RunStatus::Synthesizing
        }
    }

    /// What the steps say once all of them are settled.
    pub fn final_status(&self) -> RunStatus {
        let imperfect = self.count(StepStatus::Skipped) + self.count(StepStatus::Cancelled) + self.warned;
        if self.count(StepStatus::Failed) > 0 {
            RunStatus::Failed
        } else if imperfect > 0 {
            RunStatus::CompletedWithWarnings
        } else {
            RunStatus::Completed
        }
    }

    fn waiting_status(&self) -> RunStatus {
        let oldest = self.open_requests().next().map(|request| request.request.kind);
        match oldest {
            Some(RequestKind::Question) => RunStatus::WaitingForInput,
            _ => RunStatus::Suspended,
        }
    }

    /// Whether a step has asked for help: what is under way ends, and no step and no call begins.
    pub fn is_paused(&self) -> bool {
        self.helps > 0
    }

    /// The step on which all others end, when there is one: the plan's last.
    pub fn answering_step(&self) -> Option<usize> {
        self.answering
    }

    /// The steps, in the plan's order, then those that were delegated.
    pub fn steps(&self) -> &[StepState] {
        &self.steps
    }

    /// A step by its place in the plan's order.
    pub fn step(&self, index: usize) -> &StepState {
        &self.steps[index]
    }

    /// The place of a step in the plan's order.
    pub fn index_of(&self, step: &StepId) -> Option<usize> {
        self.index.get(step).copied()
    }

    /// How many steps have a status.
    pub fn count(&self, status: StepStatus) -> usize {
        self.counts[status as usize]
    }

    /// The pending steps whose dependencies are all completed, in the plan's order.
    pub fn ready_steps(&self) -> impl Iterator<Item = usize> + '_ {
        self.ready.iter().copied()
    }

    /// The pending steps that can never start, each with the settled dependency that prevents it (`None`: a dependency
    /// that is not in the plan). Whoever carries the run on skips them.
    pub fn doomed_steps(&self) -> impl Iterator<Item = (usize, Option<usize>)> + '_ {
        self.doomed.iter().map(|step| (*step, self.lost_dependency(*step)))
    }

    fn lost_dependency(&self, step: usize) -> Option<usize> {
        let lost = |status: StepStatus| status.is_settled() && status != StepStatus::Completed;
        self.steps[step].dependencies.iter().copied().find(|other| lost(self.steps[*other].status))
    }

    /// Every call, in the order in which they were asked for.
    pub fn ledger(&self) -> &[LedgerEntry] {
        &self.ledger
    }

    /// The place of a call in the ledger.
    pub fn call(&self, call: &CallId) -> Option<usize> {
        self.calls.get(call).copied()
    }

    /// The entry that holds a call's outcome: that of its repetition, where a person had it made again.
    pub fn outcome(&self, entry: usize) -> &LedgerEntry {
        let mut at = entry;
        while let Some(next) = self.ledger[at].repeated_by {
            at = next;
        }
        &self.ledger[at]
    }

    /// The tools that a step has called in its current attempt, whether or not the call worked.
    pub fn called(&self, step: usize) -> impl Iterator<Item = &str> + '_ {
        self.entries_of(step)
            .filter(|entry| matches!(entry.state, CallState::Ended(_)))
            .map(|entry| entry.tool.as_str())
    }

    /// The tools of which a step has a successful call in its current attempt.
    pub fn satisfied(&self, step: usize) -> impl Iterator<Item = &str> + '_ {
        let counts = move |entry: &&LedgerEntry| entry.counts_among(|| self.entries_of(step));
        self.entries_of(step).filter(counts).map(|entry| entry.tool.as_str())
    }

    /// The ledger entries of a step's current attempt.
    pub fn entries_of(&self, step: usize) -> impl Iterator<Item = &LedgerEntry> + '_ {
        self.steps[step].calls.iter().map(|entry| &self.ledger[*entry])
    }

    /// Every request, oldest first.
    pub fn requests(&self) -> &[RequestState] {
        &self.requests
    }

    /// The open requests, oldest first.
    pub fn open_requests(&self) -> impl Iterator<Item = &RequestState> + '_ {
        self.open.iter().map(|request| &self.requests[*request])
    }

    /// A request.
    pub fn request(&self, request: &RequestId) -> Option<&RequestState> {
        self.request_index.get(request).map(|index| &self.requests[*index])
    }

    /// The open decision of an earlier step for which a call with effects of this step has to wait.
    pub fn barrier(&self, step: usize) -> Option<&RequestState> {
        let order = self.order(step);
        self.barriers.first().filter(|(earlier, _)| *earlier < order).map(|(_, request)| &self.requests[*request])
    }

    /// The earlier step in which a person has refused a confirmation, so that this step may have no effects.
    pub fn refused_before(&self, step: usize) -> Option<usize> {
        let order = self.order(step);
        self.refused.first().copied().filter(|earlier| *earlier < order).map(|(_, earlier)| earlier)
    }

    /// Whether a person wants the run stopped, and it has not ended yet.
    pub fn stop_asked(&self) -> bool {
        self.stop_asked && !self.is_over()
    }

    /// Whether the end of the run is written.
    pub fn is_over(&self) -> bool {
        self.ended || self.cancelled
    }

    /// Whether every step is settled.
    pub fn all_settled(&self) -> bool {
        let unsettled = [StepStatus::Pending, StepStatus::InProgress, StepStatus::Waiting];
        unsettled.iter().all(|status| self.count(*status) == 0)
    }

    /// The answer that a model wrote from the results, where one was asked.
    pub fn synthesis(&self) -> Option<&Content> {
        self.synthesis.as_ref()
    }

    /// What a reply of a step shares with others whose recipe names nothing: what its attempt began with, or else what
    /// any step of the run named last.
    pub fn base(&self, step: usize) -> Option<&Digest> {
        self.steps[step].base.as_ref().or(self.base.as_ref())
    }

    /// Tokens of all model calls of the run.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// How often a model has answered in this run.
    pub fn model_calls(&self) -> u32 {
        self.model_calls
    }
}
