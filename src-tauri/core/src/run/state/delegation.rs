//! Steps that are brought to a leaf, steps that are handed on while the run goes on, and agents that steps call.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{CallState, Conflict, Order, RunState, StepState};
use crate::heap::Expanded;
use crate::ids::{CallId, Digest, RunId, StepId};
use crate::plan::{Plan, Step};
use crate::run::{Content, Place, StepStatus};

impl RunState {
    pub(super) fn expand_step(&mut self, place: &Place, expanded: &Expanded) -> Result<(), Conflict> {
        let step = self.step_in(place, &[StepStatus::Pending, StepStatus::InProgress])?;
        if !self.steps[step].children.is_empty() {
            return Err(self.wrong_status(step));
        }
        self.steps[step].expanded = Some(Box::new(expanded.clone()));
        Ok(())
    }

    /// Adds steps below one that is being worked on. They wait for each other only.
    pub(super) fn delegate(&mut self, place: &Place, steps: &[Step]) -> Result<(), Conflict> {
        let parent = self.step_in(place, &[StepStatus::InProgress])?;
        if steps.is_empty() || !self.steps[parent].children.is_empty() {
            return Err(self.wrong_status(parent));
        }
        self.add_below(parent, steps)
    }

    /// Adds the step that carries out an open call of an agent. The step that called it waits for it.
    pub(super) fn call_agent(
        &mut self,
        place: &Place,
        steps: &[Step],
        call: &CallId,
        (prompt, does): (Option<&Content>, Option<&Digest>),
    ) -> Result<(), Conflict> {
        let caller = self.step_in(place, &[StepStatus::InProgress])?;
        let entry = self.calls.get(call).copied().ok_or_else(|| Conflict::NoCall(call.clone()))?;
        let asked = &self.ledger[entry];
        let is_free = asked.step == caller && asked.state == CallState::Open && asked.carried_out_by.is_none();
        if !is_free || steps.len() != 1 || self.is_delegating(caller) {
            return Err(Conflict::Call(call.clone()));
        }
        self.add_below(caller, steps)?;
        let agent = self.steps.len() - 1;
        (self.steps[agent].prompt, self.steps[agent].does) = (prompt.cloned(), does.cloned());
        self.ledger[entry].carried_out_by = Some(agent);
        Ok(())
    }

    /// Whoever called an agent that failed has been told: it counts as the call that it was.
    pub(super) fn take_back(&mut self, agent: usize) {
        if self.steps[agent].status == StepStatus::Failed && !self.has_open_parts(agent) {
            self.discount(agent);
        }
    }

    /// Whether a step has handed its whole task on, so that it ends with its parts.
    pub fn has_handed_on(&self, step: usize) -> bool {
        !self.steps[step].children.is_empty() && self.steps[step].exchange.is_empty()
    }

    fn add_below(&mut self, parent: usize, steps: &[Step]) -> Result<(), Conflict> {
        let first = self.steps.len();
        let mut added: Vec<StepState> = Vec::with_capacity(steps.len());
        for step in steps {
            let is_taken = self.index.contains_key(&step.id) || added.iter().any(|other| other.id == step.id);
            if is_taken {
                return Err(Conflict::Taken(step.id.to_string()));
            }
            let mut dependencies = Vec::with_capacity(step.dependencies.len());
            for on in &step.dependencies {
                dependencies.push(first + added.iter().position(|other| other.id == *on).ok_or(Conflict::NoStep)?);
            }
            dependencies.sort_unstable();
            dependencies.dedup();
            let (id, unmet) = (step.id.clone(), dependencies.len());
            added.push(StepState { id, parent: Some(parent), unmet, dependencies, ..StepState::default() });
        }
        let above = &mut self.steps[parent];
        above.children.extend(first..first + added.len());
        above.delegated += added.len();
        added.into_iter().for_each(|step| self.add_step(step));
        self.delegated.extend(steps.iter().cloned().map(Arc::new));
        self.delegators.insert(parent);
        Ok(())
    }

    /// What a step has delegated in an earlier attempt counts no more: neither as done, nor as failed, nor as refused.
    /// All of it is over: nobody begins a step anew whose parts go on.
    pub(super) fn drop_children(&mut self, step: usize) {
        self.delegators.remove(&step);
        for child in std::mem::take(&mut self.steps[step].children) {
            self.drop_children(child);
            self.refused.remove(&self.order(child));
            self.discount(child);
        }
    }

