//! What there is to plan with: tools, how they are found, example plans.

use std::path::Path;

use assent_core::discovery::Tools;
use assent_core::plan::Known;

use crate::planner::{Library, PlanningError};
use crate::tool::Catalogue;

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

/// What there is to plan with, made once and shared by all turns.
pub struct Knowledge {
    known: Known,
    shown: Vec<&'static str>,
    tools: Tools,
    library: Library,
}

impl Knowledge {
    /// Reads the catalogue and the shipped example plans.
    ///
    /// # Errors
    /// The example plans cannot be read.
    pub fn new(catalogue: &Catalogue) -> Result<Self, PlanningError> {
        let known = Known {
            tools: catalogue.specs().map(|spec| (spec.name.clone(), spec.clone())).collect(),
            ..Known::default()
        };
        let shown = ALWAYS_SHOWN.into_iter().filter(|name| catalogue.get(name).is_some()).collect();
        let tools = Tools::of(catalogue.specs());
        Ok(Self { known, shown, tools, library: Library::shipped()? })
    }

    /// What a plan may refer to in a workspace.
    pub fn known(&self, workspace: &Path) -> Known {
        Known { workspace: Some(workspace.display().to_string()), ..self.known.clone() }
    }

    /// The tools that are always shown.
    pub fn shown(&self) -> &[&'static str] {
        &self.shown
    }

    /// The tools by what they do.
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Example plans.
    pub fn library(&self) -> &Library {
        &self.library
    }
}
