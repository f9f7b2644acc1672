//! Models and endpoints as pickers show them.

use std::path::Path;

use assent_core::run::Usage;
use assent_engine::model::local::{FileState, FileUse};
use assent_engine::model::registry::{Detected, Embedded, ModelId, ModelRole, Provider, Tested};
use assent_engine::model::{KeySource, Keys};
use serde::{Deserialize, Serialize};

/// Which models there are and which are chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelList {
    /// The embedded ones, and chosen ones of endpoints.
    pub models: Vec<ModelOption>,
    /// What finds tools by meaning. It is chosen for nothing: where it is there, it is used.
    pub search: Option<ModelOption>,
    /// What does what.
    pub chosen: ChosenModels,
    /// The program that runs embedded models.
    pub server: ServerState,
}

/// What does what; null where the default does it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChosenModels {
    /// Everything without a choice of its own.
    pub default: String,
    /// Plans.
    pub planner: Option<String>,
    /// Steps and answers.
    pub step: Option<String>,
}

/// Whether the program that runs embedded models is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ServerState {
    /// Whether it is.
    pub ready: bool,
    /// Where it lies, or what to do.
    pub detail: String,
}

/// A model that can be picked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelOption {
    /// `provider/name`.
    pub id: String,
    /// For people.
    pub name: String,
    /// Where it comes from.
    pub source: ModelSource,
    /// Whether it can be used.
    pub state: ModelState,
    /// Where it lies, or what is wrong and what to do.
    pub detail: String,
    /// The size of its file.
    pub bytes: Option<u64>,
    /// The licence of its weights.
    pub licence: Option<String>,
    /// Whether it can be fetched.
    pub pullable: bool,
}

/// Where a model comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ModelSource {
    /// The application knows and runs it.
    Embedded,
    /// The application compares texts with it.
    Search,
    /// A file of the person's own, which the application runs.
    File,
    /// A server on this machine offers it.
    Found,
    /// A person named it.
    Endpoint,
}

/// Whether a model can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ModelState {
    /// It is there.
    Ready,
    /// Its file is not, or its endpoint.
    Missing,
    /// Its file is not what it should be.
    Damaged,
    /// Nobody has asked yet.
    Unknown,
}

/// What a model is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ModelRole"))]
#[serde(rename_all = "snake_case")]
pub enum ModelRoleName {
    /// Everything without a choice of its own.
    Default,
    /// Plans.
    Planner,
    /// Steps and answers.
    Step,
}

impl From<ModelRoleName> for ModelRole {
    fn from(role: ModelRoleName) -> Self {
        match role {
            ModelRoleName::Default => Self::Default,
            ModelRoleName::Planner => Self::Planner,
            ModelRoleName::Step => Self::Step,
        }
    }
}

/// How a test went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TestResult {
    /// The model.
    pub id: String,
    /// Whether it answered in the form that was asked for.
    pub structured: bool,
    /// From asking to the last token.
    pub duration_ms: u64,
    /// Tokens.
    pub usage: Usage,
}

/// Somebody who offers models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProviderView {
    /// Who.
    pub provider: Provider,
    /// Whether the person has added it.
    pub own: bool,
    /// Whether it is on this machine: no text leaves it, and no key is needed.
    pub local: bool,
    /// Where its key is.
    pub key: KeyView,
}

/// Where a key is; never the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum KeyView {
    /// There is none.
    None,
    /// In the system's keyring.
    Keyring,
    /// In an environment variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// In this process alone: gone when it ends.
    Process {
        /// Why.
        reason: String,
    },
    /// In the system's keyring or nowhere.
    Unknown {
        /// Why the keyring does not say.
        reason: String,
    },
}

impl KeyView {
    /// Where the key of that name is. That asks the keyring, which may take its time.
    pub fn of(keys: &Keys, name: &str) -> Self {
        match keys.find(name) {
            Ok(None) => Self::None,
            Ok(Some((_, source))) => source.into(),
            Err(why) => Self::Unknown { reason: why.to_string() },
        }
    }
}

impl From<KeySource> for KeyView {
    fn from(source: KeySource) -> Self {
        match source {
            KeySource::Keyring => Self::Keyring,
            KeySource::Environment(variable) => Self::Environment { variable },
            KeySource::Process(why) => Self::Process { reason: why.to_string() },
        }
    }
}

impl From<Embedded> for ModelOption {
    fn from(model: Embedded) -> Self {
        let about = model.about;
        let (state, detail) = match &model.file {
            FileState::Ready(path) => (ModelState::Ready, shown(path)),
            FileState::Missing if about.is_own() => {
                (ModelState::Missing, format!("{} is not there any more; put it back or add it again", about.file))
            }
            FileState::Missing => (ModelState::Missing, "it is not fetched yet".to_owned()),
            FileState::Corrupt { path, reason } => (ModelState::Damaged, format!("{}: {reason}", shown(path))),
        };
        Self {
            id: model.id.to_string(),
            name: model.name,
            source: match about.purpose {
                FileUse::Search => ModelSource::Search,
                FileUse::Chat if about.is_own() => ModelSource::File,
                FileUse::Chat => ModelSource::Embedded,
            },
            state,
            detail,
            bytes: Some(about.bytes),
            pullable: about.hub.is_some(),
            licence: Some(about.licence).filter(|licence| !licence.is_empty()),
        }
    }
}

impl ModelOption {
    /// What a server on this machine offers.
    pub fn found(server: Detected) -> impl Iterator<Item = Self> {
        server.models.into_iter().map(|id| Self::named(&id, ModelSource::Found, ModelState::Ready))
    }

    /// A model of an endpoint that a person has chosen by name; of one that is not known any more nothing can be asked.
    pub fn endpoint(id: &ModelId, is_known: bool) -> Self {
        if is_known {
            return Self::named(id, ModelSource::Endpoint, ModelState::Unknown);
        }
        let detail = format!("{id} is not there any more; add its endpoint or file again, or choose another model");
        Self { detail, ..Self::named(id, ModelSource::Endpoint, ModelState::Missing) }
    }

    fn named(id: &ModelId, source: ModelSource, state: ModelState) -> Self {
        let (name, detail) = (id.name.clone(), id.provider.clone());
        Self { id: id.to_string(), name, source, state, detail, bytes: None, licence: None, pullable: false }
    }
}

impl From<Tested> for TestResult {
    fn from(tested: Tested) -> Self {
        Self {
            id: tested.id.to_string(),
            structured: tested.structured,
            duration_ms: u64::try_from(tested.took.as_millis()).unwrap_or(u64::MAX),
            usage: tested.usage,
        }
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
