//! Folders of tool descriptions that a person has added. What a folder has is read when the engine is opened.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use thiserror::Error;

use crate::store::{Settings, StoreError};
use crate::tool::Catalogue;
use crate::tool::described::{SourceError, ToolSource};

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

/// Adds a source. Its tools are there from the next start on.
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

/// Puts the tools of all sources into the catalogue, and says which sources are not there. What is left out of a source
/// is told where it is added and listed.
pub(super) fn connect(settings: &dyn Settings, catalogue: &mut Catalogue) -> Result<Vec<String>, StoreError> {
    let mut ignored = Vec::new();
    for source in tool_sources(settings)? {
        let name = &source.name;
        let described = match source.read() {
            Ok(described) => described,
            Err(error) => {
                ignored.push(format!("the tools of {name} are not there: {error}"));
                continue;
            }
        };
        // No two sources have one name, and each name of a tool begins with that of its source.
        for tool in described.tools {
            if let Err(error) = catalogue.add(Arc::new(tool)) {
                ignored.push(error.to_string());
            }
        }
    }
    Ok(ignored)
}
