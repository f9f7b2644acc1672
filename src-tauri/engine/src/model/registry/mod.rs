//! Which models there are, which one does what, and how one is opened.
//!
//! Embedded models come from the manifest and from files that a person added, providers from a short list and the
//! user's settings. What listens on the default ports of Ollama and LM Studio is noticed and offered, never chosen by
//! itself.

mod choice;
mod detect;
mod files;
mod manage;
mod providers;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use assent_core::run::{Purpose, Usage};
use serde_json::{Value, json};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::store::{Settings, StoreError};

use super::anthropic::Anthropic;
use super::local::{FileState, LocalModel, LocalParts, LocalSettings, ModelFile, Notice, Places, search_file};
use super::{
    Endpoint, Keys, Message, Model, ModelError, ModelProfile, OpenAi, OutputFormat, PlannerProfile, Request, Secret,
    ToolChoice,
};

pub use choice::{ModelChoice, NotAModelChoice};
pub use detect::{Detected, detect, ports};
pub use files::FileError;
pub use manage::{ProviderError, Removed, embedded};
pub use providers::{PROVIDERS_SETTING, Protocol, Provider, known_providers};

/// A model as the user picks it: `local/starter`, `ollama/llama3`, `openrouter/meta/llama-3`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelId {
    /// Who offers it.
    pub provider: String,
    /// Its name there; may hold slashes.
    pub name: String,
}

impl fmt::Display for ModelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.provider, self.name)
    }
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} names no model: write PROVIDER/NAME, such as local/starter or ollama/llama3")]
pub struct NotAModelId(pub String);

impl FromStr for ModelId {
    type Err = NotAModelId;

    fn from_str(text: &str) -> Result<Self, NotAModelId> {
        match text.trim().split_once('/') {
            Some((provider, name)) if !provider.is_empty() && !name.is_empty() => {
                Ok(Self { provider: provider.to_owned(), name: name.to_owned() })
            }
            _ => Err(NotAModelId(text.to_owned())),
        }
    }
}

/// What a model is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelRole {
    /// Everything without a choice of its own.
    Default,
    /// Plans.
    Planner,
    /// Steps, choices, answers.
    Step,
}

impl ModelRole {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Default, Self::Planner, Self::Step];

    /// The role that a purpose falls to.
    pub fn of(purpose: Purpose) -> Self {
        if purpose == Purpose::Plan { Self::Planner } else { Self::Step }
    }

    fn setting(self) -> &'static str {
        match self {
            Self::Default => "model.default",
            Self::Planner => "model.planner",
            Self::Step => "model.step",
        }
    }
}

/// An embedded model and whether it can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedded {
    /// `local/starter`.
    pub id: ModelId,
    /// The name for people.
    pub name: String,
    /// Its file.
    pub file: FileState,
    /// What is known of it.
    pub about: ModelFile,
}

/// How a test request went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    /// The model.
    pub id: ModelId,
    /// Whether the structured reply had the asked form at once.
    pub structured: bool,
    /// From asking to the last token.
    pub took: Duration,
    /// Tokens.
    pub usage: Usage,
}

/// What a registry is made of.
#[derive(Clone)]
pub struct RegistryParts {
    /// Where the files of embedded models are.
    pub places: Places,
    /// The address that they are fetched from, usually [`hub`](super::pull::hub).
    pub hub: String,
    /// The program that becomes the guard of their server.
    pub guard: PathBuf,
    /// How their server is run.
    pub local: LocalSettings,
    /// Is told how loading goes.
    pub notice: Option<Notice>,
    /// The person's choices.
    pub settings: Arc<dyn Settings>,
    /// API keys.
    pub keys: Arc<Keys>,
}

/// All models.
pub struct Registry {
    parts: RegistryParts,
    /// Embedded models that are open: each holds the lock of its server once.
    open: Mutex<HashMap<String, Arc<dyn Model>>>,
    /// Models at endpoints, by id: what is learned of an endpoint stays with its model.
    far: Mutex<HashMap<String, Far>>,
}

/// A model at an endpoint, with what it was opened with.
struct Far {
    provider: Provider,
    key: Option<Secret>,
    model: Arc<dyn Model>,
}

impl Registry {
    /// A registry; nothing is opened or looked for yet.
    pub fn new(parts: RegistryParts) -> Self {
        Self { parts, open: Mutex::default(), far: Mutex::default() }
    }

    /// The embedded models.
    pub fn embedded(&self) -> Vec<Embedded> {
        self.files().into_iter().map(|file| self.entry(file)).collect()
    }

    /// What tools are compared with requests by. It is no model that could be chosen for anything.
    pub fn searching(&self) -> Option<Embedded> {
        search_file().map(|file| self.entry(file.clone()))
    }

    fn entry(&self, file: ModelFile) -> Embedded {
        Embedded {
            id: ModelId { provider: "local".to_owned(), name: file.id.clone() },
            name: file.name.clone(),
            file: self.parts.places.state(&file),
            about: file,
        }
    }

    /// The providers: the known ones and the person's own, which win.
    ///
    /// # Errors
    /// [`StoreError`] when the settings cannot be read.
    pub fn providers(&self) -> Result<Vec<Provider>, StoreError> {
        providers::all(&*self.parts.settings)
    }

    /// The model of a role: as chosen, else the default, else the starter.
    ///
    /// # Errors
    /// [`StoreError`] when the settings cannot be read.
    pub fn chosen(&self, role: ModelRole) -> Result<ModelId, StoreError> {
        for role in [role, ModelRole::Default] {
            if let Some(id) = self.choice(role)? {
                return Ok(id);
            }
        }
        Ok(ModelId { provider: "local".to_owned(), name: "starter".to_owned() })
    }

