//! Every tool by its name, with its parameters compiled once.

use std::sync::Arc;

use assent_core::contract::{Schema, ToolSpec, UnusableSchema};
use indexmap::IndexMap;
use thiserror::Error;

use super::Tool;

/// Why a tool cannot be taken in.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CatalogueError {
    /// Two tools of one name; the first stays.
    #[error("there is already a tool named {0}")]
    NameTaken(String),
    /// Nothing could be checked against such parameters.
    #[error("the parameters of the tool {tool} cannot be used: {reason}")]
    Parameters {
        /// The tool.
        tool: String,
        /// What is wrong.
        reason: UnusableSchema,
    },
}

/// All tools, in the order in which they were added.
#[derive(Clone, Default)]
pub struct Catalogue {
    tools: IndexMap<String, Entry>,
}

#[derive(Clone)]
struct Entry {
    tool: Arc<dyn Tool>,
    parameters: Schema,
}

impl Catalogue {
    /// Adds a tool.
    ///
    /// # Errors
    /// [`CatalogueError`] when there is one of that name, or its parameters are no schema.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), CatalogueError> {
        let name = tool.spec().name.clone();
        if self.tools.contains_key(&name) {
            return Err(CatalogueError::NameTaken(name));
        }
        let parameters = Schema::compile(tool.spec().parameters.clone())
            .map_err(|reason| CatalogueError::Parameters { tool: name.clone(), reason })?;
        self.tools.insert(name, Entry { tool, parameters });
        Ok(())
    }

    /// Adds several tools.
    ///
    /// # Errors
    /// As [`Catalogue::add`]; those before the one that failed stay.
    pub fn add_all(&mut self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<(), CatalogueError> {
        tools.into_iter().try_for_each(|tool| self.add(tool))
    }

    /// The tool of exactly this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).map(|entry| &entry.tool)
    }

    /// The place of a tool in the order in which tools were added.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.tools.get_index_of(name)
    }

    /// The compiled parameters of a tool.
    pub fn parameters(&self, name: &str) -> Option<&Schema> {
        self.tools.get(name).map(|entry| &entry.parameters)
    }

    /// The descriptions of all tools.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.values().map(|entry| entry.tool.spec())
    }
}

#[cfg(test)]
mod tests {
    use super::{Catalogue, CatalogueError};
    use crate::tool::{core_tools, human_tools};

    #[test]
    fn no_two_tools_have_one_name_and_every_tool_has_compiled_parameters() {
        let mut catalogue = Catalogue::default();
        catalogue.add_all(core_tools().into_iter().chain(human_tools())).unwrap();
        assert_eq!(catalogue.add_all(core_tools()), Err(CatalogueError::NameTaken("bash".to_owned())));
        assert_eq!(catalogue.specs().count(), 11);
        assert!(catalogue.specs().all(|spec| catalogue.parameters(&spec.name).is_some()));
        assert_eq!((catalogue.position("edit_file"), catalogue.position("toString")), (Some(1), None));
    }
}
