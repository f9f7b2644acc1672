//! What the result of a step has to fit, compiled: that of an agent when its pack was read, that of any other step once in
//! a run.

use std::sync::{Arc, PoisonError};

use assent_core::contract::{Schema, UnusableSchema};

use super::carrier::Carrier;
use crate::heap::left_to_say;
use crate::model::ReplySchema;

/// The output contract of a step.
pub(super) struct ResultContract {
    /// What its result is held to.
    pub(super) whole: Result<Schema, UnusableSchema>,
    /// What its model is to write of that.
    pub(super) said: ReplySchema,
}

impl Carrier {
    /// What the result of a step has to fit, if anything.
    pub(super) fn result_contract(&self, step: usize) -> Option<Arc<ResultContract>> {
        let contract = self.step(step).contracts.output.clone()?;
        let mut known = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = || {
            // An agent that was changed since keeps to what it was called with.
            let agent = self.agent_of(step);
            let own = agent.as_ref().and_then(|agent| agent.output.as_ref().zip(agent.said.as_ref()));
            Arc::new(match own.filter(|(whole, _)| *whole.source() == contract) {
                Some((whole, said)) => ResultContract { whole: Ok(whole.clone()), said: said.clone() },
                None => ResultContract { said: left_to_say(&contract).into(), whole: Schema::compile(contract) },
            })
        };
        Some(known.entry(step).or_insert_with(compiled).clone())
    }
}
