//! Folders of tool descriptions that a person has added.

use std::path::Path;

use serde_json::json;
use thiserror::Error;

use super::ToolHandle;
use crate::store::{Settings, StoreError};
use crate::tool::described::{LeftOutTool, SourceError, ToolSource};

/// The setting that holds the sources.
const SETTING: &str = "toolSources";

/// Why the sources cannot be changed.
#[derive(Debug, Error)]
pub enum SourcesError {
    /// The source cannot be used.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// There is one of that name.
    #[error("there is already a source named {0}; remove it first, or use another name")]
    Taken(String),
    /// There is none of that name.
    #[error("there is no source named {0}")]
    Missing(String),
    /// The settings.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The sources, in the order in which they were added.
///
/// # Errors
/// The settings cannot be read.
pub fn tool_sources(settings: &dyn Settings) -> Result<Vec<ToolSource>, StoreError> {
    let value = settings.setting(SETTING)?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

/// Adds a source. Its tools are there from the next start on; [`ToolHandle::add_source`] has them at once.
///
/// # Errors
/// The name will not do or is taken, the folder cannot be read, or the settings cannot be written.
pub fn add_tool_source(settings: &dyn Settings, name: &str, folder: &Path) -> Result<ToolSource, SourcesError> {
    let mut sources = tool_sources(settings)?;
    let source = ToolSource::new(name, folder)?;
    if sources.iter().any(|known| known.name == source.name) {
        return Err(SourcesError::Taken(source.name));
    }
    sources.push(source.clone());
    settings.set_setting(SETTING, Some(&json!(sources)))?;
    Ok(source)
}

/// Removes a source. The folder stays as it is.
///
/// # Errors
/// There is none of that name, or the settings cannot be written.
pub fn remove_tool_source(settings: &dyn Settings, name: &str) -> Result<ToolSource, SourcesError> {
    let mut sources = tool_sources(settings)?;
    let Some(place) = sources.iter().position(|known| known.name == name) else {
        return Err(SourcesError::Missing(name.chars().take(40).collect()));
    };
    let source = sources.remove(place);
    settings.set_setting(SETTING, (!sources.is_empty()).then(|| json!(sources)).as_ref())?;
    Ok(source)
}

/// A source of tools as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    /// What was added, as it was.
    pub source: ToolSource,
    /// The names of its tools that can be used now.
    pub tools: Vec<String>,
    /// What its folder has that cannot be used, and why.
    pub left_out: Vec<LeftOutTool>,
    /// Why there is nothing of it.
    pub problem: Option<String>,
}

impl ToolHandle<'_> {
    /// The sources that were added, as their folders are now.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub fn sources(&self) -> Result<Vec<SourceState>, StoreError> {
        self.0.connected.look()?;
        Ok(tool_sources(self.0.settings())?.into_iter().map(|source| self.state(source)).collect())
    }

    /// Adds a source, whose tools can be used at once.
    ///
    /// # Errors
    /// As [`add_tool_source`].
    pub fn add_source(&self, name: &str, folder: &Path) -> Result<SourceState, SourcesError> {
        let source = add_tool_source(self.0.settings(), name, folder)?;
        let problem = self.0.connected.take_in(&source);
        Ok(SourceState { problem, ..self.state(source) })
    }

    /// Removes a source: its tools can no longer be used. The folder stays as it is.
    ///
    /// # Errors
    /// As [`remove_tool_source`].
    pub fn remove_source(&self, name: &str) -> Result<ToolSource, SourcesError> {
        let source = remove_tool_source(self.0.settings(), name)?;
        self.0.connected.let_go(&source.name);
        Ok(source)
    }

    fn state(&self, source: ToolSource) -> SourceState {
        let own = format!("{}.", source.name);
        let specs = self.0.catalogue.specs().filter(|spec| spec.name.starts_with(&own));
        let tools = specs.map(|spec| spec.name.clone()).collect();
        let (left_out, problem) = match source.read() {
            Ok(described) => (described.left_out, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        SourceState { source, tools, left_out, problem }
    }
}
