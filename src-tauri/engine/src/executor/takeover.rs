//! Completed steps of an earlier run that a new version of the plan leaves unchanged, and what a retry makes stale.

use std::collections::HashSet;

use assent_core::ids::{RunId, StepId};
use assent_core::order::sort;
use assent_core::plan::{CheckedPlan, Plan, Step};
use assent_core::run::{
    CallState, CallStatus, Content, EventKind, LedgerEntry, RunState, RunStatus, StepStatus, ValidationStatus,
};
use serde_json::Value;

use super::carrier::Carrier;
use super::result::{presented, told};
use super::verify::mode;
use super::{Executor, ExecutorError, words};
use crate::tool::{Catalogue, Changed};

/// A completed step that is taken over and not done again.
#[derive(Debug, Clone, PartialEq)]
pub struct Carried {
    /// The step.
    pub step: StepId,
    /// The run that completed it.
    pub from: RunId,
    /// What the ledger said.
    pub validation: ValidationStatus,
    /// What it gave, for the steps that build on it.
    pub result: Option<Value>,
    /// The warning with which it completed.
    pub reason: Option<String>,
}

/// A call of an earlier run that a new version may make once more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    /// Its step.
    pub step: StepId,
    /// Its tool.
    pub tool: String,
    /// How it ended.
    pub was: Was,
}

/// How such a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Was {
    /// The run was stopped while it was under way.
    BrokenOff,
    /// Nobody knew, and a person has left its step out.
    Unknown,
    /// It did its work, in a step that was not completed.
    Done,
}

impl Carried {
    pub(super) fn event(self, carrier: &Carrier) -> EventKind {
        EventKind::StepEnded {
            status: StepStatus::Completed,
            validation: self.validation,
            result: self.result.map(|result| carrier.content(result)),
            reason: self.reason,
            because: None,
            carried_from: Some(self.from),
        }
    }
}

impl Executor {
    /// The steps of an earlier run that `new` need not do again: completed, not stale, told the same of the conversation,
    /// and with the same id, content and dependencies, all of which are taken over too.
    ///
    /// # Errors
    /// A content could not be read.
    pub fn carried(&self, old: &Plan, state: &RunState, new: &Plan) -> Result<Vec<Carried>, ExecutorError> {
        self.taken_over(old, state, new).into_iter().map(|at| self.take(state, at)).collect()
    }

    /// The calls with effects of steps that an earlier run, which is over, has not completed and `new` does again, or has
    /// completed and `new` does again as they were, because something that they build on is another now. What leaves
    /// everything as it is when it is made once more is none of them, nor are the calls of steps that are `wanted` anew.
    ///
    /// # Errors
    /// A content could not be read.
    pub fn made_again(
        &self,
        old: &Plan,
        state: &RunState,
        new: &Plan,
        wanted: &[&StepId],
    ) -> Result<Vec<Again>, ExecutorError> {
        let broken_off = broken_off(state);
        let taken = self.taken_over(old, state, new);
        let is_redone = |at: usize| {
            let is_in_both = |was: &Step| new.steps.iter().any(|step| is_same(was, step));
            !taken.contains(&at) && old.steps.get(at).is_some_and(is_in_both)
        };
        let mut found = self.done_before(state, |at| is_redone(at) && !wanted.contains(&&state.step(at).id))?;
        for (at, entry) in state.ledger().iter().enumerate() {
            let outermost = state.outermost(entry.step);
            let is_completed = state.step(outermost).status == StepStatus::Completed;
            if wanted.contains(&&state.step(outermost).id) {
                continue;
            }
            // What an agent has done stands for itself.
            if (is_completed && !is_redone(outermost)) || !entry.has_effects() || entry.carried_out_by.is_some() {
                continue;
            }
            let was = match &entry.state {
                _ if broken_off.contains(&at) => Was::BrokenOff,
                CallState::Open if entry.repeated_by.is_none() => Was::Unknown,
                CallState::Ended(end) if end.status == CallStatus::Success => Was::Done,
                _ => continue,
            };
            let id = old.steps.get(outermost).map(|step| &step.id);
            let is_in = |step: &Step| Some(&step.id) == id || step.required_tools.contains(&entry.tool);
            // What it has done of itself is for a person to look at in any case.
            let is_again = was == Was::BrokenOff || new.steps.iter().any(is_in);
            if is_again && !self.leaves_all_as_it_is(entry)? {
                found.push(Again { step: state.step(entry.step).id.clone(), tool: entry.tool.clone(), was });
            }
        }
        Ok(found)
    }

