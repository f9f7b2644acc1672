//! The studio: open where a person wants agents and workflows to be made in chats. While it is closed, its specialists and tools are
//! not there, and no prompt speaks of them.

use std::sync::Arc;

use assent_core::contract::ToolSpec;
use serde_json::{Value, json};

use super::Engine;
use crate::store::StoreError;
use crate::studio::{Agents, ReviewRuns, agent_tools};
use crate::tool::Tool;
use crate::workflow::workflow_tools;

/// The setting that keeps it open.
const SETTING: &str = "studio";
/// Whose tools they are in lists of sources; no source of a person's own has such a name.
const OWNER: &str = "(studio)";

/// The studio.
pub struct StudioHandle<'e>(pub(super) &'e Engine);

impl StudioHandle<'_> {
    /// Whether its specialists and tools are there.
    pub fn is_open(&self) -> bool {
        self.0.knowledge.heap().has_studio()
    }

    /// Opens it, now and from the next start on. Whether it is open then: it needs a folder of packs.
    ///
    /// # Errors
    /// The setting cannot be written.
    pub fn open(&self) -> Result<bool, StoreError> {
        self.0.settings().set_setting(SETTING, Some(&json!(true)))?;
        self.connect();
        Ok(self.is_open())
    }

    /// Closes it. The agents that were made stay, and can be used.
    ///
    /// # Errors
    /// The setting cannot be written.
    pub fn close(&self) -> Result<(), StoreError> {
        self.0.settings().set_setting(SETTING, None)?;
        self.0.knowledge.heap().open_studio(false);
        self.0.catalogue.disconnect(OWNER);
        self.0.directory.disconnect(OWNER);
        Ok(())
    }

    /// Opens it where a person has left it open.
    pub(super) fn connect_chosen(&self) -> Result<(), StoreError> {
        if self.0.settings().setting(SETTING)?.as_ref().and_then(Value::as_bool) == Some(true) {
            self.connect();
        }
        Ok(())
    }

    /// The tools that are not there because it is closed.
    pub(super) fn closed(&self) -> Vec<ToolSpec> {
        self.tools().iter().map(|tool| tool.spec().clone()).collect()
    }

    /// Its tools while it is closed; none where it is open, or cannot be opened.
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let engine = self.0;
        let heap = engine.knowledge.heap();
        let Some(packs) = heap.packs().filter(|_| !self.is_open()) else { return Vec::new() };
        let mut tools = agent_tools(&Agents::new(packs.to_owned()), heap);
        tools.extend(workflow_tools(&engine.workflows));
        tools.push(Arc::new(ReviewRuns::new(engine.store.clone(), engine.store.clone())));
        tools
    }

    fn connect(&self) {
        let (engine, tools) = (self.0, self.tools());
        if tools.is_empty() {
            return;
        }
        let specs: Vec<ToolSpec> = tools.iter().map(|tool: &Arc<dyn Tool>| tool.spec().clone()).collect();
        // A tool of a person's own that has such a name stays; ours is not there then.
        drop(engine.catalogue.connect(OWNER, tools));
        engine.directory.connect(OWNER, &specs);
        engine.memory.register(&specs);
        engine.knowledge.heap().open_studio(true);
    }
}
