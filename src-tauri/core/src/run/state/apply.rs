//! One event at a time: what each kind of event demands of the state, and what it changes.
//!
//! Every arm checks before it changes anything, so that a conflict leaves the state as it was.

use super::{Conflict, Exchange, ReplyRecord, RunState};
use crate::ids::{Digest, RunId, StepId};
use crate::plan::Plan;
use crate::run::{
    Content, Event, EventKind, Place, PlannedCall, Purpose, RequestStatus, RunStatus, StepStatus, Usage,
    ValidationStatus,
};

impl RunState {
    /// What a run has come to by its events, all of them and in order.
    ///
    /// # Errors
    /// One of them cannot have happened.
    pub fn folded(run: RunId, plan: &Plan, events: impl IntoIterator<Item = Event>) -> Result<Self, Conflict> {
        let mut state = Self::new(run, plan);
        for event in events {
            state.apply(&event.place, event.at, &event.kind)?;
        }
        Ok(state)
    }

    /// Takes one event in. Events that say nothing about a run change nothing.
    ///
    /// # Errors
    /// [`Conflict`] when the state does not allow the event; nothing is changed.
    pub fn apply(&mut self, place: &Place, at: i64, kind: &EventKind) -> Result<(), Conflict> {
        if place.run.as_ref() != Some(&self.run) {
            return Err(Conflict::OtherRun(self.run.clone()));
        }
        match kind {
            EventKind::RunStarted => self.start(),
            EventKind::RunStopAsked => {
                self.going_on()?;
                self.stop_asked = true;
                Ok(())
            }
            EventKind::RunEnded { status } => self.end(*status, at),
            EventKind::StepStarted { attempt } => self.start_step(place, *attempt, at),
            EventKind::StepReset { stale } => self.reset_step(place, stale),
            EventKind::StepExpanded { expanded } => self.expand_step(place, expanded),
            EventKind::StepDelegated { steps, call: None, .. } => self.delegate(place, steps),
            EventKind::StepDelegated { steps, call: Some(call), prompt, does, .. } => {
                self.call_agent(place, steps, call, (prompt.as_ref(), does.as_ref()))
            }
            EventKind::StepEnded { status, validation, result, reason, because, carried_from } => {
                let end = StepEnd { status: *status, validation: *validation, result, reason, because };
                let step = self.end_step(place, &end, carried_from.is_some(), at)?;
                self.steps[step].carried_from.clone_from(carried_from);
                Ok(())
            }
            EventKind::ModelReplied { purpose, recipe, text, calls, faults, before, usage, .. } => {
                let said = ReplyRecord {
                    recipe: recipe.clone(),
                    text: text.clone(),
                    calls: Vec::new(),
                    faults: faults.clone(),
                };
                self.model_calls = self.model_calls.saturating_add(*before);
                self.reply(place, *purpose, said, calls, *usage)
            }
            EventKind::Enforced { missing, attempt } => {
                self.say(place, Exchange::Enforced { missing: missing.clone(), attempt: *attempt })
            }
            EventKind::Reprompted { fault } => self.say(place, Exchange::Reprompted((**fault).clone())),
            EventKind::LimitReached { limit, .. } => {
                if let Ok(step) = self.step_of(place) {
                    self.steps[step].limit = Some(limit.clone());
                }
                Ok(())
            }
            EventKind::RequestOpened { request } => self.open_request(place, request),
            EventKind::RequestAnswered { request, answer, file } => {
                self.settle_request(request, RequestStatus::Answered, Some(answer), file.as_ref())
            }
            EventKind::RequestCancelled { request, .. } => {
                self.settle_request(request, RequestStatus::Cancelled, None, None)
            }
            other => self.apply_to_call(place, at, other),
        }
    }

    /// Whether an event may be written now. What was written by another process in the meantime counts here: once a
    /// person has stopped the run, no step and no call begins, and the run ends as cancelled.
    ///
    /// Asked of whoever waits for leave to begin. What has begun is written in any case, and [`RunState::apply`] does not
    /// ask this, so that a history is read as it was written.
    ///
    /// # Errors
    /// [`Conflict::Stopped`].
    pub fn admits(&self, kind: &EventKind) -> Result<(), Conflict> {
        let begins = match kind {
            EventKind::StepStarted { .. } | EventKind::CallStarted { .. } => true,
            EventKind::RunEnded { status } => *status != RunStatus::Cancelled,
            _ => false,
        };
        if begins && self.stop_asked() { Err(Conflict::Stopped(self.run.clone())) } else { Ok(()) }
    }