    /// The effects that runs before this one have had in steps that it has taken over.
    fn done_before(&self, state: &RunState, of: impl Fn(usize) -> bool) -> Result<Vec<Again>, ExecutorError> {
        let mut found = Vec::new();
        for (run, steps) in state.taken_over(of).into_iter().filter(|(run, _)| *run != state.run()) {
            let earlier = self.parts.state_of(&self.parts.runs.run(run)?)?;
            let all = steps.into_iter().filter_map(|step| earlier.index_of(step));
            for part in all.flat_map(|step| earlier.with_parts(step)) {
                for entry in earlier.entries_of(part) {
                    let is_done = matches!(&entry.state, CallState::Ended(end) if end.status == CallStatus::Success);
                    let is_own = entry.has_effects() && entry.carried_out_by.is_none();
                    if is_done && is_own && !self.leaves_all_as_it_is(entry)? {
                        let step = earlier.step(part).id.clone();
                        found.push(Again { step, tool: entry.tool.clone(), was: Was::Done });
                    }
                }
            }
        }
        Ok(found)
    }

    /// Whether a call that is over would change nothing if it were made once more.
    fn leaves_all_as_it_is(&self, entry: &LedgerEntry) -> Result<bool, ExecutorError> {
        let (Some(tool), CallState::Ended(end)) = (self.parts.catalogue.get(&entry.tool), &entry.state) else {
            return Ok(false);
        };
        if end.status != CallStatus::Success {
            return Ok(false);
        }
        let (arguments, output) = (self.content(&entry.arguments)?, self.content(&end.output)?);
        let nothing = |changed: Changed| changed.paths.is_empty() && changed.is_all && !changed.reaches_out;
        Ok(tool.looks_anew()
            || tool.can_be_repeated(&arguments)
            || tool.changed(&arguments, &output).is_some_and(nothing))
    }

    /// Every step of a run that is settled or waits, with what it gave as another step would be told it.
    ///
    /// # Errors
    /// A content could not be read.
    pub fn results(&self, state: &RunState) -> Result<Vec<(StepId, StepStatus, String)>, ExecutorError> {
        let begun = |at: &usize| !matches!(state.step(*at).status, StepStatus::Pending | StepStatus::InProgress);
        let all = (0..state.steps().len()).filter(begun);
        all.map(|at| {
            let step = state.step(at);
            let mut parts = self.gave(state, at)?;
            parts.extend(step.reason.clone().filter(|_| step.status != StepStatus::Completed));
            Ok((step.id.clone(), step.status, parts.join("\n")))
        })
        .collect()
    }

    /// The steps of an earlier run that are taken over, each after those that it builds on.
    fn taken_over(&self, old: &Plan, state: &RunState, new: &Plan) -> Vec<usize> {
        // Every step is told all of it; a value more changes nothing of what the others say.
        let is_kept = |(name, value)| new.extracted_context.get(name) == Some(value);
        if !old.extracted_context.iter().all(is_kept) {
            return Vec::new();
        }
        let specialists = self.parts.heap.now();
        let told = |plan: &Plan, step: &Step| {
            let id = step.executor.id.as_str();
            plan.instructions_to(id, specialists.registry.root_of(id)).map(str::to_owned)
        };
        let is_unchanged = |step: &&Step| is_unchanged(old, state, new, step) && told(old, step) == told(new, step);
        let mut taken: Vec<usize> = Vec::new();
        let mut ids: HashSet<&StepId> = HashSet::new();
        let mut left: Vec<&Step> = new.steps.iter().filter(is_unchanged).collect();
        loop {
            let (now, later): (Vec<&Step>, Vec<&Step>) =
                left.into_iter().partition(|step| step.dependencies.iter().all(|on| ids.contains(on)));
            if now.is_empty() {
                return taken;
            }
            taken.extend(now.iter().filter_map(|step| state.index_of(&step.id)));
            ids.extend(now.into_iter().map(|step| &step.id));
            left = later;
        }
    }

