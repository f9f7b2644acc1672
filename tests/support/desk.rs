//! An engine on folders of its own, with a model whose replies are written down beforehand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use assent_core::ids::SessionId;
use assent_core::run::{Event, EventKind, Purpose};
use assent_engine::Engine;
use assent_engine::clock::{RandomIds, SystemClock};
use assent_engine::engine::{Parts, RuntimeConfig};
use assent_engine::executor::Models;
use assent_engine::live::{Live, Unwatched};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Keys, Model, ModelError};
use assent_engine::prompt::Templates;
use assent_engine::store::{Home, Memories, MemoryFilter, RunLocks, Store};
use assent_engine::tool::{Catalogue, Tool, core_tools, human_tools};
use assent_engine::turn::{ApprovalPolicy, Message, TurnEnd};
use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::wire::Wire;

/// The engine, its folders and its model.
pub struct Desk {
    /// What is tested.
    pub engine: Engine,
    /// Answers from queues and records every request.
    pub model: Arc<ScriptedModel>,
    /// The folder that is worked in.
    pub workspace: PathBuf,
    /// The data folder.
    pub home: PathBuf,
    /// Both folders; there until the last desk on them is gone.
    folder: Arc<tempfile::TempDir>,
}

/// One model for everything.
pub struct Only(pub Arc<dyn Model>);

#[async_trait]
impl Models for Only {
    async fn model(&self, _purpose: Purpose) -> Result<Arc<dyn Model>, ModelError> {
        Ok(self.0.clone())
    }
}

impl Desk {
    /// A desk with these files in its workspace.
    pub fn with(files: &[(&str, &str)]) -> Self {
        Self::on(ScriptedModel::default(), files)
    }

    /// The same on a model of its own.
    pub fn on(model: ScriptedModel, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        for (name, text) in files {
            let path = workspace.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self::at(Arc::new(folder), model)
    }

    fn at(folder: Arc<tempfile::TempDir>, model: ScriptedModel) -> Self {
        let (workspace, home) = (folder.path().join("workspace"), folder.path().join("home"));
        let model = Arc::new(model);
        let engine = open(&home, model.clone());
        Self { engine, model, workspace, home, folder }
    }

    /// A desk with these tools beside the shipped ones, and with these keys of a person.
    pub fn keyed(model: ScriptedModel, keys: Arc<Keys>, tools: Vec<Arc<dyn Tool>>, live: Arc<dyn Live>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (workspace, home) = (folder.path().join("workspace"), folder.path().join("home"));
        std::fs::create_dir(&workspace).unwrap();
        let model = Arc::new(model);
        let place = Home::at(&home).unwrap();
        let store = Store::open(&place, Arc::new(SystemClock)).unwrap();
        let models = Arc::new(Only(Wire::of_this_program().lead_to(model.clone())));
        let engine = engine_keyed(store, &place, models, tools, live, (RuntimeConfig::default(), keys));
        Self { engine, model, workspace, home, folder: Arc::new(folder) }
    }

    /// Waits until the memory has written down what it was told, all tools at the beginning.
    pub fn settle(&self) {
        self.engine.memory().list(&MemoryFilter { limit: 1, ..MemoryFilter::default() }).unwrap();
    }

    /// The same folders, opened by an engine that waits only so long for a database that another program holds.
    pub fn impatient(&self, patience: Duration) -> Self {
        self.settle();
        let model = Arc::new(ScriptedModel::default());
        let home = Home::at(&self.home).unwrap();
        let store = Store::open_patiently(&home, Arc::new(SystemClock), patience).unwrap();
        let models = Arc::new(Only(Wire::of_this_program().lead_to(model.clone())));
        let engine = engine_with(store, &home, models, Vec::new(), Arc::new(Unwatched));
        Self { engine, model, workspace: self.workspace.clone(), home: self.home.clone(), folder: self.folder.clone() }
    }

    /// Holds the database as another program would that writes to it, until the connection is dropped.
    ///
    /// # Errors
    /// It is not there, or is being written.
    pub fn hold_database(&self) -> rusqlite::Result<rusqlite::Connection> {
        let connection = rusqlite::Connection::open(self.home.join("assent.db"))?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(connection)
    }

    /// The same folders, opened anew by another engine, as after a restart.
    pub fn reopened(&self) -> Self {
        let model = ScriptedModel::new(self.model.profile().clone());
        Self::at(self.folder.clone(), model)
    }

    /// The next plan or answer of the planner.
    pub fn plans(&self, reply: &Value) {
        self.model.push(Purpose::Plan, Scripted::text(reply.to_string()));
    }

    /// The next call in a step.
    pub fn calls(&self, tool: &str, arguments: Value) {
        self.model.push(Purpose::Step, Scripted::call(tool, arguments));
    }

    /// The next text in a step.
    pub fn says(&self, text: &str) {
        self.model.push(Purpose::Step, Scripted::text(text));
    }

    /// A new session in the workspace.
    pub async fn session(&self) -> SessionId {
        self.engine.sessions().create(&self.workspace).await.unwrap()
    }

    /// Sends a message and takes it as far as it goes.
    pub async fn send(&self, session: &SessionId, text: &str, policy: ApprovalPolicy) -> TurnEnd {
        let message = Message { session: session.clone(), text: text.to_owned(), policy: Some(policy), answers: None };
        self.engine.turns().send(message, &CancellationToken::new()).await.unwrap()
    }

    /// Everything that happened in a session.
    pub fn events(&self, session: &SessionId) -> Vec<Event> {
        self.engine.sessions().events(session, 0).unwrap()
    }

    /// The answers of a session, oldest first.
    pub fn answers(&self, session: &SessionId) -> Vec<String> {
        let texts = self.events(session).into_iter().filter_map(|event| match event.kind {
            EventKind::Answered { text } => text.here()?.as_str().map(str::to_owned),
            _ => None,
        });
        texts.collect()
    }

    /// How large the database is, with everything of its log put in its place.
    ///
    /// # Errors
    /// It is not there, or is being written.
    pub fn database_bytes(&self) -> rusqlite::Result<i64> {
        let connection = rusqlite::Connection::open(self.home.join("assent.db"))?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let bytes: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        Ok(pages * bytes)
    }

    /// What a file of the workspace holds; `None` where there is none.
    pub fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.workspace.join(name)).ok()
    }
}

