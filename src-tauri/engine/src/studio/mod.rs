//! The studio: agents that are made in a chat. An agent is a pack of its own in the person's folder of packs, a
//! specialist that the heap has at once.
//!
//! Its tools are tools like any other: what they may do is decided by the same rules, and what they did stands in the
//! ledger. They are there where a person has opened the studio.

mod agents;
mod runs;
#[cfg(test)]
mod tests;
mod tools;

pub use agents::{Agent, AgentError, Agents, Listed, Unread};
pub use runs::ReviewRuns;
pub use tools::agent_tools;

use assent_core::contract::{Risk, Source, ToolSpec};
use serde_json::Value;

pub(crate) fn spec(name: &str, risk: Risk, description: &str, parameters: Value) -> ToolSpec {
    ToolSpec::new(name, description, parameters, Source::Studio, risk)
}