    pub(super) fn going_on(&self) -> Result<(), Conflict> {
        if self.is_over() { Err(Conflict::Over(self.run.clone())) } else { Ok(()) }
    }

    fn start(&mut self) -> Result<(), Conflict> {
        self.going_on()?;
        self.started = true;
        Ok(())
    }

    fn end(&mut self, status: RunStatus, at: i64) -> Result<(), Conflict> {
        self.going_on()?;
        if status == RunStatus::Cancelled {
            self.cancel(at);
            return Ok(());
        }
        let derived = if self.all_settled() { self.final_status() } else { self.status() };
        if derived != status {
            return Err(Conflict::End { claimed: status, derived });
        }
        self.ended = true;
        Ok(())
    }

    fn cancel(&mut self, at: i64) {
        for request in std::mem::take(&mut self.open) {
            self.requests[request].status = RequestStatus::Cancelled;
        }
        self.barriers.clear();
        self.helps = 0;
        for step in 0..self.steps.len() {
            if !self.steps[step].status.is_settled() {
                self.steps[step].waits_for.clear();
                self.steps[step].ended_at = Some(at);
                self.set_status(step, StepStatus::Cancelled);
            }
        }
        self.ready.clear();
        self.doomed.clear();
        self.cancelled = true;
    }

    /// Whether something may begin.
    pub(super) fn beginning(&self) -> Result<(), Conflict> {
        if self.is_paused() { Err(Conflict::Paused(self.run.clone())) } else { Ok(()) }
    }

    fn step_of(&self, place: &Place) -> Result<usize, Conflict> {
        place.step.as_ref().and_then(|step| self.index_of(step)).ok_or(Conflict::NoStep)
    }

    /// The step of an event, when it has one of these statuses and the run goes on.
    pub(super) fn step_in(&self, place: &Place, allowed: &[StepStatus]) -> Result<usize, Conflict> {
        self.going_on()?;
        let step = self.step_of(place)?;
        if allowed.contains(&self.steps[step].status) { Ok(step) } else { Err(self.wrong_status(step)) }
    }

    pub(super) fn wrong_status(&self, step: usize) -> Conflict {
        Conflict::Step { step: self.steps[step].id.clone(), status: self.steps[step].status }
    }

    fn start_step(&mut self, place: &Place, attempt: u32, at: i64) -> Result<(), Conflict> {
        let step = self.step_in(place, &[StepStatus::Pending, StepStatus::InProgress])?;
        self.beginning()?;
        let is_next = attempt == self.steps[step].attempt + 1;
        if self.steps[step].unmet > 0 || !is_next || self.has_open_parts(step) {
            return Err(self.wrong_status(step));
        }
        self.drop_children(step);
        let again = &mut self.steps[step];
        again.attempt = attempt;
        again.exchange.clear();
        again.calls.clear();
        again.base = None;
        (again.iterations, again.guard_from) = (0, 0);
        again.extended.clear();
        again.limit = None;
        again.used_before = again.usage;
        again.cap_refused = None;
        again.started_at = Some(at);
        self.set_status(step, StepStatus::InProgress);
        Ok(())
    }

