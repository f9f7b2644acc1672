//! Events about tool calls.

use super::{CallState, Conflict, Ended, LedgerEntry, RunState};
use crate::contract::Risk;
use crate::ids::CallId;
use crate::run::{Content, EventKind, Place};

impl RunState {
    pub(super) fn apply_to_call(&mut self, place: &Place, at: i64, kind: &EventKind) -> Result<(), Conflict> {
        if matches!(kind, EventKind::CallStarted { .. }) {
            self.beginning()?;
        }
        match kind {
            EventKind::CallStarted { call, repeats: Some(original), arguments, risk, .. } => {
                self.repeat_call(original, call, arguments.as_ref(), *risk, at)
            }
            EventKind::CallStarted { call, arguments, risk, .. } => {
                let before = self.begun;
                let entry = self.entry(call, |state| matches!(state, CallState::Planned | CallState::Suspended))?;
                if let Some(changed) = arguments {
                    entry.planned = Some(std::mem::replace(&mut entry.arguments, changed.clone()));
                }
                entry.begin(*risk, before, at);
                self.begun += 1;
                Ok(())
            }
            EventKind::CallEnded { call, status, output, error, satisfied, missed, met, by, duration_ms } => {
                // Only a person's word can end a call that never began.
                let begun = by.is_some();
                let entry = self.entry(call, |state| match state {
                    CallState::Open => true,
                    CallState::Planned | CallState::Suspended => begun,
                    CallState::Ended(_) | CallState::Refused(_) => false,
                })?;
                entry.state = CallState::Ended(Ended {
                    status: *status,
                    output: output.clone(),
                    error: error.clone(),
                    satisfied: *satisfied,
                    missed: missed.clone(),
                    met: *met,
                    by: *by,
                    duration_ms: *duration_ms,
                });
                if let Some(agent) = entry.carried_out_by {
                    self.take_back(agent);
                }
                Ok(())
            }
            EventKind::CallSuspended { call, .. } => {
                self.entry(call, |state| matches!(state, CallState::Planned | CallState::Open))?.state =
                    CallState::Suspended;
                Ok(())
            }
            EventKind::CallHeld { call, request } => self.hold(place, call, request),
            EventKind::CallRefused { call, fault } => {
                self.entry(call, |state| matches!(state, CallState::Planned | CallState::Suspended))?.state =
                    CallState::Refused(fault.clone());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn add_entry(&mut self, step: usize, call: CallId, tool: &str, arguments: Content) -> usize {
        let entry = self.ledger.len();
        self.calls.insert(call.clone(), entry);
        self.ledger.push(LedgerEntry {
            call,
            step,
            tool: tool.to_owned(),
            arguments,
            planned: None,
            state: CallState::Planned,
            risk: None,
            request: None,
            repeated_by: None,
            begun: None,
            started_at: None,
            carried_out_by: None,
        });
        self.steps[step].calls.push(entry);
        entry
    }

    /// The entry of a call in a step that is being worked on, when its state fits.
    pub(super) fn entry(
        &mut self,
        call: &CallId,
        fits: impl Fn(&CallState) -> bool,
    ) -> Result<&mut LedgerEntry, Conflict> {
        let at = self.calls.get(call).copied().ok_or_else(|| Conflict::NoCall(call.clone()))?;
        self.going_on()?;
        let step = self.ledger[at].step;
        if self.steps[step].status.is_settled() {
            return Err(self.wrong_status(step));
        }
        let untouched = self.ledger[at].repeated_by.is_none();
        if untouched && fits(&self.ledger[at].state) {
            Ok(&mut self.ledger[at])
        } else {
            Err(Conflict::Call(call.clone()))
        }
    }

    fn repeat_call(
        &mut self,
        original: &CallId,
        call: &CallId,
        arguments: Option<&Content>,
        risk: Risk,
        at: i64,
    ) -> Result<(), Conflict> {
        if self.calls.contains_key(call) {
            return Err(Conflict::Taken(call.to_string()));
        }
        let before = self.entry(original, |state| matches!(state, CallState::Open))?;
        if before.repeated_by.is_some() {
            return Err(Conflict::Call(original.clone()));
        }
        let (step, tool) = (before.step, before.tool.clone());
        let arguments = arguments.unwrap_or(&before.arguments).clone();
        let entry = self.add_entry(step, call.clone(), &tool, arguments);
        self.ledger[entry].begin(risk, self.begun, at);
        self.begun += 1;
        let first = self.calls[original];
        self.ledger[first].repeated_by = Some(entry);
        Ok(())
    }
}

impl LedgerEntry {
    fn begin(&mut self, risk: Risk, before: usize, at: i64) {
        (self.state, self.risk) = (CallState::Open, Some(risk));
        (self.begun, self.started_at) = (Some(before), Some(at));
    }
}
