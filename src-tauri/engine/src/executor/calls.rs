//! Carrying out the calls of a reply: checked, perhaps permitted, written down before they begin, and after they end.
//!
//! A person is asked before anything starts: a blocking call of a reply goes first and the others wait for its answer;
//! then every call that needs permission asks; then the calls are made in their order. A call with effects begins only
//! when its start is on the disk.

use std::sync::Arc;

use assent_core::contract::{Fault, Mode, Risk, Stage, ToolSpec};
use assent_core::ids::{CallId, Digest};
use assent_core::plan::StepType;
use assent_core::run::{
    Answer, CallState, CallStatus, Durability, EventKind, LOOP, LedgerEntry, RequestKind, RequestStatus, StepStatus,
};
use serde_json::Value;

use super::error::Stop;
use super::guard::{Guarded, guard, is_told, same_call};
use super::once::TooMany;
use super::parts::{Asker, Proposal, Verdict};
use super::shown::{does_something_else, lacking, out_of_scope};
use super::step::Worker;
use super::{caps, suspend, verify};
use crate::model::PlannerProfile;
use crate::tool::permission::plain;
use crate::tool::{Effects, Tool};

/// A call that fits its tool.
pub(super) struct Ready {
    pub(super) entry: usize,
    pub(super) call: CallId,
    pub(super) tool: Arc<dyn Tool>,
    pub(super) arguments: Value,
    pub(super) effects: Effects,
    /// The call of unknown outcome that a person wants made once more.
    pub(super) repeats: Option<CallId>,
    /// A person has allowed it.
    pub(super) granted: bool,
    /// The file that it changes, as it was when that was allowed.
    pub(super) approved: Option<Digest>,
    /// The arguments are not those of the reply.
    pub(super) changed: bool,
    /// The rules have let it pass, and nothing has happened since that they look at.
    pub(super) cleared: bool,
}

impl Ready {
    pub(super) fn risk(&self) -> Risk {
        self.tool.spec().risk.max(self.effects.risk)
    }

    fn is_blocking(&self) -> bool {
        self.tool.spec().mode == Mode::Blocking
    }
}

