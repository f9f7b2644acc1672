//! The engine on a data folder, as every program on a person's machine opens it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;

use assent_core::run::Purpose;
use async_trait::async_trait;

use super::connected::Connected;
use super::{Engine, OpenError, Parts};
use crate::clock::{Clock, RandomIds, SystemClock};
use crate::discovery::Meaning;
use crate::executor::Models;
use crate::live::Live;
use crate::model::local::{LocalSettings, Notice, Places, search_file};
use crate::model::pull::hub;
use crate::model::registry::{ModelChoice, ModelId, ModelRole, Registry, RegistryParts};
use crate::model::{Keys, Model, ModelError};
use crate::prompt::{PromptError, Templates};
use crate::store::{Home, RunLocks, Store};
use crate::tool::{Catalogue, core_tools, human_tools};
use crate::turn::{LOOKING, RuntimeConfig};

/// What one program has otherwise than another.
pub struct Opening {
    /// The program that becomes the guard of the model server: one whose `main` calls
    /// [`guard_main`](crate::model::local::guard_main) first, usually this one.
    pub guard: PathBuf,
    /// One model for everything; the person's choices when absent.
    pub model: Option<ModelId>,
    /// Where signs of life go.
    pub live: Arc<dyn Live>,
    /// Is told how loading of the embedded model goes.
    pub notice: Option<Notice>,
}

/// An engine with what stands beside it.
pub struct Opened {
    /// The engine.
    pub engine: Engine,
    /// All models, with the person's choices.
    pub models: Arc<Registry>,
    /// Prompts of the person's own that cannot be used.
    pub left_out: Vec<PromptError>,
    /// What else was ignored, and why.
    pub ignored: Vec<String>,
}

impl Engine {
    /// Opens the engine on a data folder. Nothing is started and no model is looked for.
    ///
    /// # Errors
    /// The database cannot be used, or what is shipped cannot be read.
    pub fn at(home: &Home, opening: Opening) -> Result<Opened, OpenError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let store = Arc::new(Store::open(home, clock.clone())?);
        let models = Arc::new(registry(home, &store, opening.guard, opening.notice));
        let chosen = Arc::new(Chosen { registry: models.clone(), only: opening.model });
        let mut tools = Catalogue::default();
        tools.add_all(core_tools())?;
        tools.add_all(human_tools())?;
        let (templates, left_out) = Templates::with_usable_overrides(&home.prompts())?;
        let (config, no_number) = RuntimeConfig::from_env(|name| std::env::var(name).ok());
        let engine = Self::open(Parts {
            locks: RunLocks::new(home),
            memories: store.clone(),
            store,
            models: chosen,
            tools,
            templates,
            live: opening.live,
            packs: Some(home.packs()),
            hidden: vec![home.root().to_owned()],
            keys: models.keys().clone(),
            clock,
            ids: Arc::new(RandomIds::default()),
            config,
        })?;
        engine.directory.compared_by(meaning(home));
        engine.studio().connect_chosen()?;
        let mut ignored = first_look(&engine.connected);
        ignored.extend(no_number);
        Ok(Opened { engine, models, left_out, ignored })
    }
}

/// Looks at the folders of sources, and says what is not there. One on a server that is away answers late or never; the
/// look goes on without the program, which starts meanwhile.
fn first_look(connected: &Arc<Connected>) -> Vec<String> {
    let (connected, (tell, told)) = (connected.clone(), mpsc::sync_channel(1));
    // Nobody may wait for it any more.
    let look = move || drop(tell.send(connected.look()));
    let looked = match thread::Builder::new().spawn(look) {
        Ok(_) => told.recv_timeout(LOOKING).map_err(|_| "their folders do not answer yet".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let looked = looked.and_then(|looked| looked.map_err(|error| error.to_string()));
    looked.unwrap_or_else(|problem| vec![format!("the tools of sources are not there: {problem}")])
}

/// The models of a data folder, with the person's choices.
pub fn registry(home: &Home, store: &Arc<Store>, guard: PathBuf, notice: Option<Notice>) -> Registry {
    Registry::new(RegistryParts {
        places: places(home.root()),
        hub: hub(|name| std::env::var_os(name)),
        guard,
        local: LocalSettings::default(),
        notice,
        settings: store.clone(),
        keys: Arc::new(Keys::usual()),
    })
}

/// What compares tools with requests by meaning, with the file that a person has fetched for it and with vectors that are
/// kept in a data folder.
pub fn meaning(home: &Home) -> Meaning {
    let places = places(home.root());
    let encoder = move || -> Result<_, String> {
        let file = search_file().ok_or_else(|| "no encoder of texts is known".to_owned())?;
        let path = places.model(file).map_err(|error| error.to_string())?;
        Ok((path, file.sha256.clone()))
    };
    Meaning::new(encoder, home.vectors())
}

/// Where model files and the model server are looked for.
pub fn places(data: &Path) -> Places {
    Places::usual(data, |name| std::env::var_os(name))
}

/// The person's choices, or one model for everything.
struct Chosen {
    registry: Arc<Registry>,
    only: Option<ModelId>,
}

#[async_trait]
impl Models for Chosen {
    async fn model(&self, purpose: Purpose) -> Result<Arc<dyn Model>, ModelError> {
        self.named(&ModelChoice::Role(ModelRole::of(purpose))).await
    }

    fn knows(&self, choice: &ModelChoice) -> Result<(), ModelError> {
        self.registry.knows(choice)
    }

    fn chosen(&self) -> Vec<String> {
        if self.only.is_some() {
            return Vec::new();
        }
        // A choice that cannot be read is missing from a list, and no reason to stop.
        ModelRole::ALL.iter().filter_map(|role| self.registry.chosen(*role).ok()).map(|id| id.to_string()).collect()
    }

    async fn named(&self, choice: &ModelChoice) -> Result<Arc<dyn Model>, ModelError> {
        let choice = self.only.clone().map_or_else(|| choice.clone(), ModelChoice::Model);
        self.registry.open_choice(choice).await
    }
}
