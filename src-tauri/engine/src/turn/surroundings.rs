//! What a step of a chat is told beside its plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_core::ids::SessionId;
use assent_core::plan::{ExecutorKind, Step, StepType};

use super::history::said_before;
use crate::discovery::{Detail, workspace_overview};
use crate::executor::{Role, Surroundings};
use crate::heap::Heap;
use crate::model::ModelProfile;
use crate::planner::recent;
use crate::store::{Blobs, Sessions};
use crate::tool::human::{ASK_USER, DISPLAY_CONFIRMATION};

/// The files of the workspace; the conversation only for whoever answers without a plan.
pub struct ChatSurroundings {
    /// Where sessions are read.
    pub sessions: Arc<dyn Sessions>,
    /// Where large contents are read.
    pub blobs: Arc<dyn Blobs>,
    /// The specialists.
    pub heap: Arc<Heap>,
    /// Folders that no model may be told of.
    pub hidden: Vec<PathBuf>,
}

/// Steps with these tools are not shown the workspace: small models then wrote what they saw there, line counts above
/// all, in the place of results.
const WITHOUT_FILES: [&str; 3] = ["create_file", ASK_USER, DISPLAY_CONFIRMATION];

/// The specialist that talks with the person, and therefore sees what was said.
const GENERAL: &str = "general";

impl Surroundings for ChatSurroundings {
    fn role(&self, step: &Step) -> Option<Role> {
        let specialist = (step.executor.kind == ExecutorKind::Specialist).then(|| step.executor.id.clone())?;
        let does = self.heap.now().registry.get(&specialist)?.description.clone();
        Some(Role { specialist, does })
    }

    fn shows_files(&self, step: &Step) -> bool {
        step.effective_type() == StepType::Tool
            && !step.required_tools.iter().any(|tool| WITHOUT_FILES.contains(&tool.as_str()))
    }

    fn files(&self, workspace: &Path, model: &ModelProfile) -> Vec<String> {
        workspace_overview(workspace, &self.hidden, Detail::of(model.local))
    }

    fn conversation(&self, session: &SessionId, step: &Step) -> Vec<(String, String)> {
        if step.executor.id != GENERAL {
            return Vec::new();
        }
        // A conversation that cannot be read is a poorer prompt and no reason to stop a run.
        let events = self.sessions.session_events(session, 0).unwrap_or_default();
        let said = said_before(&events, &String::new().into(), self.blobs.as_ref()).unwrap_or_default();
        recent(&said).into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
    }
}
