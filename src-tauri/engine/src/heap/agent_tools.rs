//! Agents as tools that steps and other agents call.

use std::sync::Arc;

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use indexmap::IndexMap;
use serde_json::Value;

use super::agents::Agent;
use crate::tool::{CallContext, Catalogue, Effects, Outcome, Tool, ToolStop};

/// The agents as tools, each with the risk of the worst that it may call, itself or through others.
pub(super) fn as_tools(agents: &IndexMap<String, Arc<Agent>>, catalogue: &Catalogue) -> Vec<Arc<dyn Tool>> {
    let worst = |agent: &Arc<Agent>| {
        let (mut risk, mut seen, mut open) = (Risk::Read, vec![&agent.name], vec![agent]);
        while let Some(agent) = open.pop() {
            for tool in &agent.tools {
                match Agent::named_by(tool).and_then(|name| agents.get(name)) {
                    Some(other) if !seen.contains(&&other.name) => {
                        seen.push(&other.name);
                        open.push(other);
                    }
                    Some(_) => {}
                    None => risk = risk.max(catalogue.get(tool).map_or(Risk::Read, |tool| tool.spec().risk)),
                }
            }
        }
        risk
    };
    agents.values().map(|agent| Arc::new(RunAgent(agent.spec(worst(agent)))) as Arc<dyn Tool>).collect()
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
