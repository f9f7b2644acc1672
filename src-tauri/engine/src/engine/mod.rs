//! The engine: one door for the window, the command line and the tests.
//!
//! [`Engine::open`] takes its parts apart and hands each module the narrow traits it needs. A handle converts, calls
//! once, and returns; no rule of the application is decided here.

mod assembly;
mod connected;
mod contracts;
mod doctor;
mod files;
mod heap;
mod memory;
mod open;
mod plans;
mod requests;
mod runs;
mod sessions;
mod sources;
mod studio;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;

use assent_core::ids::{Digest, SessionId};
use assent_core::run::{Content, Event, Journal, Purpose};
use serde_json::Value;
use thiserror::Error;
use tokio::sync::broadcast;

pub use crate::turn::{RuntimeConfig, choose_budget};
pub use contracts::{ContractHandle, ContractLine, ContractView};
pub use doctor::{Finding, examine};
pub use files::WrittenFile;
pub use heap::{AgentView, HeapHandle, HeapView, Way};
pub use memory::MemoryHandle;
pub use open::{Opened, Opening, meaning, places, registry};
pub use plans::{Check, Edited, Found, PlanHandle};
pub use requests::RequestHandle;
pub use runs::{Carried, RunHandle};
pub use sessions::SessionHandle;
pub use sources::{SourceState, SourcesError, add_tool_source, note_source_key, remove_tool_source, tool_sources};
pub use studio::StudioHandle;
pub use tools::{ExecutorOption, ToolHandle};

use self::assembly::Ground;
use self::connected::Connected;
use crate::clock::{Clock, IdSource};
use crate::discovery::{Directory, meta_tools};
use crate::executor::{Executor, ExecutorError, Models};
use crate::heap::Heap;
use crate::library::PlanLibrary;
use crate::live::Live;
use crate::memory::Memory;
use crate::model::Keys;
use crate::planner::PlanningError;
use crate::prompt::{PromptError, Templates};
use crate::store::{Blobs, Changes, FileHistory, Memories, RunLocks, Settings, Store, StoreError};
use crate::tool::{Catalogue, CatalogueError};
use crate::turn::{ApprovalPolicy, Histories, Knowledge, StoredJobs, Turns};
use crate::vault::Credentials;
use crate::workflow::Workflows;

/// What an engine is made of.
pub struct Parts {
    /// The data folder's database.
    pub store: Arc<Store>,
    /// What is remembered beside the history.
    pub memories: Arc<dyn Memories>,
    /// The locks of the data folder.
    pub locks: RunLocks,
    /// Which model does what.
    pub models: Arc<dyn Models>,
    /// Every tool.
    pub tools: Catalogue,
    /// The prompts.
    pub templates: Templates,
    /// Where signs of life go.
    pub live: Arc<dyn Live>,
    /// Where a person's packs lie.
    pub packs: Option<PathBuf>,
    /// Folders that no tool may see, the data folder first.
    pub hidden: Vec<PathBuf>,
    /// The keys that a person has given.
    pub keys: Arc<Keys>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn IdSource>,
    /// What was decided at the start.
    pub config: RuntimeConfig,
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
    /// The shipped tools.
    #[error(transparent)]
    Tools(#[from] CatalogueError),
    /// The shipped prompts.
    #[error(transparent)]
    Prompts(#[from] PromptError),
}

/// Everything Assent does. Cheap to share behind an `Arc`.
pub struct Engine {
    store: Arc<Store>,
    catalogue: Arc<Catalogue>,
    knowledge: Arc<Knowledge>,
    models: Arc<dyn Models>,
    turns: Arc<Turns>,
    library: PlanLibrary,
    workflows: Arc<Workflows>,
    executor: Arc<Executor>,
    memory: Arc<Memory>,
    directory: Arc<Directory>,
    connected: Arc<Connected>,
    /// Folders that no tool may see, by their real paths.
    hidden: Vec<PathBuf>,
    vault: Arc<Credentials>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    config: RuntimeConfig,
}

/// Folders by their real paths: looked up once, because they stay where they are while the program runs.
fn real(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    folders.into_iter().map(|folder| folder.canonicalize().unwrap_or(folder)).collect()
}

impl Engine {
    /// Puts the parts together. Nothing is started and no model is looked for.
    ///
    /// # Errors
    /// The shipped example plans cannot be read.
    pub fn open(parts: Parts) -> Result<Self, OpenError> {
        let Parts { store, memories, locks, models, tools, templates, live, packs, hidden, keys, clock, ids, config } =
            parts;
        let (memory, directory) = memory::remembered(memories, &clock, &tools);
        let catalogue = Arc::new(with_meta_tools(tools, &directory)?);
        let heap = Arc::new(Heap::new(catalogue.clone(), packs));
        // The heap keeps the catalogue, whose tools about tools keep the directory.
        let owners = Arc::downgrade(&heap);
        directory.owned_by(move |tool| owners.upgrade()?.owner_of(tool));
        let knowledge = Arc::new(Knowledge::new(catalogue.clone(), directory.clone(), heap.clone())?);
        let jobs = Arc::new(StoredJobs {
            plans: store.clone(),
            sessions: store.clone(),
            histories: Arc::new(StoreFiles(store.clone())),
            knowledge: knowledge.clone(),
        });
        let vault = Arc::new(Credentials::new(store.clone(), keys.clone(), clock.clone()));
        let connected =
            Connected::new(heap.clone(), store.clone(), directory.clone(), memory.clone(), keys, vault.clone());
        let ground = Ground {
            store,
            locks: Arc::new(locks),
            models,
            catalogue,
            heap,
            knowledge,
            jobs,
            connected: Arc::new(connected),
            vault,
            memory,
            templates: Arc::new(templates),
            live,
            hidden: real(hidden),
            clock,
            ids,
            config,
        };
        let executor = Arc::new(Executor::new(ground.executor()));
        let turns = Arc::new(Turns::new(ground.turns(executor.clone())));
        let library = PlanLibrary::new(ground.library(turns.clone()));
        let workflows = Arc::new(Workflows::new(ground.workflows(executor.clone(), turns.clone())));
        let Ground {
            store, models, catalogue, knowledge, connected, vault, memory, hidden, clock, ids, config, ..
        } = ground;
        Ok(Self {
            store,
            catalogue,
            knowledge,
            models,
            turns,
            library,
            workflows,
            executor,
            memory,
            directory,
            connected,
            hidden,
            vault,
            clock,
            ids,
            config,
        })
    }

    /// Chats and their history.
    pub fn sessions(&self) -> SessionHandle<'_> {
        SessionHandle(self)
    }

    /// Plans and their versions.
    pub fn plans(&self) -> PlanHandle<'_> {
        PlanHandle(self)
    }