fn open(home: &Path, model: Arc<ScriptedModel>) -> Engine {
    engine(&Home::at(home).unwrap(), model, Arc::new(Unwatched))
}

/// An engine on a data folder, with a model whose replies are written down; signs of life go to `live`.
pub fn engine(home: &Home, model: Arc<ScriptedModel>, live: Arc<dyn Live>) -> Engine {
    let store = Store::open(home, Arc::new(SystemClock)).unwrap();
    engine_with(store, home, Arc::new(Only(Wire::of_this_program().lead_to(model))), Vec::new(), live)
}

/// An engine on a store, with these models, and with these tools beside the shipped ones.
pub fn engine_with(
    store: Store,
    home: &Home,
    models: Arc<dyn Models>,
    more: Vec<Arc<dyn Tool>>,
    live: Arc<dyn Live>,
) -> Engine {
    engine_as(store, home, models, more, live, RuntimeConfig::default())
}

/// The same, as it was configured at the start.
pub fn engine_as(
    store: Store,
    home: &Home,
    models: Arc<dyn Models>,
    more: Vec<Arc<dyn Tool>>,
    live: Arc<dyn Live>,
    config: RuntimeConfig,
) -> Engine {
    engine_keyed(store, home, models, more, live, (config, Arc::new(Keys::usual())))
}

/// An engine that remembers elsewhere.
pub fn engine_remembering(store: Store, home: &Home, models: Arc<dyn Models>, memories: Arc<dyn Memories>) -> Engine {
    engine_of(store, home, models, |parts| Parts { memories, ..parts })
}

/// An engine whose parts are changed before it is opened.
pub fn engine_of(store: Store, home: &Home, models: Arc<dyn Models>, change: impl FnOnce(Parts) -> Parts) -> Engine {
    let chosen = (RuntimeConfig::default(), Arc::new(Keys::usual()));
    Engine::open(change(parts(store, home, models, Vec::new(), Arc::new(Unwatched), chosen))).unwrap()
}

/// An engine with these tools beside the shipped ones, and with these keys of a person.
fn engine_keyed(
    store: Store,
    home: &Home,
    models: Arc<dyn Models>,
    more: Vec<Arc<dyn Tool>>,
    live: Arc<dyn Live>,
    chosen: (RuntimeConfig, Arc<Keys>),
) -> Engine {
    Engine::open(parts(store, home, models, more, live, chosen)).unwrap()
}

fn parts(
    store: Store,
    home: &Home,
    models: Arc<dyn Models>,
    more: Vec<Arc<dyn Tool>>,
    live: Arc<dyn Live>,
    (config, keys): (RuntimeConfig, Arc<Keys>),
) -> Parts {
    let store = Arc::new(store);
    let mut tools = Catalogue::default();
    tools.add_all(core_tools()).unwrap();
    tools.add_all(human_tools()).unwrap();
    tools.add_all(more).unwrap();
    Parts {
        memories: store.clone(),
        store,
        locks: RunLocks::new(home),
        models,
        tools,
        templates: Templates::shipped().unwrap(),
        live,
        packs: Some(home.packs()),
        hidden: vec![home.root().to_owned()],
        keys,
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        config,
    }
}
