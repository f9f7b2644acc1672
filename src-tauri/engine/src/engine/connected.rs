//! The tools of sources, kept as their folders are: looked at before a message is planned and whenever they are listed,
//! and read again where a file has come, gone or changed. Nothing watches in between. The agents of packs are kept as
//! tools in the same way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assent_core::contract::{Source, ToolSpec};

use super::sources::tool_sources;
use crate::discovery::Directory;
use crate::heap::Heap;
use crate::memory::Memory;
use crate::model::Keys;
use crate::store::{Settings, StoreError};
use crate::tool::crawl::{CRAWL_TOOLS, crawl_tools};
use crate::tool::described::{DescribedTool, Stamp, ToolSource};
use crate::tool::folders::are_there;
use crate::tool::{Catalogue, Tool};
use crate::turn::Sources;
use crate::vault::Credentials;

/// Whose tools agents are in lists of sources; no source of a person's own has such a name.
const AGENTS: &str = "(agents)";
/// Whose the tools of crawls are.
const CRAWL: &str = "(crawl)";

/// So long a message that is to be planned waits for what compares it with tools, after a time without one.
const LOADING: Duration = Duration::from_millis(500);

/// The tools of all sources.
pub(super) struct Connected {
    heap: Arc<Heap>,
    settings: Arc<dyn Settings>,
    catalogue: Arc<Catalogue>,
    directory: Arc<Directory>,
    memory: Arc<Memory>,
    keys: Arc<Keys>,
    vault: Arc<Credentials>,
    /// By name what was taken in, and how its folder was then.
    seen: Mutex<HashMap<String, (ToolSource, Stamp)>>,
}

impl Connected {
    pub(super) fn new(
        heap: Arc<Heap>,
        settings: Arc<dyn Settings>,
        directory: Arc<Directory>,
        memory: Arc<Memory>,
        keys: Arc<Keys>,
        vault: Arc<Credentials>,
    ) -> Self {
        let catalogue = heap.catalogue().clone();
        Self { heap, settings, catalogue, directory, memory, keys, vault, seen: Mutex::default() }
    }