    /// Chooses the model of a role; `None` goes back to the default.
    ///
    /// # Errors
    /// [`StoreError`] when the settings cannot be written.
    pub fn choose(&self, role: ModelRole, id: Option<&ModelId>) -> Result<(), StoreError> {
        let value = id.map(|id| Value::from(id.to_string()));
        self.parts.settings.set_setting(role.setting(), value.as_ref())
    }

    /// Opens a model. It is opened once and shared, as long as its address and its key stay the same.
    ///
    /// # Errors
    /// [`ModelError::NoSuchModel`] for an unknown model or provider.
    pub fn open(&self, id: &ModelId) -> Result<Arc<dyn Model>, ModelError> {
        if id.provider == "local" {
            return self.open_local(id);
        }
        let provider = self.known_provider(id)?;
        let key = self.parts.keys.key(&id.provider).map(|(key, _)| key);
        let mut far = self.far.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = far.get(&id.to_string())
            && (&open.provider, &open.key) == (&provider, &key)
        {
            return Ok(open.model.clone());
        }
        let model = at_endpoint(id, &provider, key.clone())?;
        far.insert(id.to_string(), Far { provider, key, model: model.clone() });
        Ok(model)
    }

    fn known_provider(&self, id: &ModelId) -> Result<Provider, ModelError> {
        let unknown = |reason: String| ModelError::NoSuchModel { model: id.to_string(), reason };
        let providers = self.providers().map_err(|error| unknown(error.to_string()))?;
        providers.into_iter().find(|provider| provider.id == id.provider).ok_or_else(|| {
            unknown(format!(
                "there is no provider {}; the settings and `assent model list` show those there are",
                id.provider
            ))
        })
    }

    fn known_file(&self, id: &ModelId) -> Result<ModelFile, ModelError> {
        self.file(&id.name).ok_or_else(|| ModelError::NoSuchModel {
            model: id.to_string(),
            reason:
                "there is no embedded model of that name; the settings and `assent model list` show those there are"
                    .to_owned(),
        })
    }

    fn open_local(&self, id: &ModelId) -> Result<Arc<dyn Model>, ModelError> {
        let file = self.known_file(id)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let model = open.entry(file.id.clone()).or_insert_with(|| {
            Arc::new(LocalModel::new(LocalParts {
                file,
                places: self.parts.places.clone(),
                guard: self.parts.guard.clone(),
                settings: self.parts.local,
                notice: self.parts.notice.clone(),
            }))
        });
        Ok(model.clone())
    }

    /// What is open of an embedded model is not what is asked for from now on.
    fn close(&self, name: &str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Opens the model of a role.
    ///
    /// # Errors
    /// As [`Registry::open`].
    pub fn for_role(&self, role: ModelRole) -> Result<Arc<dyn Model>, ModelError> {
        let id = self.chosen(role).map_err(|error| ModelError::NoSuchModel {
            model: "the chosen model".to_owned(),
            reason: error.to_string(),
        })?;
        self.open(&id)
    }

    /// Tries a model: an embedded one's file is hashed as a whole, then a tiny structured reply is asked for.
    ///
    /// # Errors
    /// What [`Model::reply`] says; [`ModelError::NoSuchModel`] for a damaged file.
    pub async fn test(self: &Arc<Self>, id: &ModelId, cancel: &CancellationToken) -> Result<Tested, ModelError> {
        let model = self.open_choice(ModelChoice::Model(id.clone())).await?;
        if let Some(file) = self.file(&id.name).filter(|file| file.model_id() == id.to_string()) {
            let places = self.parts.places.clone();
            let checked = tokio::task::spawn_blocking(move || places.check(&file)).await;
            checked.map_err(|error| ModelError::NoSuchModel { model: id.to_string(), reason: error.to_string() })??;
        }
        let began = Instant::now();
        let (deltas, _) = tokio::sync::mpsc::unbounded_channel();
        let reply = model.reply(&test_request(), &deltas, cancel).await?;
        let structured = reply.faults.is_empty();
        Ok(Tested { id: id.clone(), structured, took: began.elapsed(), usage: reply.usage })
    }
}

/// A model at an endpoint.
fn at_endpoint(id: &ModelId, provider: &Provider, key: Option<Secret>) -> Result<Arc<dyn Model>, ModelError> {
    let endpoint = Endpoint {
        base_url: provider.base_url.trim_end_matches('/').to_owned(),
        model: id.name.clone(),
        key,
        dialect: provider.dialect(),
        silence: Duration::from_secs(180),
    };
    let local = provider.is_local();
    let profile = ModelProfile {
        id: id.to_string(),
        context_tokens: provider.context_tokens,
        planner: if local { PlannerProfile::Compact } else { PlannerProfile::Full },
        parallel: if local { 1 } else { 4 },
        local,
    };
    Ok(match provider.protocol {
        Protocol::Openai => Arc::new(OpenAi::usual(profile, endpoint)?),
        Protocol::Anthropic => Arc::new(Anthropic::usual(profile, endpoint)?),
    })
}

fn test_request() -> Request {
    let schema = json!({"type": "object", "properties": {"colour": {"enum": ["blue", "green", "red"]}},
        "required": ["colour"], "additionalProperties": false});
    Request {
        purpose: Purpose::Prompt,
        messages: vec![Message::User {
            text: "Which colour is the sky? Reply with JSON: {\"colour\":\"…\"}".to_owned(),
        }],
        tools: [].into(),
        choice: ToolChoice::None,
        output: OutputFormat::Json { name: "colour".to_owned(), schema: schema.into() },
        max_tokens: 64,
        temperature: 0.0,
        seed: Some(1),
        avoid: Vec::new(),
    }
}
