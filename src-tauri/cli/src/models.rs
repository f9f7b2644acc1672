//! Which model this process uses.

use std::sync::Arc;

use anyhow::Context;
use assent_core::run::Purpose;
use assent_engine::clock::SystemClock;
use assent_engine::executor::Models;
use assent_engine::model::local::{LocalModel, LocalParts, LocalSettings, ModelFile, Places, manifest};
use assent_engine::model::{Model, ModelError};
use assent_engine::store::{Home, Settings, Store};
use async_trait::async_trait;
use serde_json::Value;

/// The setting that holds the chosen model.
const SETTING: &str = "model";

/// The model of a new installation.
const DEFAULT: &str = "local/starter";

/// One model for everything, or the reason why there is none.
struct Only {
    model: Option<Arc<LocalModel>>,
    name: String,
}

#[async_trait]
impl Models for Only {
    async fn model(&self, _purpose: Purpose) -> Result<Arc<dyn Model>, ModelError> {
        match &self.model {
            Some(model) => Ok(model.clone()),
            None => Err(ModelError::NoSuchModel {
                model: self.name.clone(),
                reason: "there is no such model; `assent model list` shows what there is".to_owned(),
            }),
        }
    }
}

/// The named model, or the chosen one.
pub fn models(home: &Home, name: Option<&str>) -> anyhow::Result<Arc<dyn Models>> {
    let name = match name {
        Some(name) => name.to_owned(),
        None => chosen(home)?,
    };
    let file = manifest().iter().find(|file| file.model_id() == name);
    let model = file.map(|file| local(home, file)).transpose()?.map(Arc::new);
    Ok(Arc::new(Only { model, name }))
}

/// An embedded model; nothing is started or looked for yet.
pub fn local(home: &Home, file: &ModelFile) -> anyhow::Result<LocalModel> {
    let guard = std::env::current_exe().context("the program does not know where it lies")?;
    let settings = LocalSettings::default();
    Ok(LocalModel::new(LocalParts { file: file.clone(), places: places(home), guard, settings, notice: None }))
}

/// Where model files and the model server are looked for.
pub fn places(home: &Home) -> Places {
    Places::usual(home.root(), |name| std::env::var_os(name))
}

/// The model that new turns use.
pub fn chosen(home: &Home) -> anyhow::Result<String> {
    let setting = Store::open(home, Arc::new(SystemClock))?.setting(SETTING)?;
    Ok(setting.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_else(|| DEFAULT.to_owned()))
}

/// Has new turns use a model.
pub fn choose(home: &Home, name: &str) -> anyhow::Result<()> {
    Ok(Store::open(home, Arc::new(SystemClock))?.set_setting(SETTING, Some(&Value::String(name.to_owned())))?)
}
