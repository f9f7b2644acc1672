//! Calls with effects that wait for the decision of an earlier step: one that is open, or one that is still to be asked
//! for.
//!
//! To a decision that is open a call is tied, as an event. Before it is asked for there is nothing to tie it to: its step
//! rests, in no one's way, until the earlier one has asked, or has ended without. No two steps wait for each other: one
//! waits only for a step of the plan that stands before it with all that it builds on, so that all waiting leads back in
//! the plan's order. Where the way to the question leads through another word of a person, the call waits for that. Where
//! a confirmation was planned and its step has ended without asking, the call itself is asked about.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use assent_core::contract::Mode;
use assent_core::ids::{CallId, RequestId, StepId};
use assent_core::run::{Answer, Durability, EventKind, RequestKind, RequestState, RunState, StepStatus};
use tokio::sync::Notify;

use super::calls::Ready;
use super::carrier::{Carrier, Happened};
use super::ends::because_of;
use super::error::Stop;
use super::parts::Permit;
use super::step::Worker;
use super::suspend;
use crate::tool::human::DISPLAY_CONFIRMATION;

/// The steps that rest until an earlier one has asked, each with the call that waits.
#[derive(Default)]
pub(super) struct Resting {
    steps: Mutex<BTreeMap<usize, CallId>>,
    moved: Notify,
}

impl Resting {
    pub(super) fn has(&self, step: usize) -> bool {
        self.steps().contains_key(&step)
    }

    /// It is worked on again.
    pub(super) fn wake(&self, step: usize) {
        self.steps().remove(&step);
    }

    /// Says that something has happened that a resting step may wait for.
    pub(super) fn look(&self) {
        if !self.steps().is_empty() {
            self.moved.notify_one();
        }
    }

    /// Waits until something has happened while a step rests.
    pub(super) async fn moved(&self) {
        self.moved.notified().await;
    }