    /// Has the tools at hand that the folders of the sources hold now, also of sources that another program has added or
    /// removed, and says what of those that were read is not there.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub(super) fn look(&self) -> Result<Vec<String>, StoreError> {
        // Held before the settings are read: what is added or removed meanwhile would be forgotten, or come back.
        let mut seen = self.seen();
        let sources = tool_sources(self.settings.as_ref())?;
        let is_gone = |name: &&String| !sources.iter().any(|source| source.name == **name);
        let gone: Vec<String> = seen.keys().filter(is_gone).cloned().collect();
        gone.iter().for_each(|name| self.removed(&mut seen, name));
        // All at once: one after the other would be waited for otherwise.
        let there = are_there(&sources.iter().map(|source| source.folder.clone()).collect::<Vec<_>>());
        let look = |(source, answer): (&ToolSource, Option<bool>)| match answer {
            Some(_) => self.read(&mut seen, source),
            None => Some(self.unanswered(&mut seen, source)),
        };
        let mut problems: Vec<String> = sources.iter().zip(there).filter_map(look).collect();
        problems.extend(self.agents());
        Ok(problems)
    }

    /// Has the agents of packs at hand as tools, and says which cannot be.
    fn agents(&self) -> Vec<String> {
        self.crawl();
        let before = self.catalogue.revision();
        let faults = self.catalogue.connect(AGENTS, self.heap.agent_tools());
        if self.catalogue.revision() != before {
            // Nobody looks for the parts of a whole: what an agent of a pack has done by others of it is found as that agent.
            let parts = self.heap.now().parts();
            let is_whole = |spec: &&ToolSpec| spec.source == Source::Agent && !parts.contains(&spec.name);
            let specs: Vec<&ToolSpec> = self.catalogue.specs().filter(is_whole).collect();
            self.directory.connect(AGENTS, specs.iter().copied());
            self.memory.register(specs.iter().copied());
        }
        faults.iter().map(ToString::to_string).collect()
    }

    /// The tools of crawls are there while an agent has them. No search finds them: they are of use to nobody else.
    fn crawl(&self) {
        let agents = &self.heap.now().agents;
        let is_wanted =
            agents.values().any(|agent| agent.tools.iter().any(|tool| CRAWL_TOOLS.contains(&tool.as_str())));
        if is_wanted {
            // A tool of a person's own that has such a name stays; ours is not there then.
            drop(self.catalogue.connect(CRAWL, crawl_tools()));
        } else {
            self.catalogue.disconnect(CRAWL);
        }
    }

    /// Adds a source and has its tools at hand, or says why not. What is left out of it is told where it is listed.
    ///
    /// # Errors
    /// It could not be added.
    pub(super) fn take_in<E>(
        &self,
        add: impl FnOnce() -> Result<ToolSource, E>,
    ) -> Result<(ToolSource, Option<String>), E> {
        let mut seen = self.seen();
        let source = add()?;
        let problem = self.read(&mut seen, &source);
        Ok((source, problem))
    }

    /// Removes a source and has its tools no more.
    ///
    /// # Errors
    /// It could not be removed.
    pub(super) fn let_go<E>(&self, remove: impl FnOnce(&Keys) -> Result<ToolSource, E>) -> Result<ToolSource, E> {
        let mut seen = self.seen();
        let source = remove(&self.keys)?;
        self.removed(&mut seen, &source.name);
        Ok(source)
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<String, (ToolSource, Stamp)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing is remembered of a source that a person has removed; of one that cannot be read for a while everything is.
    fn removed(&self, seen: &mut HashMap<String, (ToolSource, Stamp)>, name: &str) {
        self.memory.unregister(name);
        self.forget(seen, name);
        self.directory.forget_gone();
    }

    fn forget(&self, seen: &mut HashMap<String, (ToolSource, Stamp)>, name: &str) {
        seen.remove(name);
        self.catalogue.disconnect(name);
        self.directory.disconnect(name);
    }

    /// What is being done goes on with the tools that it has: a folder may be only slow for a moment.
    fn unanswered(&self, seen: &mut HashMap<String, (ToolSource, Stamp)>, source: &ToolSource) -> String {
        let name = &source.name;
        let why = format!("the folder {} does not answer; its server may be away", source.folder.display());
        if seen.get(name).is_some_and(|(known, _)| known == source) {
            return format!("the tools of {name} are as they were read last: {why}");
        }
        self.missed(seen, name, &why)
    }

    fn missed(&self, seen: &mut HashMap<String, (ToolSource, Stamp)>, name: &str, why: &str) -> String {
        self.forget(seen, name);
        self.directory.miss(name, &format!("The tools of {name} are not there: its folder cannot be read now."));
        format!("the tools of {name} are not there: {why}")
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
            Err(error) => return Some(self.missed(seen, name, &error.to_string())),
        };
        // No two sources have one name, and each name of a tool begins with that of its source.
        let with_keys = |tool: DescribedTool| {
            Arc::new(tool.with_keys(name, self.keys.clone(), self.vault.clone())) as Arc<dyn Tool>
        };
        let tools = described.tools.into_iter().map(with_keys);
        let before = self.catalogue.revision();
        let faults = self.catalogue.connect(name, tools);
        // A file that has another time and says the same, or nothing of tools, changes nothing.
        if self.catalogue.revision() != before {
            let own = format!("{name}.");
            let specs: Vec<&ToolSpec> = self.catalogue.specs().filter(|spec| spec.name.starts_with(&own)).collect();
            self.directory.connect(name, specs.iter().copied());
            self.memory.register(specs.iter().copied());
        }
        seen.insert(name.clone(), now);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        (!faults.is_empty()).then(|| faults.join("; "))
    }
}

impl Sources for Connected {
    fn keep_up(&self) {
        // A source that cannot be read is not there until it can, and is told where the sources are listed.
        let _ = self.look();
    }

    fn look_again(&self) {
        self.keep_up();
        if let Some(meaning) = self.directory.meaning() {
            meaning.ready_within(LOADING);
        }
    }
}
