//! A turn: one user message and everything up to the answer or the question that ends it.
//!
//! Message, plan, approval, run, answer: this module puts them in their order and writes down what happened between
//! the planner and the executor. It never looks into a plan's steps and never calls a tool.

mod answer;
mod approve;
mod before;
mod carry;
mod config;
mod direct;
mod earlier;
mod end;
mod floor;
mod fork;
mod history;
mod jobs;
mod knowledge;
mod naming;
mod plannings;
mod policy;
mod reuse;
mod rework;
mod rules;
mod send;
mod start;
mod surroundings;
mod taking_up;

use std::path::PathBuf;
use std::sync::Arc;

use assent_core::plan::Limits;
use assent_core::run::{Batch, Blob, Draft, Durability, EventKind, Journal, Place};

use crate::clock::{Clock, IdSource};
use crate::executor::{Executor, Locks, Models};
use crate::live::Live;
use crate::planner::Planner;
use crate::store::{Blobs, Plans, Requests, Runs, Sessions, Settings, StoreError};
use crate::vault::Credentials;

pub use config::{RuntimeConfig, choose_budget};
pub use end::{Message, TurnEnd, TurnError};
pub use floor::Floor;
pub use jobs::{Histories, StoredJobs, workspace_of};
pub use knowledge::Knowledge;
pub(crate) use naming::{named_after, title_after};
pub use policy::ApprovalPolicy;
pub use reuse::Reuse;
pub use rules::{PlanRules, RuleParts};
pub(crate) use send::LOOKING;
pub use surroundings::ChatSurroundings;

/// What turns work with.
pub struct TurnParts {
    /// Where events go.
    pub journal: Arc<dyn Journal>,
    /// Where sessions are read.
    pub sessions: Arc<dyn Sessions>,
    /// Where plans are read.
    pub plans: Arc<dyn Plans>,
    /// Where runs are read.
    pub runs: Arc<dyn Runs>,
    /// Where requests are read.
    pub requests: Arc<dyn Requests>,
    /// Where large contents are read.
    pub blobs: Arc<dyn Blobs>,
    /// Makes plans.
    pub planner: Planner,
    /// Carries them out.
    pub executor: Arc<Executor>,
    /// Which model does what.
    pub models: Arc<dyn Models>,
    /// What there is to plan with.
    pub knowledge: Arc<Knowledge>,
    /// Where tools come from beside those that Assent brings along.
    pub sources: Arc<dyn Sources>,
    /// What the person has chosen.
    pub settings: Arc<dyn Settings>,
    /// The person's credentials: names, and what they are for.
    pub vault: Arc<Credentials>,
    /// What was decided at the start.
    pub config: RuntimeConfig,
    /// Who may work on a turn.
    pub locks: Arc<dyn Locks>,
    /// Approved versions as the executor takes them.
    pub jobs: Arc<StoredJobs>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn IdSource>,
    /// Where signs of life of the planner go.
    pub live: Arc<dyn Live>,
    /// Folders that no model may be told of.
    pub hidden: Vec<PathBuf>,
}

/// Where tools come from beside those that Assent brings along.
pub trait Sources: Send + Sync {
    /// Takes in what has come or was changed, and lets go what has gone, since they were last looked at. It may block its
    /// thread.
    fn keep_up(&self);

    /// The same before a message is planned: what compares it with tools is waited for a little.
    fn look_again(&self);
}

/// Turns of all sessions.
pub struct Turns {
    parts: TurnParts,
    plannings: plannings::Plannings,
}

impl Turns {
    /// Turns with these parts.
    pub fn new(parts: TurnParts) -> Self {
        Self { parts, plannings: plannings::Plannings::default() }
    }

    /// The limits of a plan that is made now.
    fn limits(&self) -> Result<Limits, StoreError> {
        Ok(Limits { tool_token_budget: self.parts.config.budget(self.parts.settings.as_ref())?, ..Limits::default() })
    }

    /// Writes what has happened at a place, in one transaction.
    async fn write(
        &self,
        place: &Place,
        events: Vec<EventKind>,
        blobs: Vec<Blob>,
        durability: Durability,
    ) -> Result<(), TurnError> {
        let batch = Batch { events: self.drafts(place, events), blobs, ..Batch::default() };
        Ok(self.parts.journal.append(batch, durability).await?)
    }

    fn drafts(&self, place: &Place, events: Vec<EventKind>) -> Vec<Draft> {
        let at = self.parts.clock.now();
        events.into_iter().map(|kind| Draft { place: place.clone(), at, kind }).collect()
    }
}
