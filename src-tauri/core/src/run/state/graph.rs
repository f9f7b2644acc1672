//! Which steps can start: counters along the dependencies, kept up as steps settle and unsettle.

use std::collections::{BTreeSet, HashMap};

use super::{LedgerEntry, RunState, StepState};
use crate::ids::RunId;
use crate::plan::Plan;
use crate::run::{StepStatus, Usage};

/// The state of a run before its first event.
pub(super) fn build(run: RunId, plan: &Plan) -> RunState {
    let index: HashMap<_, _> = plan.steps.iter().enumerate().map(|(at, step)| (step.id.clone(), at)).collect();
    let mut steps: Vec<StepState> = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let mut dependencies: Vec<usize> = step.dependencies.iter().filter_map(|id| index.get(id).copied()).collect();
        dependencies.sort_unstable();
        dependencies.dedup();
        let unknown = step.dependencies.iter().filter(|id| !index.contains_key(*id)).count();
        steps.push(StepState {
            id: step.id.clone(),
            unmet: dependencies.len() + unknown,
            lost: unknown,
            dependencies,
            ..StepState::default()
        });
    }
    for at in 0..steps.len() {
        for other in steps[at].dependencies.clone() {
            steps[other].dependents.push(at);
        }
    }
    let ends: Vec<usize> = (0..steps.len()).filter(|at| steps[*at].dependents.is_empty()).collect();
    let mut state = RunState {
        run,
        index,
        delegated: Vec::new(),
        delegators: BTreeSet::new(),
        answering: steps.len().checked_sub(1).filter(|last| ends == [*last]),
        ledger: Vec::new(),
        calls: HashMap::new(),
        begun: 0,
        requests: Vec::new(),
        request_index: HashMap::new(),
        open: BTreeSet::new(),
        helps: 0,
        barriers: BTreeSet::new(),
        refused: BTreeSet::new(),
        ready: BTreeSet::new(),
        doomed: BTreeSet::new(),
        counts: [0; 7],
        warned: 0,
        started: false,
        stop_asked: false,
        cancelled: false,
        ended: false,
        synthesis: None,
        base: None,
        usage: Usage::default(),
        model_calls: 0,
        steps,
    };
    state.counts[StepStatus::Pending as usize] = state.steps.len();
    (0..state.steps.len()).for_each(|at| state.sort_in(at));
    state
}

impl RunState {
    /// Gives a step another status and tells its dependents.
    pub(super) fn set_status(&mut self, step: usize, status: StepStatus) {
        let before = std::mem::replace(&mut self.steps[step].status, status);
        self.counts[before as usize] -= 1;
        self.counts[status as usize] += 1;
        let effect = |status: StepStatus| (status == StepStatus::Completed, status.is_settled());
        let (was, is) = (effect(before), effect(status));
        self.sort_in(step);
        if was == is {
            return;
        }
        for at in 0..self.steps[step].dependents.len() {
            let dependent = self.steps[step].dependents[at];
            let other = &mut self.steps[dependent];
            other.unmet = other.unmet + usize::from(was.0) - usize::from(is.0);
            other.lost = other.lost + usize::from(is.1 && !is.0) - usize::from(was.1 && !was.0);
            self.sort_in(dependent);
        }
    }

    /// Adds a step that waits for others, all of which are there.
    pub(super) fn add_step(&mut self, step: StepState) {
        let at = self.steps.len();
        for other in step.dependencies.clone() {
            self.steps[other].dependents.push(at);
        }
        self.counts[StepStatus::Pending as usize] += 1;
        self.index.insert(step.id.clone(), at);
        self.steps.push(step);
        self.sort_in(at);
    }

    /// Puts a step among those that can start, those that never can, or neither.
    fn sort_in(&mut self, step: usize) {
        let StepState { status, unmet, lost, .. } = self.steps[step];
        let pending = status == StepStatus::Pending;
        keep(&mut self.ready, step, pending && unmet == 0);
        keep(&mut self.doomed, step, pending && lost > 0);
    }

    /// Makes a settled step, and all that ended because of it, pending again. What a person has left out stays left out,
    /// and what has begun an effect is not begun anew with another step: that takes a word about itself.
    pub(super) fn unsettle(&mut self, step: usize) {
        let mut left = vec![step];
        while let Some(at) = left.pop() {
            let comes_along = at == step || !self.has_begun_effects(at);
            if !self.steps[at].status.is_settled() || !self.can_be_unsettled(at) || !comes_along {
                continue;
            }
            self.warned -= usize::from(self.steps[at].warned);
            // Also what was refused in a part: the parts go only when the step begins.
            for part in self.with_parts(at) {
                self.refused.remove(&self.order(part));
            }
            self.set_status(at, StepStatus::Pending);
            let again = &mut self.steps[at];
            (again.warned, again.stale) = (false, false);
            (again.result, again.reason, again.validation, again.ended_at) = (None, None, None, None);
            (again.because, again.carried_from) = (None, None);
            let ended = std::mem::take(&mut again.brought_down);
            left.extend(ended.into_iter().filter(|other| self.steps[*other].because == Some(at)));
        }
    }

    /// Whether the current attempt of a step, or a part of it, has begun a call that may change something.
    pub fn has_begun_effects(&self, step: usize) -> bool {
        self.entries_of(step).any(LedgerEntry::has_effects)
            || self.steps[step].children.iter().any(|child| self.has_begun_effects(*child))
    }
}

fn keep(set: &mut BTreeSet<usize>, step: usize, wanted: bool) {
    if wanted {
        set.insert(step);
    } else {
        set.remove(&step);
    }
}