    /// Runs.
    pub fn runs(&self) -> RunHandle<'_> {
        RunHandle(self)
    }

    /// What waits for a person.
    pub fn requests(&self) -> RequestHandle<'_> {
        RequestHandle(self)
    }

    /// Tools.
    pub fn tools(&self) -> ToolHandle<'_> {
        ToolHandle(self)
    }

    /// Contracts of agents and tools.
    pub fn contracts(&self) -> ContractHandle<'_> {
        ContractHandle(self)
    }

    /// Specialists.
    pub fn heap(&self) -> HeapHandle<'_> {
        HeapHandle(self)
    }

    /// The studio, in which agents are made.
    pub fn studio(&self) -> StudioHandle<'_> {
        StudioHandle(self)
    }

    /// Plans that the person keeps.
    pub fn library(&self) -> &PlanLibrary {
        &self.library
    }

    /// Workflows: saved plans that are carried out as often as they are wanted.
    pub fn workflows(&self) -> &Arc<Workflows> {
        &self.workflows
    }

    /// The person's credentials, lent to the calls that they were given for.
    pub fn vault(&self) -> &Credentials {
        &self.vault
    }

    /// What is remembered beside the history.
    pub fn memory(&self) -> MemoryHandle<'_> {
        MemoryHandle(self)
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
    pub fn changes(&self) -> broadcast::Receiver<Arc<Event>> {
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

    /// The whole of a content that events name.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn content(&self, content: &Content) -> Result<Value, ExecutorError> {
        self.executor.content(content)
    }

    /// The whole of a large content.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn blob(&self, digest: &Digest) -> Result<Value, StoreError> {
        Ok(Content::decode(&self.store.blob(digest)?))
    }

    /// Tokens of all tool descriptions in one request, for plans that are made from now on.
    ///
    /// # Errors
    /// The setting cannot be read.
    pub fn tool_budget(&self) -> Result<u32, StoreError> {
        self.config.budget(self.store.as_ref())
    }

    /// What the person has chosen, by names. Never a secret.
    pub fn settings(&self) -> &dyn Settings {
        self.store.as_ref()
    }

    /// Milliseconds since 1970, UTC.
    pub fn now(&self) -> i64 {
        self.clock.now()
    }

    fn journal(&self) -> &dyn Journal {
        self.store.as_ref()
    }
}

/// The catalogue with the tools about tools before it.
fn with_meta_tools(mut tools: Catalogue, directory: &Arc<Directory>) -> Result<Catalogue, CatalogueError> {
    let mut meta = meta_tools(directory.clone(), directory.clone()).into_iter();
    meta.try_for_each(|tool| tools.add_meta(tool))?;
    Ok(tools)
}

/// The store's file histories as turns know them.
struct StoreFiles(Arc<Store>);

impl Histories for StoreFiles {
    fn of(&self, session: &SessionId) -> Arc<dyn FileHistory> {
        self.0.file_history(session)
    }
}
