//! Which models this process can use.

use std::sync::Arc;

use anyhow::Context;
use assent_core::run::Purpose;
use assent_engine::executor::Models;
use assent_engine::model::local::{LocalSettings, Places};
use assent_engine::model::registry::{ModelId, Registry, RegistryParts};
use assent_engine::model::{Keys, Model, ModelError};
use assent_engine::store::{Home, Store};
use async_trait::async_trait;

/// All models, with the person's choices.
pub fn registry(home: &Home, store: &Arc<Store>) -> anyhow::Result<Registry> {
    Ok(Registry::new(RegistryParts {
        places: places(home),
        guard: std::env::current_exe().context("the program does not know where it lies")?,
        local: LocalSettings::default(),
        notice: None,
        settings: store.clone(),
        keys: Arc::new(Keys::usual()),
    }))
}

/// Where model files and the model server are looked for.
pub fn places(home: &Home) -> Places {
    Places::usual(home.root(), |name| std::env::var_os(name))
}

/// The chosen models, or for this command one that was named.
pub fn for_command(registry: Registry, named: Option<&str>) -> anyhow::Result<Arc<dyn Models>> {
    Ok(match named {
        None => Arc::new(registry),
        Some(name) => Arc::new(Named { id: name.parse()?, registry }),
    })
}

/// One model for everything.
struct Named {
    registry: Registry,
    id: ModelId,
}

#[async_trait]
impl Models for Named {
    async fn model(&self, _purpose: Purpose) -> Result<Arc<dyn Model>, ModelError> {
        self.registry.open(&self.id)
    }
}
