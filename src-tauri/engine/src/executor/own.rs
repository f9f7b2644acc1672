//! What a step has of its own where an agent does it: the model that it asks, and where it ends.

use std::sync::Arc;

use assent_core::plan::ExecutorKind;
use assent_core::run::Purpose;

use super::carrier::Carrier;
use crate::heap::Agent;
use crate::model::{Model, ModelError};

impl Carrier {
    /// The agent that does a step, as it is now: one that was called, or one that a plan names as a specialist.
    pub(super) fn agent_of(&self, at: usize) -> Option<Arc<Agent>> {
        let executor = self.step(at).executor.clone();
        let heap = &self.parts.heap;
        match executor.kind {
            ExecutorKind::Agent => heap.now().agents.get(&executor.id).cloned(),
            ExecutorKind::Specialist => heap.stands_for(&self.leaf(at).unwrap_or(executor.id)),
            _ => None,
        }
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