    /// How a step and those below it ended counts no more.
    fn discount(&mut self, step: usize) {
        for child in self.steps[step].children.clone() {
            self.discount(child);
        }
        if !std::mem::replace(&mut self.steps[step].discounted, true) {
            self.counts[self.steps[step].status as usize] -= 1;
            self.warned -= usize::from(self.steps[step].warned);
        }
    }

    /// Whether something that a step has delegated in its current attempt, or a part of that, is not over.
    pub(super) fn has_open_parts(&self, step: usize) -> bool {
        let is_open = |child: &usize| !self.steps[*child].status.is_settled() || self.has_open_parts(*child);
        self.steps[step].children.iter().any(is_open)
    }

    /// Whether a step is one of the plan, or a part of a step that goes on: such a step can be done again because of
    /// another.
    pub(super) fn can_be_unsettled(&self, step: usize) -> bool {
        !self.steps[step].discounted
            && self.steps[step].parent.is_none_or(|parent| {
                let above = &self.steps[parent];
                !above.status.is_settled() && above.children.contains(&step)
            })
    }

    /// The document of a step: the plan's own, or what was delegated.
    pub fn document<'s>(&'s self, plan: &'s Plan, step: usize) -> &'s Step {
        let planned = self.steps.len() - self.delegated.len();
        step.checked_sub(planned).map_or_else(|| &plan.steps[step], |place| self.delegated[place].as_ref())
    }

    /// The documents of the steps that were delegated, in the order of their places, which are the last ones.
    pub fn delegated(&self) -> &[Arc<Step>] {
        &self.delegated
    }

    /// The outermost step above one; itself where nobody has delegated it.
    pub fn outermost(&self, step: usize) -> usize {
        std::iter::successors(Some(step), |at| self.steps[*at].parent).last().unwrap_or(step)
    }

    /// A step with all that it has delegated in its current attempt, and what that has delegated, in the order of the run.
    pub fn with_parts(&self, step: usize) -> Vec<usize> {
        let mut all = vec![step];
        let mut next = 0;
        while let Some(at) = all.get(next).copied() {
            all.extend_from_slice(&self.steps[at].children);
            next += 1;
        }
        all.sort_unstable();
        all
    }

    /// The step because of which a part ended that is no part of the same step of the plan.
    pub fn cause_outside(&self, part: usize) -> Option<usize> {
        let outermost = self.outermost(part);
        self.steps[part].because.filter(|cause| self.outermost(*cause) != outermost)
    }

    /// Those of some steps that this run has not done itself, by the run that has done them; this one, where another of
    /// its steps has.
    pub fn taken_over(&self, of: impl Fn(usize) -> bool) -> BTreeMap<&RunId, Vec<&StepId>> {
        let mut taken: BTreeMap<&RunId, Vec<&StepId>> = BTreeMap::new();
        for (_, step) in self.steps.iter().enumerate().filter(|(at, _)| of(*at)) {
            if let Some(run) = &step.carried_from {
                taken.entry(run).or_default().push(&step.id);
            }
        }
        taken
    }

    /// Where a step stands among all: a delegated one right behind the one that has delegated it.
    pub(super) fn order(&self, step: usize) -> Order {
        (self.outermost(step), step)
    }

    /// Whether a step waits for steps that it has delegated.
    pub fn is_delegating(&self, step: usize) -> bool {
        let unsettled = |child: &usize| !self.steps[*child].status.is_settled();
        self.steps[step].status == StepStatus::InProgress && self.steps[step].children.iter().any(unsettled)
    }

    /// How many steps are in progress only because steps below them are not over.
    pub(super) fn delegating(&self) -> usize {
        self.delegators.iter().filter(|step| self.is_delegating(**step)).count()
    }

    /// Whether a step, or a step that it has delegated, has a successful call of a tool in its current attempt.
    pub fn has_called(&self, step: usize, tool: &str) -> bool {
        self.satisfied(step).any(|done| done == tool)
            || self.steps[step].children.iter().any(|child| self.has_called(*child, tool))
    }
}