impl Worker<'_> {
    /// Carries out what is left of the latest reply's calls, until all are over or the step waits.
    pub(super) async fn carry_out(&mut self) -> Result<(), Stop> {
        self.prepare(None).await?;
        if let Some(open) = self.first(|state| matches!(state, CallState::Open)) {
            return self.recover_call(open).await;
        }
        let mut left = Vec::new();
        for entry in self.unfinished() {
            if let Some(decided) = self.decided(entry) {
                self.write(vec![decided], Durability::Queued).await?;
                continue;
            }
            match (self.made_before(entry), self.fit(entry)?) {
                (Some(TooMany::Refused(fault)), _) | (_, Err(fault)) => self.refuse(entry, fault).await?,
                (_, Ok(ready)) => left.push(ready),
            }
        }
        if self.asked_nobody() {
            for ready in std::mem::take(&mut left) {
                match ready.is_blocking() || !ready.risk().has_effects() {
                    true => left.push(ready),
                    false => self.refuse(ready.entry, behind_a_question(&ready)).await?,
                }
            }
        }
        if let Some(blocking) = left.iter().position(Ready::is_blocking) {
            let mut blocking = left.swap_remove(blocking);
            if self.ask_permissions(std::slice::from_mut(&mut blocking)).await? {
                return Ok(());
            }
            return self.begin(blocking).await;
        }
        if self.turns_away(&mut left).await? || self.ask_permissions(&mut left).await? {
            return Ok(());
        }
        for ready in left {
            if !self.is_going_on() {
                return Ok(());
            }
            self.begin(ready).await?;
        }
        Ok(())
    }

    /// Whether the latest reply has a call that was to ask a person and could not: what stands beside it may have been
    /// meant for after the answer.
    fn asked_nobody(&self) -> bool {
        let state = self.carrier.state();
        let Some(reply) = state.step(self.at).latest_reply() else { return false };
        let asks =
            |tool: &str| self.carrier.parts.catalogue.get(tool).is_some_and(|tool| tool.spec().mode == Mode::Blocking);
        let failed = |entry: &LedgerEntry| match &entry.state {
            CallState::Refused(_) => true,
            CallState::Ended(end) => end.status == CallStatus::Error,
            CallState::Planned | CallState::Open | CallState::Suspended => false,
        };
        let entries = reply.calls.iter().map(|entry| &state.ledger()[*entry]);
        entries.filter(|entry| entry.request.is_none()).any(|entry| failed(entry) && asks(&entry.tool))
    }

    /// Whether the step is at work, and the run not paused.
    pub(super) fn is_going_on(&self) -> bool {
        let state = self.carrier.state();
        let works = state.step(self.at).status == StepStatus::InProgress && !state.is_paused();
        works && !self.carrier.resting.has(self.at)
    }

    fn first(&self, fits: impl Fn(&CallState) -> bool) -> Option<usize> {
        let state = self.carrier.state();
        let calls = &state.step(self.at).calls;
        let fits = |entry: &LedgerEntry| entry.repeated_by.is_none() && fits(&entry.state);
        calls.iter().copied().find(|entry| fits(&state.ledger()[*entry]))
    }

    fn unfinished(&self) -> Vec<usize> {
        let state = self.carrier.state();
        let waits = |entry: &usize| matches!(state.ledger()[*entry].state, CallState::Planned | CallState::Suspended);
        state.step(self.at).calls.iter().copied().filter(waits).collect()
    }

    /// A call that was under way when the process died: one that only looks, or only asks, is made again; of any other
    /// nobody knows how it ended.
    async fn recover_call(&mut self, entry: usize) -> Result<(), Stop> {
        let agent = self.carrier.state().ledger()[entry].carried_out_by;
        if let Some(agent) = agent {
            return self.take_back(entry, agent).await;
        }
        let risk = self.carrier.state().ledger()[entry].risk;
        let fitting = self.fit(entry)?.ok();
        let harmless = risk.is_some_and(|risk| !risk.has_effects());
        match fitting {
            Some(ready) if harmless => self.execute(ready, false).await,
            _ => self.ask_what_became_of(entry, "was under way when Assent ended", None).await,
        }
    }

    /// Whether a call is in scope and its arguments fit.
    pub(super) fn fit(&self, entry: usize) -> Result<Result<Ready, Fault>, Stop> {
        let (call, name, arguments, answer) = {
            let state = self.carrier.state();
            let asked = &state.ledger()[entry];
            let answer = asked.request.map(|request| &state.requests()[request]).filter(|request| {
                request.request.kind == RequestKind::Permit && request.status == RequestStatus::Answered
            });
            let answer = answer.map(|request| (request.answer.clone(), request.file.clone()));
            (asked.call.clone(), asked.tool.clone(), asked.arguments.clone(), answer)
        };
        let active = self.base.as_ref().map_or(&[][..], |base| &base.tools);
        let is_active = active.iter().any(|spec| spec.name == name) || self.may_look_up(&name);
        let tool = self.carrier.parts.catalogue.get(&name).filter(|_| is_active);
        let Some(tool) = tool.cloned() else {
            return Ok(Err(out_of_scope(&name, active)));
        };
        let is_other = |spec: &ToolSpec| spec.name == name && spec.template != tool.spec().template;
        if active.iter().any(is_other) || self.is_bound_otherwise(tool.spec()) {
            return Ok(Err(does_something_else(&name)));
        }
        let (granted, edited, approved) = match answer {
            Some((Some(Answer::Approve { arguments, .. }), file)) => (true, arguments, file),
            _ => (false, None, None),
        };
        let changed = edited.is_some();
        let shown = active.iter().find(|spec| spec.name == name);
        let arguments = match edited {
            Some(edited) => edited,
            None => self.carrier.value(&arguments)?.clone(),
        };
        Ok(match self.carrier.parts.rules.arguments(tool.spec(), arguments) {
            Ok(arguments) => {
                // A person may leave out what a small model may not.
                let catalogue = &self.carrier.parts.catalogue;
                let lacking = shown.filter(|_| !changed).and_then(|shown| lacking(catalogue, shown, &arguments));
                if let Some(fault) = lacking {
                    return Ok(Err(fault));
                }
                let effects = tool.effects(&arguments);
                let (repeats, cleared) = (None, false);
                Ok(Ready { entry, call, tool, arguments, effects, repeats, granted, approved, changed, cleared })
            }
            Err(fault) => Err(*fault),
        })
    }

    /// Whether a step that thinks may call this, although a small model is not offered it: shown a tool, it would call it
    /// instead of thinking.
    fn may_look_up(&self, tool: &str) -> bool {
        let step = self.plan_step();
        let looks = || self.carrier.parts.rules.active(&self.carrier.job, step, &Asker::of(PlannerProfile::Full));
        step.effective_type() == StepType::Reasoning && looks().specs.iter().any(|spec| spec.name == tool)
    }

    /// Puts before a person that a call has begun and nobody else knows how far it came; with the limit that ended it.
    pub(super) async fn ask_what_became_of(
        &self,
        entry: usize,
        event: &str,
        reached: Option<EventKind>,
    ) -> Result<(), Stop> {
        let request = suspend::unknown_outcome(self, entry, event)?;
        self.write(reached.into_iter().chain([suspend::opened(request)]).collect(), Durability::Committed).await
    }

    pub(super) async fn refuse(&self, entry: usize, fault: Fault) -> Result<(), Stop> {
        let call = self.carrier.state().ledger()[entry].call.clone();
        self.write(vec![EventKind::CallRefused { call, fault }], Durability::Queued).await
    }

    pub(super) fn proposal<'b>(&'b self, ready: &'b Ready) -> Proposal<'b> {
        Proposal {
            told: is_told(&self.carrier.state(), self.at, &ready.tool.spec().name),
            run: &self.carrier.run,
            plan: self.carrier.plan(),
            step: self.plan_step(),
            tool: ready.tool.as_ref(),
            arguments: &ready.arguments,
            effects: &ready.effects,
            workspace: &self.carrier.job.workspace,
        }
    }

    /// Asks for every call that a person has to allow, before any of the reply starts; whether one has to wait.
    async fn ask_permissions(&self, left: &mut [Ready]) -> Result<bool, Stop> {
        let mut events = Vec::new();
        let seen = self.seen()?;
        let mut written: Vec<String> = Vec::new();
        let twice = self.said_twice(left);
        let mut changed = false;
        for (place, ready) in left.iter_mut().enumerate() {
            let (first, follows_an_effect) = (place == 0, changed);
            changed |= ready.risk().has_effects();
            // What it would be asked about is not there yet: an earlier call of the reply makes it. Its turn comes later.
            let writes: Vec<String> =
                ready.effects.writes.iter().map(|path| plain(path, &self.carrier.job.workspace)).collect();
            let follows = writes.iter().any(|path| written.contains(path));
            written.extend(writes);
            if ready.granted || follows || twice.contains(&ready.entry) {
                continue;
            }
            // Nobody is asked about what is made up. What an earlier call of the reply makes may be named by a later one;
            // what an earlier one finds was not known when the reply was written, and is judged again after it.
            if !follows_an_effect && self.carrier.parts.rules.grounded(&self.proposal(ready), &seen).is_err() {
                continue;
            }
            match self.permitted(ready, &seen) {
                Verdict::Permit(permit) => {
                    let request = suspend::permit(self, ready, permit);
                    events.extend(suspend::waits(ready.call.clone(), request));
                }
                Verdict::Allowed => ready.cleared = first,
                Verdict::Refused(_) => {}
            }
        }
        if events.is_empty() {
            return Ok(false);
        }
        self.write(events, Durability::Committed).await?;
        Ok(true)
    }

    /// The calls of a reply that stand in it before: they are not asked about beside the first.
    fn said_twice(&self, left: &[Ready]) -> Vec<usize> {
        let state = self.carrier.state();
        let entry = |ready: &Ready| &state.ledger()[ready.entry];
        let is_second =
            |(place, ready): &(usize, &Ready)| left[..*place].iter().any(|other| same_call(entry(other), entry(ready)));
        left.iter().enumerate().filter(is_second).map(|(_, ready)| ready.entry).collect()
    }

    /// The last checks of a call, then the call.
    async fn begin(&mut self, ready: Ready) -> Result<(), Stop> {
        if !ready.granted {
            if let Some(decided) = self.decided(ready.entry) {
                return self.write(vec![decided], Durability::Queued).await;
            }
            let (guarded, satisfied) = {
                let state = self.carrier.state();
                (guard(&state, self.at, ready.entry), verify::is_satisfied(&state, self.at, self.plan_step()))
            };
            match guarded {
                Guarded::Free => {}
                Guarded::Round { fault, again: false } => {
                    self.write(vec![caps::reached(LOOP, 3)], Durability::Queued).await?;
                    return self.refuse(ready.entry, fault).await;
                }
                Guarded::Round { fault, again: true } if satisfied => return self.refuse(ready.entry, fault).await,
                Guarded::Round { again: true, .. } => {
                    let reason = format!("{} keeps being called with the same result.", ready.tool.spec().name);
                    return self.put_before_a_person(Some(&ready), caps::reached(LOOP, 3), &reason).await;
                }
            }
            if let Some(TooMany::Refused(fault)) = self.made_before(ready.entry) {
                return self.refuse(ready.entry, fault).await;
            }
            if !ready.cleared
                && let Some(fault) = self.forbidden(&ready)?
            {
                return self.refuse(ready.entry, fault).await;
            }
        }
        if self.out_of_calls(&ready).await? || (ready.risk().has_effects() && self.held(&ready).await?) {
            return Ok(());
        }
        self.execute(ready, true).await
    }

    fn forbidden(&self, ready: &Ready) -> Result<Option<Fault>, Stop> {
        let seen = self.seen()?;
        let proposal = self.proposal(ready);
        if let Err(fault) = self.carrier.parts.rules.grounded(&proposal, &seen) {
            return Ok(Some(*fault));
        }
        Ok(match self.permitted(ready, &seen) {
            Verdict::Allowed => None,
            Verdict::Refused(fault) => Some(*fault),
            // What an earlier call of the reply has brought up is asked for with the next reply.
            Verdict::Permit(permit) => {
                let message = format!("{} needs permission: {}", proposal.tool.spec().name, permit.reason);
                Some(Fault::new(Stage::Permission, message).hint("Call it again by itself."))
            }
        })
    }
}

/// Why a call is not made that stands beside a question which was not asked.
fn behind_a_question(ready: &Ready) -> Fault {
    let message = format!("{} was not called: the question beside it could not be asked", ready.tool.spec().name);
    Fault::new(Stage::Permission, message).hint("Ask as its tool wants to be called, then call this again.")
}
