//! What a step of a chat is told beside its plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_core::contract::estimate_tokens;
use assent_core::heap::told_of;
use assent_core::ids::{SessionId, StepId};
use assent_core::plan::{ExecutorKind, Plan, PlanRef, Step, StepType};

use super::history::{remarks_of, said_before};
use crate::discovery::{Detail, text_for_change, workspace_overview};
use crate::executor::{Models, Role, Surroundings};
use crate::heap::Heap;
use crate::model::{ModelProfile, PlannerProfile};
use crate::planner::{named_files, recent};
use crate::prompt::{Further, MadeHere, Remark, StepStudio, count_in, label};
use crate::store::{Blobs, Plans, SessionRow, Sessions};
use crate::tool::core::EDIT_FILE;
use crate::tool::human::{ASK_USER, DISPLAY_CONFIRMATION};

/// The files of the workspace; the conversation only for whoever answers without a plan.
pub struct ChatSurroundings {
    /// Where sessions are read.
    pub sessions: Arc<dyn Sessions>,
    /// Where plans, and what was said of them, are read.
    pub plans: Arc<dyn Plans>,
    /// Where large contents are read.
    pub blobs: Arc<dyn Blobs>,
    /// The specialists.
    pub heap: Arc<Heap>,
    /// The models that a person has chosen.
    pub models: Arc<dyn Models>,
    /// Folders that no model may be told of.
    pub hidden: Vec<PathBuf>,
}

/// Steps with these tools are not shown the workspace: small models then wrote what they saw there, line counts above
/// all, in the place of results.
const WITHOUT_FILES: [&str; 3] = ["create_file", ASK_USER, DISPLAY_CONFIRMATION];

/// Files that a small model is shown before it changes them; it otherwise writes their text out of its head.
const TEXTS: usize = 2;

/// How much is told of the studio; what is left out is found by the tools that list it.
struct Room {
    /// Agents, and of workflows the newest.
    made: usize,
    /// Characters of what one of them is for.
    line: usize,
    /// Tokens of the tools that are named, where the step's own leave as many of the budget.
    tokens: u32,
}

impl Room {
    fn of(model: &ModelProfile) -> Self {
        match model.planner {
            PlannerProfile::Full => Self { made: 100, line: 160, tokens: 2_000 },
            PlannerProfile::Compact => Self { made: 12, line: 80, tokens: 400 },
        }
    }

    /// The beginning of a text, on one line.
    fn first(&self, text: &str) -> String {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(self.line).collect()
    }
}

/// The names that there is room for, and how many others come from where.
fn named<'a>(all: impl Iterator<Item = &'a str>, room: u32) -> (Vec<String>, Vec<Further>) {
    let (mut names, mut further, mut left) = (Vec::new(), Vec::<Further>::new(), room);
    for name in all {
        if let Some(rest) = left.checked_sub(estimate_tokens(name) + 2) {
            left = rest;
            names.push(name.to_owned());
            continue;
        }
        left = 0;
        count_in(&mut further, label(name), 1);
    }
    (names, further)
}

/// The specialist that talks with the person, and therefore sees what was said.
const GENERAL: &str = "general";

impl ChatSurroundings {
    /// The model of a step, and the others that a person has chosen.
    fn chosen(&self, model: &ModelProfile) -> Vec<String> {
        let mut all = vec![model.id.clone()];
        for other in self.models.chosen() {
            if !all.contains(&other) {
                all.push(other);
            }
        }
        all
    }
}

impl Surroundings for ChatSurroundings {
    fn role(&self, step: &Step) -> Option<Role> {
        let specialist = step.executor.id.clone();
        let specialists = self.heap.now();
        let does = match step.executor.kind {
            ExecutorKind::Specialist => specialists.registry.get(&specialist)?.description.clone(),
            ExecutorKind::Agent => told_of(&specialists.agents.get(&specialist)?.description),
            ExecutorKind::Single => return None,
        };
        Some(Role { specialist, does })
    }

    fn shows_files(&self, step: &Step) -> bool {
        step.effective_type() == StepType::Tool
            && !step.required_tools.iter().any(|tool| WITHOUT_FILES.contains(&tool.as_str()))
    }

    fn files(&self, workspace: &Path, model: &ModelProfile) -> Vec<String> {
        workspace_overview(workspace, &self.hidden, Detail::of(model.local))
    }

    fn texts(&self, workspace: &Path, step: &Step, model: &ModelProfile) -> Vec<String> {
        let changes = step.required_tools.iter().any(|tool| tool == EDIT_FILE);
        if !changes || !model.local || model.planner != PlannerProfile::Compact {
            return Vec::new();
        }
        let files = named_files(&step.description);
        let texts = files.iter().take(TEXTS).filter_map(|file| {
            let text = text_for_change(workspace, &self.hidden, file, &step.description)?;
            Some(format!("{file} is now:\n{text}"))
        });
        texts.collect()
    }

    fn conversation(&self, session: &SessionId, plan: &Plan, step: &Step) -> Vec<(String, String)> {
        // Where nobody has planned, no plan tells what was meant before.
        let specialists = self.heap.now();
        let root = specialists.registry.root_of(&step.executor.id).unwrap_or(&step.executor.id);
        if root != GENERAL && !plan.fallback.used {
            return Vec::new();
        }
        // A conversation that cannot be read is a poorer prompt and no reason to stop a run.
        let events = self.sessions.session_events(session, 0).unwrap_or_default();
        let said = said_before(&events, &String::new().into(), self.blobs.as_ref()).unwrap_or_default();
        recent(&said).into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
    }

    fn remarks(&self, plan: &PlanRef, path: &[StepId]) -> Vec<Remark> {
        // What cannot be read is a poorer prompt and no reason to stop a run.
        let said = self.plans.said_of(plan).unwrap_or_default();
        remarks_of(said.into_iter().filter(|one| one.step.as_ref().is_none_or(|step| path.contains(step))))
    }

    fn studio(&self, step: &Step, model: &ModelProfile) -> Option<StepStudio> {
        if step.executor.kind != ExecutorKind::Specialist || !self.heap.has_studio() {
            return None;
        }
        let room = Room::of(model);
        let specialists = self.heap.now();
        let root = specialists.registry.root_of(&step.executor.id).unwrap_or(&step.executor.id);
        let packed = specialists.packed();
        let made = packed.keys().filter_map(|id| specialists.registry.get(id));
        let agents = made.take(room.made);
        let agents = agents.map(|made| MadeHere { id: made.id.clone(), line: room.first(&made.description) }).collect();
        // A list that cannot be read is a poorer prompt and no reason to stop a run.
        let sessions = self.sessions.workflows().unwrap_or_default();
        let made = |row: &SessionRow| Some(MadeHere { id: row.workflow()?.to_owned(), line: room.first(&row.title) });
        let workflows = sessions.iter().rev().filter_map(made).take(room.made).collect();
        let studio = StepStudio { agents, workflows, models: self.chosen(model), ..StepStudio::default() };
        Some(studio.with_tools(root, || named(self.heap.tools().map(|tool| tool.name.as_str()), room.tokens)))
    }
}
