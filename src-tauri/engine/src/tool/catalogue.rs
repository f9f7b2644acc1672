//! Every tool by its name.

use std::sync::Arc;

use assent_core::contract::ToolSpec;
use indexmap::IndexMap;
use thiserror::Error;

use super::Tool;

/// Two tools of one name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is already a tool named {0}")]
pub struct NameTaken(pub String);

/// All tools, in the order in which they were added.
#[derive(Clone, Default)]
pub struct Catalogue {
    tools: IndexMap<String, Arc<dyn Tool>>,
}

impl Catalogue {
    /// Adds a tool.
    ///
    /// # Errors
    /// [`NameTaken`] when there is one of that name; the first stays.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), NameTaken> {
        let name = tool.spec().name.clone();
        if self.tools.contains_key(&name) {
            return Err(NameTaken(name));
        }
        self.tools.insert(name, tool);
        Ok(())
    }

    /// The tool of exactly this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// The place of a tool in the order in which tools were added.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.tools.get_index_of(name)
    }

    /// The descriptions of all tools.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.values().map(|tool| tool.spec())
    }
}
