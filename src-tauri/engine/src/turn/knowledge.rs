//! What there is to plan with: tools, how they are found, example plans.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use assent_core::contract::ToolSpec;
use assent_core::plan::Known;
use assent_core::run::SessionKind;

use crate::discovery::Directory;
use crate::heap::Heap;
use crate::planner::{Library, PlanningError};
use crate::tool::Catalogue;
use crate::tool::scope::is_of_the_other_channel;

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
    known: RwLock<Known>,
    shown: Vec<&'static str>,
    tools: Arc<Directory>,
    library: Library,
    heap: Arc<Heap>,
}

impl Knowledge {
    /// Reads the catalogue, whose tools are looked up in the directory, and the shipped example plans.
    ///
    /// # Errors
    /// The example plans cannot be read.
    pub fn new(catalogue: &Catalogue, tools: Arc<Directory>, heap: Arc<Heap>) -> Result<Self, PlanningError> {
        let known = Known {
            tools: catalogue.specs().map(|spec| (spec.name.clone(), spec.clone())).collect(),
            ..Known::default()
        };
        let shown = ALWAYS_SHOWN.into_iter().filter(|name| catalogue.get(name).is_some()).collect();
        Ok(Self { known: RwLock::new(known), shown, tools, library: Library::shipped()?, heap })
    }

    /// Takes in tools that have come.
    pub fn connect<'a>(&self, specs: impl IntoIterator<Item = &'a ToolSpec>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.tools.extend(specs.into_iter().map(|spec| (spec.name.clone(), spec.clone())));
    }

    /// Lets tools go.
    pub fn disconnect(&self, names: &[String]) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).tools.retain(|name, _| !names.contains(name));
    }

    /// What a plan may refer to that runs in a workspace, in a session of this kind.
    pub fn known(&self, workspace: &Path, kind: SessionKind) -> Known {
        let all = self.known.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut known = Known { workspace: Some(workspace.display().to_string()), ..all };
        known.tools.retain(|name, _| !is_of_the_other_channel(name, kind));
        known.specialists.clone_from(&self.heap.now().known);
        known
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
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// Example plans.
    pub fn library(&self) -> &Library {
        &self.library
    }
}
