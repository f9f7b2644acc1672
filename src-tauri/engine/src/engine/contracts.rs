//! Contracts to be read: what goes into agents and tools, what comes out, and how an agent is told it.

use assent_core::contract::{Fields, Schema, Source, ToolSpec, fields_of, fitting_sample};
use assent_core::order::sort_by;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Engine;
use crate::heap::{Agent, AgentLimits};
use crate::prompt::build_user_prompt;

/// Bytes of an example that are shown.
const MOST_EXAMPLE: usize = 20_000;

/// What an example's task is.
const TASK: &str = "(the task)";

/// Contracts.
pub struct ContractHandle<'e>(pub(super) &'e Engine);

/// One who has contracts, in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractLine {
    /// Its name; that of an agent, not of its tool.
    pub name: String,
    /// Whether it is an agent.
    pub is_agent: bool,
    /// The pack of an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// What it is for, in one line.
    pub description: String,
}

/// The contracts of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractView {
    /// Who it is.
    #[serde(flatten)]
    pub line: ContractLine,
    /// Which model an agent asks, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where an agent ends, where it says so.
    #[serde(skip_serializing_if = "AgentLimits::is_none")]
    pub limits: AgentLimits,
    /// What goes in; none where anything does.
    pub input: Option<Fields>,
    /// What comes out; none where nothing is said of that.
    pub output: Option<Fields>,
    /// A value that goes in, as JSON; none where nobody knows one that fits.
    pub example: Option<String>,
    /// The user message of an agent that was given that example, or why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl ContractHandle<'_> {
    /// All agents of packs, then all tools that are none, by their names.
    pub fn list(&self) -> Vec<ContractLine> {
        let specialists = self.0.knowledge.heap().now();
        let mut agents: Vec<ContractLine> = specialists.agents.values().map(|agent| of_agent(agent)).collect();
        let mut tools: Vec<ContractLine> =
            self.0.catalogue.specs().filter(|spec| spec.source != Source::Agent).map(of_tool).collect();
        sort_by(&mut agents, |one, other| one.name.cmp(&other.name));
        sort_by(&mut tools, |one, other| one.name.cmp(&other.name));
        agents.append(&mut tools);
        agents
    }

    /// The contracts of an agent, by its name or its tool's, or of a tool.
    pub fn show(&self, name: &str) -> Option<ContractView> {
        let specialists = self.0.knowledge.heap().now();
        let agent = specialists.agents.get(name).or_else(|| specialists.agents.get(Agent::named_by(name)?));
        match agent {
            Some(agent) => Some(self.agent(agent)),
            None => self.tool(name),
        }
    }

    /// The contracts of a tool, also where an agent has its name.
    pub fn tool(&self, name: &str) -> Option<ContractView> {
        let spec = self.0.catalogue.get(name)?.spec();
        Some(ContractView {
            line: of_tool(spec),
            model: None,
            limits: AgentLimits::default(),
            input: Some(fields_of(&spec.parameters)),
            output: None,
            example: self.0.catalogue.parameters(name).and_then(fitting_sample).as_ref().map(json_text),
            prompt: None,
        })
    }

    fn agent(&self, agent: &Agent) -> ContractView {
        let source = |schema: &Option<Schema>| schema.as_ref().map(|schema| schema.source().clone());
        let (input, output) = (source(&agent.input), source(&agent.output));
        let example = agent.input.as_ref().and_then(fitting_sample);
        // What nobody could give it is told to nobody.
        let is_known = example.is_some() || input.is_none();
        let context: Map<String, Value> = example.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
        let prompt = agent.template_for(&context);
        let template = prompt.map(|prompt| prompt.template(input.as_ref()));
        let prompt = build_user_prompt(self.0.executor.templates(), template.as_ref(), TASK, Some(&context));
        ContractView {
            line: of_agent(agent),
            model: agent.model.as_ref().map(ToString::to_string),
            limits: agent.limits,
            input: input.as_ref().map(fields_of),
            output: output.as_ref().map(fields_of),
            example: example.as_ref().map(json_text),
            prompt: is_known.then(|| prompt.map_or_else(|error| error.to_string(), cut)),
        }
    }
}

fn of_agent(agent: &Agent) -> ContractLine {
    let (name, pack, description) = (agent.name.clone(), Some(agent.pack.clone()), agent.description.clone());
    ContractLine { name, is_agent: true, pack, description }
}

fn of_tool(spec: &ToolSpec) -> ContractLine {
    let (name, description) = (spec.name.clone(), spec.summary().to_owned());
    ContractLine { name, is_agent: false, pack: None, description }
}

fn json_text(value: &Value) -> String {
    cut(serde_json::to_string_pretty(value).unwrap_or_default())
}

fn cut(mut text: String) -> String {
    if text.len() > MOST_EXAMPLE {
        let end = (0..=MOST_EXAMPLE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str("\n…");
    }
    text
}
