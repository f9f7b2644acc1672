//! What there is to plan with: tools, how they are found, example plans.

use std::path::Path;
use std::sync::Arc;

use assent_core::plan::Known;
use assent_core::run::SessionKind;

use crate::discovery::Directory;
use crate::heap::Heap;
use crate::planner::{Library, PlanningError};
use crate::tool::Catalogue;
use crate::tool::scope::is_there;

/// The tools a planner is always shown, in this order.
const ALWAYS_SHOWN: [&str; 10] = [
    "grep",
    "finder",
    "glob",
    "read",
    "bash",
    "create_file",
    "edit_file",
    "undo_edit",
    "ask_user",
    "displayConfirmation",
];

/// What there is to plan with, shared by all turns.
pub struct Knowledge {
    catalogue: Arc<Catalogue>,
    shown: Vec<&'static str>,
    tools: Arc<Directory>,
    library: Library,
    heap: Arc<Heap>,
}

impl Knowledge {
    /// What the catalogue has at the time, looked up in the directory, with the shipped example plans.
    ///
    /// # Errors
    /// The example plans cannot be read.
    pub fn new(catalogue: Arc<Catalogue>, tools: Arc<Directory>, heap: Arc<Heap>) -> Result<Self, PlanningError> {
        let shown = ALWAYS_SHOWN.into_iter().filter(|name| catalogue.get(name).is_some()).collect();
        Ok(Self { catalogue, shown, tools, library: Library::shipped()?, heap })
    }

    /// What a plan may refer to that runs in a workspace, in a session of this kind.
    pub fn known(&self, workspace: &Path, kind: SessionKind) -> Known {
        let usable = self.catalogue.specs().filter(|spec| is_there(spec, kind));
        Known {
            tools: usable.map(|spec| (spec.name.clone(), spec.clone())).collect(),
            specialists: self.heap.now().known.clone(),
            workspace: Some(workspace.display().to_string()),
            ..Known::default()
        }
    }

    /// The tools that are always shown.
    pub fn shown(&self) -> &[&'static str] {
        &self.shown
    }

    /// The tools by what they do.
    pub fn tools(&self) -> &Directory {
        &self.tools
    }

    /// The specialists.
    pub fn heap(&self) -> &Arc<Heap> {
        &self.heap
    }

    /// Example plans.
    pub fn library(&self) -> &Library {
        &self.library
    }
}