    fn end_step(&mut self, place: &Place, end: &StepEnd<'_>, carried: bool, at: i64) -> Result<usize, Conflict> {
        use StepStatus::{Cancelled, Completed, Failed, InProgress, Pending, Skipped, Waiting};
        let allowed: &[StepStatus] = match end.status {
            Completed if carried => &[Pending],
            Completed => &[InProgress],
            Failed => &[InProgress, Waiting],
            Skipped | Cancelled => &[Pending, InProgress, Waiting],
            Pending | InProgress | Waiting => &[],
        };
        let step = self.step_in(place, allowed)?;
        if end.status == Completed && self.is_delegating(step) {
            return Err(self.wrong_status(step));
        }
        let cause = match end.because {
            Some(because) => Some(self.index_of(because).ok_or(Conflict::NoStep)?),
            None => None,
        };
        for request in std::mem::take(&mut self.steps[step].waits_for) {
            if self.requests[request].step == Some(step) {
                self.close_request(request, RequestStatus::Cancelled);
            }
        }
        let warned = end.status == Completed && (end.reason.is_some() || end.validation == ValidationStatus::Failed);
        let over = &mut self.steps[step];
        (over.validation, over.ended_at, over.warned) = (Some(end.validation), Some(at), warned);
        over.result.clone_from(end.result);
        over.reason.clone_from(end.reason);
        self.warned += usize::from(warned);
        self.steps[step].because = cause;
        if let Some(cause) = cause {
            self.steps[cause].brought_down.push(step);
        }
        self.set_status(step, end.status);
        Ok(step)
    }

    fn reset_step(&mut self, place: &Place, stale: &[StepId]) -> Result<(), Conflict> {
        let step = self.step_of(place)?;
        if self.cancelled {
            return Err(Conflict::Over(self.run.clone()));
        }
        if let Some(parent) = self.steps[step].parent {
            let (step, of) = (self.steps[step].id.clone(), self.steps[parent].id.clone());
            return Err(Conflict::Part { step, of });
        }
        if !self.steps[step].status.is_settled() {
            return Err(self.wrong_status(step));
        }
        (self.ended, self.stop_asked) = (false, false);
        self.synthesis = None;
        self.unsettle(step);
        for other in stale.iter().filter_map(|id| self.index.get(id)) {
            self.steps[*other].stale = self.steps[*other].status == StepStatus::Completed;
        }
        Ok(())
    }

    fn reply(
        &mut self,
        place: &Place,
        purpose: Purpose,
        mut said: ReplyRecord,
        calls: &[PlannedCall],
        usage: Usage,
    ) -> Result<(), Conflict> {
        if purpose == Purpose::Step {
            let step = self.step_in(place, &[StepStatus::InProgress])?;
            if let Some(taken) = calls.iter().find(|call| self.calls.contains_key(&call.id)) {
                return Err(Conflict::Taken(taken.id.to_string()));
            }
            for call in calls {
                let entry = self.add_entry(step, call.id.clone(), &call.tool, call.arguments.clone());
                said.calls.push(entry);
            }
            if let Some(named) = base_of(said.recipe.as_ref()) {
                self.base = Some(named.clone());
                self.steps[step].base = Some(named);
            } else if self.steps[step].base.is_none() {
                self.steps[step].base.clone_from(&self.base);
            }
            let asked = &mut self.steps[step];
            asked.exchange.push(Exchange::Reply(said));
            asked.iterations += 1;
            add(&mut asked.usage, usage);
        } else if purpose == Purpose::Synthesis {
            self.synthesis = said.text;
        } else if let Ok(step) = self.step_of(place) {
            // What it took to find who does a step counts as the step's.
            add(&mut self.steps[step].usage, usage);
        }
        add(&mut self.usage, usage);
        self.model_calls = self.model_calls.saturating_add(1);
        Ok(())
    }

    fn say(&mut self, place: &Place, said: Exchange) -> Result<(), Conflict> {
        let step = self.step_in(place, &[StepStatus::InProgress])?;
        self.steps[step].exchange.push(said);
        Ok(())
    }
}

/// The parts of a step's end.
struct StepEnd<'a> {
    status: StepStatus,
    validation: ValidationStatus,
    result: &'a Option<Content>,
    reason: &'a Option<String>,
    because: &'a Option<StepId>,
}

/// What a recipe says that its request shares with others.
fn base_of(recipe: Option<&Content>) -> Option<Digest> {
    match recipe? {
        Content::Inline { inline } => inline.get("base")?.as_str().and_then(Digest::parse),
        Content::Blob { .. } => None,
    }
}

fn add(total: &mut Usage, more: Usage) {
    // An endpoint's figures are not to be trusted with an overflow.
    total.input = total.input.saturating_add(more.input);
    total.cached = total.cached.saturating_add(more.cached);
    total.output = total.output.saturating_add(more.output);
}