    /// Locked for a moment, and never while another lock is waited for.
    fn steps(&self) -> MutexGuard<'_, BTreeMap<usize, CallId>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Worker<'_> {
    /// A call with effects waits for the decision of an earlier step; after a refusal there, it is not made.
    pub(super) async fn held(&self, ready: &Ready) -> Result<bool, Stop> {
        let (barrier, refused, asks) = {
            let state = self.carrier.state();
            let barrier = state.barrier(self.at).map(|request| request.request.id.clone());
            (barrier, refused_before(&state, self.at), asks_first(self.carrier, &state, self.at))
        };
        if let Some(request) = barrier {
            let held = EventKind::CallHeld { call: ready.call.clone(), request };
            self.write(vec![held], Durability::Committed).await?;
            return Ok(true);
        }
        if let Some((step, outermost)) = refused {
            let reason = format!("a confirmation was refused in step {step}, so nothing after it may have effects");
            let ended = because_of(self.ending(StepStatus::Cancelled, None, Some(reason)), Some(outermost));
            self.write(vec![ended], Durability::Committed).await?;
            return Ok(true);
        }
        if asks.is_some() {
            self.carrier.resting.steps().insert(self.at, ready.call.clone());
            return Ok(true);
        }
        let Some((step, is_carried)) = self.unconfirmed(ready) else { return Ok(false) };
        let reason = if is_carried {
            format!("what you confirmed in step {step} was for an earlier run of the plan.")
        } else {
            format!("step {step} was to have this confirmed by you, and has ended without asking.")
        };
        let permit = Permit { reason, risk: ready.risk(), standing: false };
        let request = suspend::permit(self, ready, permit);
        self.write(suspend::waits(ready.call.clone(), request).into(), Durability::Committed).await?;
        Ok(true)
    }

    /// The earlier step that was planned to have what follows confirmed and has ended without, where no person has allowed
    /// a call of this step either; and whether it is taken over: what was confirmed then is not what is done now.
    fn unconfirmed(&self, ready: &Ready) -> Option<(StepId, bool)> {
        if ready.granted {
            return None;
        }
        let state = self.carrier.state();
        let is_allowed = |request: &RequestState| {
            request.request.kind == RequestKind::Permit && matches!(request.answer, Some(Answer::Approve { .. }))
        };
        let mut asked = state.entries_of(self.at).filter_map(|entry| entry.request);
        if asked.any(|request| is_allowed(&state.requests()[request])) {
            return None;
        }
        let own = state.outermost(self.at).min(self.carrier.plan().steps.len());
        let confirms = |earlier: &usize| {
            let step = &self.carrier.plan().steps[*earlier];
            step.required_tools.iter().any(|tool| tool == DISPLAY_CONFIRMATION)
                && !state.has_called(*earlier, DISPLAY_CONFIRMATION)
        };
        let step = (0..own).filter(|step| state.step(*step).status.is_settled()).find(confirms)?;
        let earlier = state.step(step);
        Some((earlier.id.clone(), earlier.carried_from.is_some()))
    }
}

/// The earlier step in which a person has refused a confirmation, and the step of the plan that it is a part of: with that
/// one is taken up again what ended for it.
pub(super) fn refused_before(state: &RunState, at: usize) -> Option<(StepId, StepId)> {
    let refused = state.refused_before(at)?;
    let id = |step: usize| state.step(step).id.clone();
    Some((id(refused), id(state.outermost(refused))))
}

/// Whether a step rests for which nothing is decided yet.
pub(super) fn rests(carrier: &Carrier, state: &RunState, at: usize) -> bool {
    let is_decided = || state.barrier(at).is_some() || state.refused_before(at).is_some();
    carrier.resting.has(at) && !is_decided() && asks_first(carrier, state, at).is_some()
}

/// The earlier step that has yet to ask a person what it must ask.
fn asks_first(carrier: &Carrier, state: &RunState, at: usize) -> Option<usize> {
    let (plan, own) = (carrier.job.plan.checked(), state.outermost(at));
    let is_question =
        |tool: &str| carrier.parts.catalogue.get(tool).is_some_and(|tool| tool.spec().mode == Mode::Blocking);
    let has_to_ask = |earlier: usize| {
        let required = &carrier.plan().steps[earlier].required_tools;
        required.iter().any(|tool| is_question(tool) && !state.has_called(earlier, tool))
    };
    let comes_before = |earlier: usize| {
        let (mut open, mut seen) = (vec![earlier], vec![earlier]);
        while let Some(next) = open.pop() {
            let new = plan.dependencies(next).iter().copied().filter(|on| !seen.contains(on));
            let new: Vec<usize> = new.collect();
            seen.extend_from_slice(&new);
            open.extend(new);
        }
        seen.into_iter().all(|step| step < own)
    };
    let mut earlier = (0..own.min(carrier.plan().steps.len())).filter(|step| !state.step(*step).status.is_settled());
    earlier.find(|step| has_to_ask(*step) && comes_before(*step))
}

/// Ties the calls of resting steps to what a person is asked, where nothing but that can go on; whether one was.
pub(super) async fn tie(carrier: &Carrier) -> Result<bool, Stop> {
    let resting = std::mem::take(&mut *carrier.resting.steps());
    let mut any = false;
    for (at, call) in resting {
        let held: Option<Happened> = {
            let state = carrier.state();
            let awaited = asks_first(carrier, &state, at).and_then(|earlier| awaited(&state, earlier));
            let awaited = awaited.or_else(|| state.open_requests().next().map(|open| open.request.id.clone()));
            let works = state.step(at).status == StepStatus::InProgress;
            awaited.filter(|_| works).map(|request| (Some(at), EventKind::CallHeld { call, request }))
        };
        if let Some(held) = held {
            any |= carrier.write_unless_overtaken(vec![held]).await?;
        }
    }
    Ok(any)
}

/// The open request for which a step waits, or what it builds on, or what works for it.
fn awaited(state: &RunState, step: usize) -> Option<RequestId> {
    if let Some(request) = state.waits_for(step) {
        return Some(request.request.id.clone());
    }
    let at = state.step(step);
    let on = at.dependencies().iter().chain(at.children());
    on.filter(|on| !state.step(**on).status.is_settled()).find_map(|on| awaited(state, *on))
}
