//! Tools.

use assent_core::contract::ToolSpec;

use super::Engine;

/// Tools.
pub struct ToolHandle<'e>(pub(super) &'e Engine);

impl ToolHandle<'_> {
    /// The descriptions of all tools.
    pub fn list(&self) -> Vec<&ToolSpec> {
        self.0.catalogue.specs().collect()
    }

    /// The description of one.
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.0.catalogue.get(name).map(|tool| tool.spec())
    }
}
