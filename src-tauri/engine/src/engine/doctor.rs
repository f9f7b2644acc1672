//! What is in place, and what to do where something is not. Looks only; starts nothing and mends nothing.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::open::{places, registry};
use crate::clock::SystemClock;
use crate::model::local::{FileState, ModelFile, search_file};
use crate::model::registry::{ModelId, ModelRole, Registry};
use crate::store::{Home, Store, StoreError};
use crate::tool::sandbox;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
pub struct Finding {
    /// What.
    pub name: &'static str,
    /// Whether it works.
    pub ok: bool,
    /// How it stands, and what to do if it does not work.
    pub detail: String,
}

impl Finding {
    fn of<E: std::fmt::Display>(name: &'static str, found: Result<String, E>) -> Self {
        match found {
            Ok(detail) => Self { name, ok: true, detail },
            Err(error) => Self { name, ok: false, detail: error.to_string() },
        }
    }
}

/// Looks at the data folder, the database, the model server, the chosen models and the sandbox.
pub fn examine(home: Result<Home, StoreError>) -> Vec<Finding> {
    let mut findings = Vec::new();
    match home {
        Err(error) => findings.push(Finding::of::<StoreError>("data folder", Err(error))),
        Ok(home) => {
            findings.push(Finding::of::<StoreError>("data folder", Ok(home.root().display().to_string())));
            let store = Store::open(&home, Arc::new(SystemClock));
            let database = store.as_ref().map(|store| store.path().display().to_string());
            findings.push(Finding::of("database", database));
            let server = places(home.root()).server();
            findings.push(Finding::of("model server", server.map(|path| path.display().to_string())));
            match store {
                Err(error) => findings.push(Finding::of::<StoreError>("model", Err(error))),
                Ok(store) => findings.extend(models(&home, &Arc::new(store))),
            }
            findings.extend(search_file().map(|file| Finding::of("tool search", tool_search(&home, file))));
        }
    }
    let commands = sandbox::available().map(|()| {
        let works = "commands run in a sandbox without network".to_owned();
        [works].into_iter().chain(sandbox::gaps()).collect::<Vec<_>>().join("; ")
    });
    findings.push(Finding::of("sandbox", commands.map_err(|reason| format!("every command will ask: {reason}"))));
    findings
}

/// Tools are found without the file too.
fn tool_search(home: &Home, file: &ModelFile) -> Result<String, String> {
    let fetch = format!("Settings or assent model pull {}", file.id);
    match places(home.root()).state(file) {
        FileState::Ready(path) => Ok(format!("by words and by meaning, with {}", path.display())),
        FileState::Missing => Ok(format!("by words; {fetch} fetches what finds tools by meaning as well")),
        FileState::Corrupt { path, reason } => {
            Err(format!("by words alone: {}: {reason}; {fetch} fetches it anew", path.display()))
        }
    }
}

/// The model for everything that has none of its own, and each that is chosen for a part of the work.
fn models(home: &Home, store: &Arc<Store>) -> Vec<Finding> {
    // No server is started here, so that no program has to become its guard.
    let registry = registry(home, store, PathBuf::new(), None);
    let looked = ModelRole::ALL.into_iter().filter_map(|role| {
        let (name, chosen) = match role {
            ModelRole::Default => ("model", registry.chosen(role).map(Some)),
            ModelRole::Planner => ("model for plans", registry.choice(role)),
            ModelRole::Step => ("model for steps", registry.choice(role)),
        };
        let chosen = chosen.map_err(|error| error.to_string()).transpose()?;
        Some(Finding::of(name, chosen.and_then(|chosen| model(&registry, &chosen))))
    });
    looked.collect()
}

fn model(registry: &Registry, chosen: &ModelId) -> Result<String, String> {
    let Some(embedded) = registry.embedded().into_iter().find(|model| model.id == *chosen) else {
        return if chosen.provider == "local" {
            Err(format!("there is no model {chosen}: choose one of those in Settings, or of assent model list"))
        } else {
            Ok(format!("{chosen}; Settings or assent model test tries it"))
        };
    };
    let fetch = format!("fetch it in Settings, or with assent model pull {}", chosen.name);
    match embedded.file {
        FileState::Ready(path) => Ok(format!("{chosen} in {}", path.display())),
        FileState::Missing => Err(format!("{chosen} is missing: {fetch}")),
        FileState::Corrupt { path, reason } => Err(format!("{}: {reason}; {fetch}", path.display())),
    }
}
