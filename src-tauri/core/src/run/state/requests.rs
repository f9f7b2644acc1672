//! Events about requests: opening, settling, and which steps wait for what.

use super::{CallState, Conflict, RequestState, RunState};
use crate::ids::{CallId, Digest, RequestId};
use crate::run::{Answer, LOOP, Place, Request, RequestKind, RequestStatus, StepStatus};

impl RunState {
    /// The open request for which a step waits: its own, or one that holds a call of it.
    pub fn waits_for(&self, step: usize) -> Option<&RequestState> {
        self.steps[step].waits_for.first().map(|request| &self.requests[*request])
    }

    pub(super) fn hold(&mut self, place: &Place, call: &CallId, request: &RequestId) -> Result<(), Conflict> {
        let step = self.step_in(place, &[StepStatus::InProgress, StepStatus::Waiting])?;
        let waited = match self.open_index(request) {
            // It was answered while this was on its way to the file: there is nothing to wait for any more.
            Err(Conflict::Settled { .. }) => None,
            open => Some(open?),
        };
        // What a person has allowed has stopped before, for that; what they want made once more has begun.
        let (allowed, again) = match self.answered(call) {
            Some((RequestKind::Permit, Answer::Approve { .. })) => (true, false),
            Some((RequestKind::UnknownOutcome, Answer::Value { .. })) => (false, true),
            _ => (false, false),
        };
        self.entry(call, |state| match state {
            CallState::Planned => true,
            CallState::Suspended => allowed,
            CallState::Open => again,
            CallState::Ended(_) | CallState::Refused(_) => false,
        })?;
        let Some(waited) = waited else { return Ok(()) };
        self.requests[waited].holds.push(step);
        self.steps[step].waits_for.insert(waited);
        self.set_status(step, StepStatus::Waiting);
        Ok(())
    }

    /// What a person was asked about a call, and has answered.
    fn answered(&self, call: &CallId) -> Option<(RequestKind, &Answer)> {
        let asked = &self.requests[self.ledger[self.call(call)?].request?];
        Some((asked.request.kind, asked.answer.as_ref()?))
    }

    fn open_index(&self, request: &RequestId) -> Result<usize, Conflict> {
        let at = self.request_index.get(request).copied().ok_or_else(|| Conflict::NoRequest(request.clone()))?;
        match self.requests[at].status {
            RequestStatus::Open => Ok(at),
            status => Err(Conflict::Settled { request: request.clone(), status }),
        }
    }

    pub(super) fn open_request(&mut self, place: &Place, request: &Request) -> Result<(), Conflict> {
        self.going_on()?;
        if self.request_index.contains_key(&request.id) {
            return Err(Conflict::Taken(request.id.to_string()));
        }
        let step = match &place.step {
            Some(_) => Some(self.step_in(place, &[StepStatus::InProgress, StepStatus::Waiting])?),
            None => None,
        };
        let entry = match &request.call {
            Some(call) => Some(self.call(call).ok_or_else(|| Conflict::NoCall(call.clone()))?),
            None => None,
        };
        let at = self.requests.len();
        let opened = RequestState {
            request: request.clone(),
            step,
            status: RequestStatus::Open,
            answer: None,
            file: None,
            holds: Vec::new(),
        };
        self.helps += usize::from(request.kind == RequestKind::Help);
        if let Some(step) = step {
            if opened.is_barrier() {
                self.barriers.insert((self.order(step), at));
            }
            self.steps[step].waits_for.insert(at);
            self.set_status(step, StepStatus::Waiting);
        }
        // Whether to go on at a limit says nothing of the call that came to it: what was settled of that stays.
        if let Some(entry) = entry.filter(|_| request.kind != RequestKind::Cap) {
            self.ledger[entry].request = Some(at);
        }
        self.requests.push(opened);
        self.request_index.insert(request.id.clone(), at);
        self.open.insert(at);
        Ok(())
    }

    pub(super) fn settle_request(
        &mut self,
        request: &RequestId,
        status: RequestStatus,
        answer: Option<&Answer>,
        file: Option<&Digest>,
    ) -> Result<(), Conflict> {
        let at = self.open_index(request)?;
        self.close_request(at, status);
        let settled = &mut self.requests[at];
        settled.answer = answer.cloned();
        settled.file = file.cloned();
        let (kind, step) = (settled.request.kind, settled.step);
        if let Some(step) = step {
            match (kind, answer) {
                // What a part of an attempt asked that is to be done again says nothing of the next one.
                (RequestKind::Confirm, Some(answer))
                    if answer.refuses() && self.steps[self.outermost(step)].status != StepStatus::Pending =>
                {
                    self.refused.insert(self.order(step));
                }
                (RequestKind::Cap, Some(answer)) if answer.keeps_going() => {
                    let extended = &mut self.steps[step];
                    if let Some(limit) = extended.limit.clone() {
                        if limit == LOOP {
                            extended.guard_from = extended.calls.len();
                        }
                        extended.extended.push(limit);
                    }
                }
                (RequestKind::Cap, _) => self.steps[step].cap_refused = Some(at),
                _ => {}
            }
            self.wake(step, at);
        }
        Ok(())
    }

    /// Takes a request from the open ones and lets the steps go on whose calls it held.
    pub(super) fn close_request(&mut self, at: usize, status: RequestStatus) {
        self.open.remove(&at);
        self.requests[at].status = status;
        self.helps -= usize::from(self.requests[at].request.kind == RequestKind::Help);
        if let Some(step) = self.requests[at].step {
            self.barriers.remove(&(self.order(step), at));
        }
        for held in std::mem::take(&mut self.requests[at].holds) {
            self.wake(held, at);
        }
    }

    fn wake(&mut self, step: usize, request: usize) {
        self.steps[step].waits_for.remove(&request);
        if self.steps[step].status == StepStatus::Waiting && self.steps[step].waits_for.is_empty() {
            self.set_status(step, StepStatus::InProgress);
        }
    }
}
