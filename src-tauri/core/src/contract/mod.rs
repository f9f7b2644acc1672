//! Contracts: JSON Schemas as values that check, explain and complete what is handed over, and the description of a tool.
//!
//! Never here: reading a schema from a file or the network; a remote `$ref` is a fault of the schema.

mod address;
mod agent;
mod bounds;
mod defaults;
mod effort;
mod fault;
mod fields;
mod line;
mod parts;
mod refs;
mod sample;
mod schema;
mod tokens;
mod tool;
mod top;

#[cfg(test)]
mod tests;

pub use agent::{AgentCall, InputRefused, RESERVED, TASK, agent_parameters, fits_an_agent, validate_input};
pub use fault::{Fault, PathPart, Stage, listed};
pub use fields::{Field, Fields, fields_of};
pub(crate) use line::between_words;
pub use line::{is_unseen, one_line};
pub use parts::Resolved;
pub use sample::{fitting_sample, sample_of};
pub use schema::{Schema, UnusableSchema, compilations};
pub use tokens::estimate_tokens;
pub use tool::{Mode, Risk, Source, SuccessRule, ToolSpec};
pub use top::{properties_of, resolved_properties};
