//! Folders of tool descriptions that a person has added.

use std::collections::BTreeSet;
use std::path::Path;

use thiserror::Error;

use super::ToolHandle;
use crate::model::{Keys, NoVault, Secret};
use crate::store::{Settings, StoreError, change_list, list_setting};
use crate::tool::described::{Described, DescribedTool, LeftOutTool, SourceError, ToolSource, key_name};

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
    /// No tool of it sends a key there.
    #[error("no tool of {name} sends a key to {host}")]
    Host {
        /// The source.
        name: String,
        /// The host.
        host: String,
    },
    /// A key of it may still be kept.
    #[error("the source was not removed, because a key that it was given could not be forgotten: {0}")]
    Key(#[from] NoVault),
    /// The settings.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The sources, in the order in which they were added.
///
/// # Errors
/// The settings cannot be read, or hold something else in their place.
pub fn tool_sources(settings: &dyn Settings) -> Result<Vec<ToolSource>, StoreError> {
    list_setting(settings, SETTING)
}

/// Adds a source. Its tools are there from the next start on; [`ToolHandle::add_source`] has them at once.
///
/// # Errors
/// The name will not do or is taken, the folder cannot be read, or the settings cannot be written.
pub fn add_tool_source(settings: &dyn Settings, name: &str, folder: &Path) -> Result<ToolSource, SourcesError> {
    change_list(settings, SETTING, |sources: &mut Vec<ToolSource>| {
        let source = ToolSource::new(name, folder)?;
        if sources.iter().any(|known| known.name == source.name) {
            return Err(SourcesError::Taken(source.name));
        }
        sources.push(source.clone());
        Ok(source)
    })
}

/// Removes a source, and forgets the keys that it was given: another of its name must not have them. The folder stays as
/// it is.
///
/// # Errors
/// There is none of that name, one of its keys is in a keyring that cannot be used, or the settings cannot be written.
pub fn remove_tool_source(settings: &dyn Settings, keys: &Keys, name: &str) -> Result<ToolSource, SourcesError> {
    change_list(settings, SETTING, |sources: &mut Vec<ToolSource>| {
        let source = sources.remove(place_of(sources, name)?);
        source.keys.iter().try_for_each(|host| keys.remove(&key_name(&source.name, host)))?;
        Ok(source)
    })
}

/// Writes down that a source has a key for a host, or has none any more, so that it goes with the source.
///
/// # Errors
/// There is none of that name, or the settings cannot be written.
pub fn note_source_key(settings: &dyn Settings, name: &str, host: &str, is_kept: bool) -> Result<(), SourcesError> {
    change_list(settings, SETTING, |sources: &mut Vec<ToolSource>| {
        let place = place_of(sources, name)?;
        let host = host.to_ascii_lowercase();
        let keys = &mut sources[place].keys;
        keys.retain(|known| *known != host);
        keys.extend(is_kept.then_some(host));
        Ok(())
    })
}

fn place_of(sources: &[ToolSource], name: &str) -> Result<usize, SourcesError> {
    let place = sources.iter().position(|known| known.name == name);
    place.ok_or_else(|| SourcesError::Missing(name.chars().take(40).collect()))
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
    /// The hosts to which its tools send a key.
    pub hosts: Vec<String>,
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
        let add = || add_tool_source(self.0.settings(), name, folder);
        let (source, problem) = self.0.connected.take_in(add)?;
        Ok(SourceState { problem, ..self.state(source) })
    }

    /// Removes a source: its tools can no longer be used. The folder stays as it is.
    ///
    /// # Errors
    /// As [`remove_tool_source`].
    pub fn remove_source(&self, name: &str) -> Result<ToolSource, SourcesError> {
        self.0.connected.let_go(|keys| remove_tool_source(self.0.settings(), keys, name))
    }

    /// What the key of a source for a host is kept under.
    ///
    /// # Errors
    /// There is no such source, none of its tools sends a key there, or the settings cannot be read.
    fn source_key(&self, name: &str, host: &str) -> Result<String, SourcesError> {
        let sources = tool_sources(self.0.settings())?;
        let Some(source) = sources.into_iter().find(|known| known.name == name) else {
            return Err(SourcesError::Missing(name.chars().take(40).collect()));
        };
        match hosts_of(&source.read()?).iter().any(|known| known == host) {
            true => Ok(key_name(name, host)),
            false => Err(SourcesError::Host { name: name.to_owned(), host: host.chars().take(80).collect() }),
        }
    }

    /// Keeps the key that the tools of a source send to a host.
    ///
    /// # Errors
    /// As [`Self::source_key`], or the settings cannot be written.
    pub fn keep_source_key(&self, keys: &Keys, name: &str, host: &str, key: Secret) -> Result<(), SourcesError> {
        let kept = self.source_key(name, host)?;
        // Before it is kept, so that no key stays of which nobody knows.
        note_source_key(self.0.settings(), name, host, true)?;
        keys.set(&kept, key);
        Ok(())
    }

    /// Forgets that key.
    ///
    /// # Errors
    /// As [`Self::source_key`]; the keyring cannot be used, so that the key may still be in it; or the settings cannot be
    /// written.
    pub fn forget_source_key(&self, keys: &Keys, name: &str, host: &str) -> Result<(), SourcesError> {
        keys.remove(&self.source_key(name, host)?)?;
        note_source_key(self.0.settings(), name, host, false)
    }

    fn state(&self, source: ToolSource) -> SourceState {
        let own = format!("{}.", source.name);
        let specs = self.0.catalogue.specs().filter(|spec| spec.name.starts_with(&own));
        let tools = specs.map(|spec| spec.name.clone()).collect();
        let (hosts, left_out, problem) = match source.read() {
            Ok(described) => (hosts_of(&described), described.left_out, None),
            Err(error) => (Vec::new(), Vec::new(), Some(error.to_string())),
        };
        SourceState { source, tools, left_out, hosts, problem }
    }
}

/// The hosts to which the tools of a source send a key.
fn hosts_of(described: &Described) -> Vec<String> {
    let found: BTreeSet<&str> = described.tools.iter().filter_map(DescribedTool::key_host).collect();
    found.into_iter().map(str::to_owned).collect()
}
