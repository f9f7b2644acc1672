//! The engine: one door for the window, the command line and the tests.
//!
//! [`Engine::open`] takes its parts apart and hands each module the narrow traits it needs. A handle converts, calls
//! once, and returns; no rule of the application is decided here.

mod plans;
mod requests;
mod sessions;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;

use assent_core::ids::SessionId;
use assent_core::run::{Event, Journal, Purpose};
use thiserror::Error;
use tokio::sync::broadcast;
use tokio::sync::mpsc::UnboundedSender;

pub use plans::PlanHandle;
pub use requests::RequestHandle;
pub use sessions::SessionHandle;
pub use tools::ToolHandle;

use crate::clock::{Clock, IdSource};
use crate::executor::{Executor, ExecutorParts, Live, Locks, Models, Sampling};
use crate::planner::{Planner, PlanningError, PlanningProgress};
use crate::prompt::Templates;
use crate::store::{Changes, FileHistory, RunLocks, Store, StoreError};
use crate::tool::Catalogue;
use crate::turn::{ApprovalPolicy, ChatSurroundings, Histories, Knowledge, PlanRules, StoredJobs, TurnParts, Turns};

/// What an engine is made of.
pub struct Parts {
    /// The data folder's database.
    pub store: Arc<Store>,
    /// The locks of the data folder.
    pub locks: RunLocks,
    /// Which model does what.
    pub models: Arc<dyn Models>,
    /// Every tool.
    pub tools: Catalogue,
    /// The prompts.
    pub templates: Templates,
    /// Where pieces of a step's replies and signs of life of its calls go.
    pub live: Arc<dyn Live>,
    /// Where signs of life of the planner go.
    pub planning: UnboundedSender<PlanningProgress>,
    /// Folders that no tool may see, the data folder first.
    pub hidden: Vec<PathBuf>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn IdSource>,
}

/// Why an engine could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The example plans.
    #[error(transparent)]
    Planning(#[from] PlanningError),
}

/// Everything Assent does. Cheap to share behind an `Arc`.
pub struct Engine {
    store: Arc<Store>,
    catalogue: Arc<Catalogue>,
    knowledge: Arc<Knowledge>,
    models: Arc<dyn Models>,
    turns: Turns,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

impl Engine {
    /// Puts the parts together. Nothing is started and no model is looked for.
    ///
    /// # Errors
    /// The shipped example plans cannot be read.
    pub fn open(parts: Parts) -> Result<Self, OpenError> {
        let Parts { store, locks, models, tools, templates, live, planning, hidden, clock, ids } = parts;
        let locks: Arc<dyn Locks> = Arc::new(locks);
        let catalogue = Arc::new(tools);
        let knowledge = Arc::new(Knowledge::new(&catalogue)?);
        let templates = Arc::new(templates);
        let jobs = Arc::new(StoredJobs {
            plans: store.clone(),
            sessions: store.clone(),
            histories: Arc::new(StoreFiles(store.clone())),
            knowledge: knowledge.clone(),
        });
        let executor = Executor::new(ExecutorParts {
            journal: store.clone(),
            runs: store.clone(),
            requests: store.clone(),
            blobs: store.clone(),
            changes: store.clone(),
            locks: locks.clone(),
            jobs: jobs.clone(),
            models: models.clone(),
            catalogue: catalogue.clone(),
            rules: Arc::new(PlanRules::new(catalogue.clone(), hidden.clone())),
            surroundings: Arc::new(ChatSurroundings { sessions: store.clone(), blobs: store.clone() }),
            templates: templates.clone(),
            live,
            clock: clock.clone(),
            ids: ids.clone(),
            hidden,
            sampling: Sampling::default(),
        });
        let turns = Turns::new(TurnParts {
            journal: store.clone(),
            sessions: store.clone(),
            plans: store.clone(),
            runs: store.clone(),
            requests: store.clone(),
            blobs: store.clone(),
            settings: store.clone(),
            locks,
            planner: Planner::new(templates, clock.clone()),
            executor: Arc::new(executor),
            jobs,
            models: models.clone(),
            knowledge: knowledge.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            progress: planning,
        });
        Ok(Self { store, catalogue, knowledge, models, turns, clock, ids })
    }

    /// Chats and their history.
    pub fn sessions(&self) -> SessionHandle<'_> {
        SessionHandle(self)
    }

    /// Plans and their versions.
    pub fn plans(&self) -> PlanHandle<'_> {
        PlanHandle(self)
    }

    /// What waits for a person.
    pub fn requests(&self) -> RequestHandle<'_> {
        RequestHandle(self)
    }

    /// Tools.
    pub fn tools(&self) -> ToolHandle<'_> {
        ToolHandle(self)
    }

    /// Messages, approvals, answers and what follows from them.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// The model that plans, or why there is none.
    pub async fn model_name(&self) -> String {
        match self.models.model(Purpose::Plan).await {
            Ok(model) => model.profile().id.clone(),
            Err(error) => error.to_string(),
        }
    }

    /// Every event that is committed from now on, by this process or another.
    pub fn changes(&self) -> broadcast::Receiver<Event> {
        self.store.subscribe()
    }

    /// The approval policy that is used where a message says nothing.
    ///
    /// # Errors
    /// The setting cannot be read.
    pub fn policy(&self) -> Result<ApprovalPolicy, StoreError> {
        ApprovalPolicy::chosen(self.store.as_ref())
    }

    /// Sets the approval policy.
    ///
    /// # Errors
    /// The setting cannot be written.
    pub fn set_policy(&self, policy: ApprovalPolicy) -> Result<(), StoreError> {
        policy.choose(self.store.as_ref())
    }

    /// Milliseconds since 1970, UTC.
    pub fn now(&self) -> i64 {
        self.clock.now()
    }

    fn journal(&self) -> &dyn Journal {
        self.store.as_ref()
    }
}

/// The store's file histories as turns know them.
struct StoreFiles(Arc<Store>);

impl Histories for StoreFiles {
    fn of(&self, session: &SessionId) -> Arc<dyn FileHistory> {
        self.0.file_history(session)
    }
}
