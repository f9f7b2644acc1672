//! Tools, and who may do a step.

use std::path::Path;

use assent_core::contract::ToolSpec;
use assent_core::discovery::{Found, Query, Standing};
use assent_core::plan::{Executor, ExecutorKind};
use assent_core::run::SessionKind;

use super::Engine;

/// Tools.
pub struct ToolHandle<'e>(pub(super) &'e Engine);

/// Who may do a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutorOption {
    /// What a step says.
    pub executor: Executor,
    /// For people.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its own tools.
    pub tools: Vec<String>,
}

impl<'e> ToolHandle<'e> {
    /// The descriptions of all tools.
    pub fn list(&self) -> Vec<&'e ToolSpec> {
        self.0.catalogue.specs().collect()
    }

    /// The description of one.
    pub fn get(&self, name: &str) -> Option<&'e ToolSpec> {
        self.0.catalogue.get(name).map(|tool| tool.spec())
    }

    /// The tools that fit a request. A person may call every one of them.
    pub fn find(&self, query: &Query<'_>) -> Found {
        // What was called a moment ago counts too.
        self.0.memory.settle();
        let known = self.0.knowledge.known(Path::new(""), SessionKind::Chat);
        let owner = |name: &str| {
            let mut specialists = known.specialists.iter();
            specialists.find(|(_, one)| one.tools.iter().any(|tool| tool == name)).map(|(id, _)| id.clone())
        };
        self.0.knowledge.tools().find(query, |name| Standing { owner: owner(name), callable: true })
    }

    /// Who may do a step: the single agent, then the specialists.
    pub fn executors(&self) -> Vec<ExecutorOption> {
        let known = self.0.knowledge.known(Path::new(""), SessionKind::Chat);
        let single = ExecutorOption {
            executor: Executor { kind: ExecutorKind::Single, id: String::new() },
            name: "Assent".to_owned(),
            description: "Does any step with the tools that the step requires.".to_owned(),
            tools: self.0.knowledge.shown().iter().map(|name| (*name).to_owned()).collect(),
        };
        let specialists = known.specialists.iter().filter(|(id, _)| known.runs(id));
        let specialists = specialists.map(|(id, specialist)| ExecutorOption {
            executor: Executor { kind: ExecutorKind::Specialist, id: id.clone() },
            name: id.clone(),
            description: String::new(),
            tools: specialist.tools.clone(),
        });
        std::iter::once(single).chain(specialists).collect()
    }
}
