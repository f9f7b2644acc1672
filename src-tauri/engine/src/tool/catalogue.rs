//! Every tool by its name, with its parameters compiled once, as they are and as a small model is shown them. The tools about tools stand before the others: looked up
//! first, listed never.

use std::sync::Arc;

use assent_core::contract::{Schema, Source, ToolSpec, UnusableSchema};
use indexmap::IndexMap;
use serde_json::Value;
use thiserror::Error;

use super::Tool;
use super::meta::is_meta;
use super::shelf::Shelf;

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
#[derive(Default)]
pub struct Catalogue {
    tools: Shelf<Entry>,
    /// Tools about tools: in no list.
    meta: IndexMap<String, Entry>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    parameters: Schema,
    small: Option<Arc<Small>>,
}

/// A tool as a small model is shown it, where that is not as it is: with its essential parameters only; the others keep
/// their defaults.
pub struct Small {
    /// What it is shown.
    pub spec: ToolSpec,
    /// The parameters of that.
    pub parameters: Schema,
}

impl Catalogue {
    /// Adds a tool.
    ///
    /// # Errors
    /// [`CatalogueError`] when there is one of that name, or it is the name of a tool about tools, or its parameters are
    /// no schema.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), CatalogueError> {
        if is_meta(&tool.spec().name) {
            return Err(CatalogueError::NameTaken(tool.spec().name.clone()));
        }
        insert(self.tools.first_mut(), tool, None)
    }

    /// Puts a tool about tools before all others.
    ///
    /// # Errors
    /// As [`Catalogue::add`].
    pub fn add_meta(&mut self, tool: Arc<dyn Tool>) -> Result<(), CatalogueError> {
        insert(&mut self.meta, tool, None)
    }

    /// Adds several tools.
    ///
    /// # Errors
    /// As [`Catalogue::add`]; those before the one that failed stay.
    pub fn add_all(&mut self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<(), CatalogueError> {
        tools.into_iter().try_for_each(|tool| self.add(tool))
    }

    /// Takes in the tools of a source, in the place of those that it had, while others are in use, and says which cannot
    /// be taken in.
    pub fn connect(&self, source: &str, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Vec<CatalogueError> {
        let (mut entries, mut faults) = (IndexMap::new(), Vec::new());
        for tool in tools {
            let name = &tool.spec().name;
            let taken = is_meta(name) || self.tools.is_taken(name, source);
            // What is taken in again as it was, as agents are with every message, is not compiled again.
            let known = self.tools.get(name).filter(|known| known.tool.spec() == tool.spec());
            let done = match taken {
                true => Err(CatalogueError::NameTaken(name.clone())),
                false => insert(&mut entries, tool, known),
            };
            faults.extend(done.err());
        }
        // What is described alike does the same: of what a call does, its description has a digest.
        self.tools.put(source, entries, |one, other| one.tool.spec() == other.tool.spec());
        faults
    }

    /// Lets the tools of a source go. Calls that are under way end as they would have.
    pub fn disconnect(&self, source: &str) {
        self.tools.take(source);
    }

    /// A number that is another one after the tools of a source have come or gone.
    pub fn revision(&self) -> usize {
        self.tools.revision()
    }

    /// The tool of exactly this name; a tool about tools before any other.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.entry(name).map(|entry| &entry.tool)
    }

    /// The place of a tool in the order in which tools were added; tools about tools come after those that Assent
    /// brings along.
    pub fn position(&self, name: &str) -> Option<usize> {
        let brought = || {
            let connected = self.tools.values().position(|entry| !is_shipped(entry));
            connected.unwrap_or_else(|| self.tools.values().count())
        };
        if let Some(place) = self.meta.get_index_of(name) {
            return Some(brought() + place);
        }
        let (place, entry) = (self.tools.index_of(name)?, self.tools.get(name)?);
        Some(if is_shipped(entry) { place } else { place + self.meta.len() })
    }

    /// The compiled parameters of a tool.
    pub fn parameters(&self, name: &str) -> Option<&Schema> {
        self.entry(name).map(|entry| &entry.parameters)
    }

    /// A tool as a small model is shown it, where that is not as it is.
    pub fn small(&self, name: &str) -> Option<&Small> {
        self.entry(name)?.small.as_deref()
    }

    /// The descriptions of all tools, without the tools about tools.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.values().map(|entry| entry.tool.spec())
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.meta.get(name).or_else(|| self.tools.get(name))
    }
}

/// Whether a tool is part of the application, or a person: what is connected comes after those.
fn is_shipped(entry: &Entry) -> bool {
    matches!(entry.tool.spec().source, Source::Core | Source::Human)
}

fn insert(
    tools: &mut IndexMap<String, Entry>,
    tool: Arc<dyn Tool>,
    known: Option<&Entry>,
) -> Result<(), CatalogueError> {
    let name = tool.spec().name.clone();
    if tools.contains_key(&name) {
        return Err(CatalogueError::NameTaken(name));
    }
    let compiled = |spec: &ToolSpec| {
        Schema::compile(spec.parameters.clone())
            .map_err(|reason| CatalogueError::Parameters { tool: name.clone(), reason })
    };
    let entry = match known {
        Some(Entry { parameters, small, .. }) => Entry { tool, parameters: parameters.clone(), small: small.clone() },
        None => {
            let parameters = compiled(tool.spec())?;
            let small = small_of(tool.as_ref()).map(|spec| Ok(Small { parameters: compiled(&spec)?, spec }));
            Entry { tool, parameters, small: small.transpose()?.map(Arc::new) }
        }
    };
    tools.insert(name, entry);
    Ok(())
}

/// What a small model is shown of a tool that says which of its parameters are essential.
fn small_of(tool: &dyn Tool) -> Option<ToolSpec> {
    let essentials = tool.essentials();
    let mut spec = tool.spec().clone();
    let properties = spec.parameters.get_mut("properties").and_then(Value::as_object_mut);
    properties.filter(|_| !essentials.is_empty())?.retain(|name, _| essentials.contains(&name.as_str()));
    tool.hold_small(&mut spec.parameters);
    Some(spec)
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
