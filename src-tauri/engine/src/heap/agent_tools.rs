//! Agents as tools that steps and other agents call.

use std::collections::BTreeMap;
use std::sync::Arc;

use assent_core::contract::{Risk, ToolSpec};
use assent_core::ids::Digest;
use async_trait::async_trait;
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::agents::Agent;
use crate::tool::{CallContext, Catalogue, Effects, Outcome, Tool, ToolStop};

/// The agents as tools.
pub(super) fn as_tools(agents: &IndexMap<String, Arc<Agent>>, catalogue: &Catalogue) -> Vec<Arc<dyn Tool>> {
    let tool = |agent| Arc::new(RunAgent(spec(agent, agents, catalogue))) as Arc<dyn Tool>;
    agents.values().map(tool).collect()
}

/// An agent as a tool, with the risk of the worst that it may call, itself or through others. It is another tool once
/// anything of it or of one of those is another.
pub(super) fn spec(agent: &Arc<Agent>, agents: &IndexMap<String, Arc<Agent>>, catalogue: &Catalogue) -> ToolSpec {
    let called = |tool: &String| Agent::named_by(tool).and_then(|name| agents.get(name));
    let (mut risk, mut open) = (Risk::Read, vec![agent]);
    let mut does: BTreeMap<&str, Digest> = BTreeMap::from([(agent.name.as_str(), agent.digest())]);
    while let Some(one) = open.pop() {
        for tool in &one.tools {
            match called(tool) {
                Some(other) if !does.contains_key(other.name.as_str()) => {
                    does.insert(&other.name, other.digest());
                    open.push(other);
                }
                Some(_) => {}
                None => risk = risk.max(catalogue.get(tool).map_or(Risk::Read, |tool| tool.spec().risk)),
            }
        }
    }
    // Of one that calls no others it is its own: what a person allowed it stays allowed.
    let whole = if does.len() == 1 { agent.digest() } else { Digest::of_json(&json!(does)) };
    agent.spec(risk, whole)
}

/// The tool of an agent. Steps carry such calls out by themselves.
struct RunAgent(ToolSpec);

#[async_trait]
impl Tool for RunAgent {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.0.risk)
    }

    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        let message = format!("{} is an agent, which works as a step of its own", self.0.name);
        Ok(Outcome::Error { message, output: Value::Null })
    }
}
