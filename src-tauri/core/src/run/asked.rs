//! What models are asked for, and what that takes.

use serde::{Deserialize, Serialize};

/// What a model was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A plan.
    Plan,
    /// What a message is to the plan before it.
    Relation,
    /// Which child of a delegator.
    Choose,
    /// A step's next move.
    Step,
    /// The answer of a turn.
    Synthesis,
    /// A next-steps question derived from a text.
    Prompt,
}

/// Tokens of one model call, as the endpoint counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    pub input: u32,
    /// Those of them that were in the prompt cache.
    #[serde(default)]
    pub cached: u32,
    /// Tokens written.
    pub output: u32,
}
