//! What the first view of the window shows.

use assent_core::contract::ToolSpec;
use assent_core::ids::SessionId;
use assent_engine::store::{PlanStanding, RequestRow, SessionRow};
use serde::Serialize;

use super::{ModelList, SettingsView, SpecialistOption, Workspace};

/// Everything that the window needs before it can be used, in one answer: each answer takes its time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FirstView {
    /// What is set.
    pub settings: SettingsView,
    /// All sessions, last used first.
    pub sessions: Vec<SessionRow>,
    /// What waits for a person, oldest first.
    pub requests: Vec<RequestRow>,
    /// How the latest version of each plan stands, newest first.
    pub plans: Vec<PlanStanding>,
    /// The sessions in which this process works at the moment.
    pub active: Vec<SessionId>,
    /// The embedded models and those that were chosen.
    pub models: ModelList,
    /// Folders of earlier sessions, last used first.
    pub workspaces: Vec<Workspace>,
    /// Every tool.
    pub tools: Vec<ToolSpec>,
    /// Who may do a step.
    pub specialists: Vec<SpecialistOption>,
}