    fn gave(&self, state: &RunState, at: usize) -> Result<Vec<String>, ExecutorError> {
        gave(state, at, &self.parts.catalogue, |content| self.content(content))
    }

    fn take(&self, state: &RunState, at: usize) -> Result<Carried, ExecutorError> {
        let step = state.step(at);
        let parts = self.gave(state, at)?;
        let first = step.carried_from.clone().unwrap_or_else(|| state.run().clone());
        Ok(Carried {
            step: step.id.clone(),
            from: first,
            validation: step.validation.unwrap_or(ValidationStatus::Skipped),
            result: (!parts.is_empty()).then(|| Value::String(parts.join("\n"))),
            reason: step.reason.clone(),
        })
    }
}

/// The effects that were under way when a run was stopped: of each step that ended with the run the last call, where it
/// did not come to an end of its own.
fn broken_off(state: &RunState) -> Vec<usize> {
    if state.status() != RunStatus::Cancelled {
        return Vec::new();
    }
    let begun = |at: &usize| state.ledger()[*at].begun;
    let stopped = state.steps().iter().filter(|step| step.status == StepStatus::Cancelled);
    let last = stopped.filter_map(|step| step.calls.iter().copied().max_by_key(begun));
    let broke_off = |at: &usize| match &state.ledger()[*at].state {
        CallState::Ended(end) => end.status == CallStatus::Error && end.by.is_none(),
        _ => false,
    };
    last.filter(broke_off).collect()
}

/// What a step gave: its calls, and what it said of them.
pub(super) fn gave<E>(
    state: &RunState,
    at: usize,
    catalogue: &Catalogue,
    read: impl Fn(&Content) -> Result<Value, E>,
) -> Result<Vec<String>, E> {
    let mut gave = Vec::new();
    for entry in state.entries_of(at) {
        if let CallState::Ended(end) = &entry.state
            && end.satisfied
        {
            gave.push(presented(catalogue, &entry.tool, &read(&end.output)?));
        }
    }
    let said = state.step(at).result.as_ref().map(read).transpose()?;
    Ok(told(gave, said.as_ref().map(words::plain)))
}

/// Whether a completed step says what it said. What it was granted follows from the whole plan, and nothing of it is
/// called again.
fn is_unchanged(old: &Plan, state: &RunState, new: &Plan, step: &Step) -> bool {
    let Some(at) = state.index_of(&step.id) else {
        return false;
    };
    let was = state.step(at);
    let says_the_same = |before: &Step| {
        // What its mode is counts, and not where the plan says it.
        let tool_validation_mode = step.tool_validation_mode;
        is_same(&Step { tool_validation_mode, ..before.clone() }, step) && mode(old, before) == mode(new, step)
    };
    was.status == StepStatus::Completed && !was.stale && old.steps.get(at).is_some_and(says_the_same)
}

/// Whether two versions of a step say the same, whatever their plans grant them.
pub(super) fn is_same(old: &Step, new: &Step) -> bool {
    Step { grants: new.grants.clone(), ..old.clone() } == *new
}

/// The completed steps that build on one, directly or not.
pub(super) fn completed_downstream(plan: &CheckedPlan, state: &RunState, at: usize) -> Vec<StepId> {
    let completed = |next: &usize| state.step(*next).status == StepStatus::Completed;
    let mut found: Vec<usize> = plan.downstream(at).into_iter().filter(completed).collect();
    sort(&mut found);
    found.into_iter().map(|next| state.step(next).id.clone()).collect()
}
