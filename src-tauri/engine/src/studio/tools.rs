//! The tools by which agents are shown, made, changed and removed.

use std::sync::{Arc, Weak};

use assent_core::contract::{Risk, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::agents::{Agent, AgentError, Agents, is_own};
use super::spec;
use crate::heap::Heap;
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// What a tool does with agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    List,
    Get,
    Create,
    Update,
    Delete,
    Propose,
}

/// A tool about agents.
struct AgentTool {
    spec: ToolSpec,
    act: Act,
    agents: Agents,
    heap: Weak<Heap>,
}

/// The tools about the agents of a folder of packs. A change that is proposed from past runs always asks a person: the
/// approval is what makes it.
pub fn agent_tools(agents: &Agents, heap: &Arc<Heap>) -> Vec<Arc<dyn Tool>> {
    let name = json!({"type": "string", "description": "the agent's name, such as price-watcher"});
    let about = json!({"type": "string", "description": "what it is for and how it works, with the URLs it needs"});
    let tools = json!({"type": "array", "items": {"type": "string"}, "description": "names of the tools it may call"});
    let why = json!({"type": "string", "description": "what in which runs the change is to mend"});
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let one = || object(json!({"name": name}), json!(["name"]));
    let change = json!({"name": name, "description": about, "tools": tools});
    let mut proposal = change.clone();
    proposal["why"] = why;
    let made = |act: Act, name: &str, risk: Risk, description: &str, parameters: Value| -> Arc<dyn Tool> {
        let spec = spec(name, risk, description, parameters);
        Arc::new(AgentTool { spec, act, agents: agents.clone(), heap: Arc::downgrade(heap) })
    };
    vec![
        made(
            Act::List,
            "list_agents",
            Risk::Read,
            "Lists the agents that were made here.",
            object(json!({}), json!([])),
        ),
        made(Act::Get, "get_agent", Risk::Read, "Shows one agent: what it is for and its tools.", one()),
        made(
            Act::Create,
            "create_agent",
            Risk::Write,
            "Makes an agent. One call makes one agent; a name that is taken is refused.",
            object(change.clone(), json!(["name", "description", "tools"])),
        ),
        made(
            Act::Update,
            "update_agent",
            // What it says is told at every later step of the agent: a person reads it first.
            Risk::Destructive,
            "Changes an agent that is there. What is left out stays as it is. A person is always asked.",
            object(change, json!(["name"])),
        ),
        made(Act::Delete, "delete_agent", Risk::Destructive, "Removes an agent. It cannot be undone.", one()),
        made(
            Act::Propose,
            "propose_change",
            Risk::Destructive,
            "Proposes a change of an agent. A person is always asked, and approving it makes the change.",
            object(proposal, json!(["name", "why"])),
        ),
    ]
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    name: String,
    description: Option<String>,
    tools: Option<Vec<String>>,
}

#[async_trait]
impl Tool for AgentTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.spec.risk)
    }

    fn refuses(&self, arguments: &Value) -> Option<String> {
        let name =
            arguments["name"].as_str().filter(|_| matches!(self.act, Act::Update | Act::Delete | Act::Propose))?;
        is_own(name).err().map(|error| error.to_string())
    }

    fn consequence(&self, arguments: &Value) -> Option<String> {
        let asked: Arguments = serde_json::from_value(arguments.clone()).ok()?;
        if !matches!(self.act, Act::Update | Act::Propose) {
            return None;
        }
        let agent = self.changed(asked.name, asked.description, asked.tools).ok()?;
        let lost = self.agents.loses(&agent).ok().filter(|lost| !lost.is_empty())?;
        Some(format!("Of what its file says beside that: {}", lost.join("; ")))
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        let failed = |message: String| Ok(Outcome::Error { message, output: Value::Null });
        let arguments: Arguments = match serde_json::from_value(arguments) {
            Ok(arguments) => arguments,
            Err(error) => return failed(format!("the arguments cannot be read: {error}")),
        };
        match self.act(arguments) {
            Ok(output) => Ok(Outcome::Success(output)),
            Err(error) => failed(error.to_string()),
        }
    }
}

impl AgentTool {
    /// An agent that is there, as it is to be: what is not said stays as it is.
    fn changed(
        &self,
        name: String,
        description: Option<String>,
        tools: Option<Vec<String>>,
    ) -> Result<Agent, AgentError> {
        let before = self.agents.get(&name)?;
        let description = description.unwrap_or(before.description);
        Ok(Agent::of(name, &description, tools.unwrap_or(before.tools)))
    }

    fn act(&self, asked: Arguments) -> Result<Value, AgentError> {
        let heap = || self.heap.upgrade().ok_or_else(|| AgentError::Folder("the program is ending".to_owned()));
        let Arguments { name, description, tools } = asked;
        match self.act {
            Act::List => Ok(json!(self.agents.list()?)),
            Act::Get => Ok(json!(self.agents.get(&name)?)),
            Act::Create => {
                let (description, tools) = (description.unwrap_or_default(), tools.unwrap_or_default());
                let agent = Agent::of(name, &description, tools);
                self.agents.create(&agent, heap()?.as_ref())?;
                Ok(json!({"created": agent}))
            }
            Act::Update | Act::Propose => {
                let agent = self.changed(name, description, tools)?;
                let mut told = json!({"changed": agent});
                let lost = self.agents.update(&agent, heap()?.as_ref())?;
                if !lost.is_empty() {
                    told["lost"] = json!(lost.join("; "));
                }
                Ok(told)
            }
            Act::Delete => {
                self.agents.delete(&name)?;
                Ok(json!({"deleted": name}))
            }
        }
    }
}
