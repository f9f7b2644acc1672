//! What a step has of its own where an agent does it: the model that it asks, and where it ends.

use std::sync::{Arc, PoisonError};

use assent_core::plan::ExecutorKind;
use assent_core::run::{CallState, Durability, Purpose, StepStatus};

use super::carrier::Carrier;
use super::error::Stop;
use super::step::Worker;
use crate::heap::Agent;
use crate::model::{Model, ModelError};

impl Carrier {
    /// The agent that does a step: one that was called, or one that a plan names as a specialist. It is as it was when it
    /// was first looked for here; one that was called is none where it has become another since it began.
    pub(super) fn agent_of(&self, at: usize) -> Option<Arc<Agent>> {
        let (heap, executor) = (&self.parts.heap, self.step(at).executor.clone());
        let id = match executor.kind {
            ExecutorKind::Agent => executor.id,
            ExecutorKind::Specialist => self.leaf(at).unwrap_or(executor.id),
            ExecutorKind::Single => return None,
        };
        let mut known = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, agent)) = known.iter().find(|(of, agent)| *of == at && agent.name == id) {
            return Some(agent.clone());
        }
        let agent = match executor.kind {
            ExecutorKind::Agent => heap.now().agents.get(&id).cloned(),
            _ => heap.stands_for(&id),
        }?;
        if self.state().step(at).does().is_some_and(|does| *does != agent.digest()) {
            return None;
        }
        known.push((at, agent.clone()));
        Some(agent)
    }

    /// The model that a step asks: that of its agent, unless the run has one for everything.
    pub(super) async fn step_model(&self, at: usize) -> Result<Arc<dyn Model>, ModelError> {
        match self.agent_of(at).and_then(|agent| agent.model.clone()) {
            Some(choice) => self.models().named(&choice).await,
            None => self.models().model(Purpose::Step).await,
        }
    }

    /// Replies in one attempt of a step.
    pub(super) fn step_iterations(&self, at: usize) -> u32 {
        let own = self.agent_of(at).and_then(|agent| agent.limits.step_iterations);
        own.unwrap_or(self.plan().limits.step_iterations)
    }

    /// Seconds that a call of a step may take.
    pub(super) fn call_seconds(&self, at: usize) -> u32 {
        let (own, of_plan) =
            (self.agent_of(at).and_then(|agent| agent.limits.call_seconds), self.plan().limits.call_seconds);
        own.map_or(of_plan, |own| own.min(of_plan))
    }
}

impl Worker<'_> {
    /// Whether the files of the agent that does this step have become others since it began, or are gone, and nothing of
    /// the step is under way.
    pub(super) fn is_another_agents(&self) -> bool {
        let is_idle = {
            let state = self.carrier.state();
            let is_open = |entry| matches!(state.outcome(entry).state, CallState::Open);
            let step = state.step(self.at);
            step.does().is_some() && !step.calls.iter().any(|entry| is_open(*entry))
        };
        is_idle && self.carrier.agent_of(self.at).is_none()
    }

    /// Ends the step of an agent that was changed since it began. What was approved is what began.
    pub(super) async fn end_as_changed(&self) -> Result<(), Stop> {
        let tool = Agent::tool_of(&self.plan_step().executor.id);
        let reason = format!(
            "what {tool} does was changed since it began, and it does not go on as another; a plan that is approved anew \
             has it as it is now"
        );
        let ended = self.ending(StepStatus::Failed, None, Some(reason));
        self.write(vec![ended], Durability::Committed).await
    }
}
