//! The tools of sources, kept as their folders are: looked at before a message is planned and whenever they are listed,
//! and read again where a file has come, gone or changed. Nothing watches in between.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assent_core::contract::ToolSpec;

use super::sources::tool_sources;
use crate::discovery::Directory;
use crate::memory::Memory;
use crate::model::Keys;
use crate::store::{Settings, StoreError};
use crate::tool::described::{DescribedTool, Stamp, ToolSource};
use crate::tool::{Catalogue, Tool};
use crate::turn::Sources;

/// The tools of all sources.
pub(super) struct Connected {
    settings: Arc<dyn Settings>,
    catalogue: Arc<Catalogue>,
    directory: Arc<Directory>,
    memory: Arc<Memory>,
    keys: Arc<Keys>,
    /// By name what was taken in, and how its folder was then.
    seen: Mutex<HashMap<String, (ToolSource, Stamp)>>,
}

impl Connected {
    pub(super) fn new(
        settings: Arc<dyn Settings>,
        catalogue: Arc<Catalogue>,
        directory: Arc<Directory>,
        memory: Arc<Memory>,
        keys: Arc<Keys>,
    ) -> Self {
        Self { settings, catalogue, directory, memory, keys, seen: Mutex::default() }
    }

    /// Has the tools at hand that the folders of the sources hold now, also of sources that another program has added or
    /// removed, and says what of those that were read is not there.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub(super) fn look(&self) -> Result<Vec<String>, StoreError> {
        let sources = tool_sources(self.settings.as_ref())?;
        let mut seen = self.seen();
        let is_gone = |name: &&String| !sources.iter().any(|source| source.name == **name);
        let gone: Vec<String> = seen.keys().filter(is_gone).cloned().collect();
        gone.iter().for_each(|name| self.forget(&mut seen, name));
        Ok(sources.iter().filter_map(|source| self.read(&mut seen, source)).collect())
    }

    /// Has the tools of a source at hand, or says why not. What is left out of it is told where it is listed.
    pub(super) fn take_in(&self, source: &ToolSource) -> Option<String> {
        self.read(&mut self.seen(), source)
    }

    /// Has the tools of a source no more.
    pub(super) fn let_go(&self, name: &str) {
        self.forget(&mut self.seen(), name);
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<String, (ToolSource, Stamp)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, seen: &mut HashMap<String, (ToolSource, Stamp)>, name: &str) {
        seen.remove(name);
        self.catalogue.disconnect(name);
        self.directory.disconnect(name);
    }

    fn read(&self, seen: &mut HashMap<String, (ToolSource, Stamp)>, source: &ToolSource) -> Option<String> {
        let name = &source.name;
        // Looked at before it is read: what changes in between is read again the next time.
        let now = (source.clone(), source.stamp());
        if seen.get(name) == Some(&now) {
            return None;
        }
        let described = match source.read() {
            Ok(described) => described,
            Err(error) => {
                self.forget(seen, name);
                return Some(format!("the tools of {name} are not there: {error}"));
            }
        };
        // No two sources have one name, and each name of a tool begins with that of its source.
        let with_keys = |tool: DescribedTool| Arc::new(tool.with_keys(name, self.keys.clone())) as Arc<dyn Tool>;
        let tools = described.tools.into_iter().map(with_keys);
        let faults = self.catalogue.connect(name, tools);
        let own = format!("{name}.");
        let specs: Vec<&ToolSpec> = self.catalogue.specs().filter(|spec| spec.name.starts_with(&own)).collect();
        self.directory.connect(name, specs.iter().copied());
        self.memory.register(specs.iter().copied());
        seen.insert(name.clone(), now);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        (!faults.is_empty()).then(|| faults.join("; "))
    }
}

impl Sources for Connected {
    fn look_again(&self) {
        // A source that cannot be read is not there until it can, and is told where the sources are listed.
        let _ = self.look();
    }
}
