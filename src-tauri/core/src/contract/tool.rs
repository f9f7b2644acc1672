//! What the planner, a step and a person are told about a tool.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::estimate_tokens;
use crate::ids::Digest;

/// Bytes of a tool's line in a list.
const MOST_LINE: usize = 240;

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Part of the application.
    Core,
    /// Agents and workflows made in the application.
    Studio,
    /// A server that speaks the Model Context Protocol.
    Mcp,
    /// Descriptions that somebody has written down, in a folder that was added.
    Catalogue,
    /// An agent with contracts, called as a tool.
    Agent,
    /// A person: a question or a confirmation.
    Human,
}

/// The worst a call can do. Only `Read` counts as free of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Looks, inside the workspace.
    Read,
    /// Changes files of the workspace.
    Write,
    /// Runs commands.
    Execute,
    /// Talks to another machine.
    Network,
    /// Cannot be undone; always asks.
    Destructive,
}

impl Risk {
    /// Whether a call may change anything, or tell anything to anybody.
    pub fn has_effects(self) -> bool {
        self != Self::Read
    }

    /// Whether a call is there to change something, for good or not.
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Destructive)
    }

    /// The risk of a call that only looks; the value that events leave out.
    pub fn harmless() -> Self {
        Self::Read
    }

    /// Whether events leave this risk out.
    pub fn is_harmless(&self) -> bool {
        !self.has_effects()
    }
}

/// How a call ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// With its output.
    Functional,
    /// At once with `suspended`; a person's answer becomes the output.
    Blocking,
}

/// What makes a call that worked count towards a step's required tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SuccessRule {
    /// The result's status is `success`.
    Status,
    /// In addition `exit_code` in the output is 0.
    ExitZero,
}

impl SuccessRule {
    /// Whether a successful result with this output satisfies a required tool.
    pub fn satisfied_by(self, output: &Value) -> bool {
        match self {
            Self::Status => true,
            Self::ExitZero => output.get("exit_code").and_then(Value::as_i64) == Some(0),
        }
    }
}

/// The description of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// Unique in the catalogue; letters, digits, `_`, `-` and `.`.
    pub name: String,
    /// The first sentence says what it does; the rest when to use it.
    pub description: String,
    /// JSON Schema (draft 2020-12) of the arguments: always an object.
    pub parameters: Value,
    /// Where it comes from.
    pub source: Source,
    /// The worst it can do.
    pub risk: Risk,
    /// How a call ends.
    pub mode: Mode,
    /// When a call satisfies a required tool.
    pub success: SuccessRule,
    /// Of what a call does, where that is written down beside the description; no model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "bindings", ts(optional))]
    pub template: Option<Digest>,
}

impl ToolSpec {
    /// A tool as most are: it answers when it is called, and has done what it should when it says so. `parameters` is a
    /// JSON Schema of an object.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        source: Source,
        risk: Risk,
    ) -> Self {
        let (name, description) = (name.into(), description.into());
        let (mode, success) = (Mode::Functional, SuccessRule::Status);
        Self { name, description, parameters, source, risk, mode, success, template: None }
    }

    /// What an approval binds: a tool whose description, parameters or risk changed, or that does something else when it
    /// is called, is another tool.
    pub fn digest(&self) -> Digest {
        let mut bound = json!({
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
            "risk": self.risk,
            "mode": self.mode,
            "success": self.success,
        });
        if let Some(template) = &self.template {
            bound["template"] = json!(template);
        }
        Digest::of_json(&bound)
    }

    /// What its definition tells in a request: name, description and parameters as JSON.
    pub fn definition(&self) -> String {
        json!({"name": self.name, "description": self.description, "parameters": self.parameters}).to_string()
    }

    /// What a step's request tells of it in all: its definition, and its line among the tools that the rules name. Its
    /// tokens count against a budget.
    pub fn told(&self) -> String {
        format!("{}\n- {}: {}", self.definition(), self.name, self.line())
    }

    /// About how many tokens a step's request takes to tell of it, rather too many than too few.
    pub fn estimated_tokens(&self) -> usize {
        usize::try_from(estimate_tokens(&self.told())).unwrap_or(usize::MAX)
    }

    /// The first sentence of the description.
    pub fn summary(&self) -> &str {
        let end = self.description.find(". ").map_or(self.description.len(), |at| at + 1);
        self.description[..end].trim()
    }

    /// The summary as lists for models have it, cut where it is overlong.
    pub fn line(&self) -> &str {
        let summary = self.summary();
        let end = (0..=MOST_LINE.min(summary.len())).rev().find(|at| summary.is_char_boundary(*at));
        &summary[..end.unwrap_or(0)]
    }
}
