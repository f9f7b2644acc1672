//! Models, endpoints and keys.

use assent_engine::model::Secret;
use assent_engine::model::pull::Fetched;
use assent_engine::model::registry::{ModelId, ModelRole, Provider, Registry, Removed, detect, embedded, ports};
use tauri::{AppHandle, Runtime};
use tokio_util::sync::CancellationToken;

use super::{Answered, Here};
use crate::aside::aside;
use crate::desktop::pick;
use crate::wire::{
    ChosenModels, ErrorCode, Failure, KeyView, ModelList, ModelOption, ModelRoleName, ProviderView, ServerState,
    Signal, TestResult,
};

pub async fn model_list(shell: Here<'_>) -> Answered<ModelList> {
    let opened = shell.opened()?;
    aside(move || listed(&opened.models)).await
}

/// The embedded models, and those that were chosen.
pub fn listed(models: &Registry) -> Answered<ModelList> {
    let default = models.chosen(ModelRole::Default)?;
    let (planner, step) = (models.choice(ModelRole::Planner)?, models.choice(ModelRole::Step)?);
    let mut options: Vec<ModelOption> = models.embedded().into_iter().map(ModelOption::from).collect();
    for id in [Some(&default), planner.as_ref(), step.as_ref()].into_iter().flatten() {
        if options.iter().all(|option| option.id != id.to_string()) {
            let is_known = models.providers()?.iter().any(|known| known.id == id.provider);
            options.push(ModelOption::endpoint(id, is_known));
        }
    }
    let server = match models.places().server() {
        Ok(path) => ServerState { ready: true, detail: path.display().to_string() },
        Err(error) => ServerState { ready: false, detail: error.to_string() },
    };
    let text = |id: Option<ModelId>| id.map(|id| id.to_string());
    let chosen = ChosenModels { default: default.to_string(), planner: text(planner), step: text(step) };
    Ok(ModelList { models: options, search: models.searching().map(ModelOption::from), chosen, server })
}

pub async fn model_found() -> Answered<Vec<ModelOption>> {
    Ok(detect(&ports()).await.into_iter().flat_map(ModelOption::found).collect())
}

pub async fn model_choose(shell: Here<'_>, role: ModelRoleName, id: Option<String>) -> Answered<()> {
    let opened = shell.opened()?;
    let id: Option<ModelId> = id.map(|id| id.parse()).transpose()?;
    aside(move || {
        if let Some(id) = &id {
            opened.models.open(id)?;
        }
        Ok(opened.models.choose(role.into(), id.as_ref())?)
    })
    .await
}

pub async fn model_test(shell: Here<'_>, id: String) -> Answered<TestResult> {
    Ok(shell.opened()?.models.test(&id.parse()?, &CancellationToken::new()).await?.into())
}

pub async fn model_pull(shell: Here<'_>, id: String) -> Answered<()> {
    let opened = shell.opened()?;
    let name = full_name(id);
    let Some(pulling) = shell.pulls().begin(&name) else {
        return Err(Failure::new(ErrorCode::Busy, format!("{name} is being fetched already")));
    };
    let (signals, model) = (shell.signals().clone(), name.clone());
    let progress = move |Fetched { done, total }| {
        signals.tell(Signal::Pull { model: model.clone(), done, total });
    };
    let pulled = opened.models.pull(&name, &progress, &pulling.cancel).await;
    drop(pulling);
    let failure = pulled.err().map(Failure::from);
    shell.signals().tell(Signal::PullEnded { model: name, failure: failure.clone() });
    failure.map_or(Ok(()), Err)
}

pub async fn model_stop_pull(shell: Here<'_>, id: String) -> Answered<()> {
    shell.pulls().stop(&full_name(id));
    Ok(())
}

/// Has the person pick a model file and adds it; its id, or null when they do not.
pub async fn model_add_file<R: Runtime>(app: AppHandle<R>, shell: Here<'_>) -> Answered<Option<String>> {
    let opened = shell.opened()?;
    let Some(path) = pick::model(&app).await else { return Ok(None) };
    aside(move || Ok(Some(opened.models.add_file(&path)?.to_string()))).await
}

pub async fn model_forget_file(shell: Here<'_>, id: String) -> Answered<()> {
    let (opened, id) = (shell.opened()?, id.parse::<ModelId>()?);
    aside(move || Ok(opened.models.forget_file(&id.name)?)).await
}

pub async fn provider_list(shell: Here<'_>) -> Answered<Vec<ProviderView>> {
    let opened = shell.opened()?;
    // The keyring is another program, which may take its time.
    aside(move || providers(&opened.models)).await
}

fn providers(models: &Registry) -> Answered<Vec<ProviderView>> {
    let own = models.own_providers()?;
    let view = |provider: Provider| ProviderView {
        own: own.iter().any(|mine| mine.id == provider.id),
        local: provider.is_local(),
        key: KeyView::of(models.keys(), &provider.id),
        provider,
    };
    Ok(models.providers()?.into_iter().map(view).collect())
}

/// Makes an endpoint known; in the place of one at another address only where that is meant.
pub async fn provider_add(shell: Here<'_>, provider: Provider, replaces: bool) -> Answered<()> {
    let opened = shell.opened()?;
    aside(move || {
        let models = &opened.models;
        Ok(if replaces { models.replace_provider(provider) } else { models.add_provider(provider) }?)
    })
    .await
}

/// Removes an endpoint with its key, and says why that may stay.
pub async fn provider_remove(shell: Here<'_>, id: String) -> Answered<Option<String>> {
    let opened = shell.opened()?;
    aside(move || match opened.models.remove_provider(&id)? {
        Some(Removed::KeyMayStay(why)) => Ok(Some(why.to_string())),
        Some(Removed::WithKey) | None => Ok(None),
    })
    .await
}

pub async fn provider_set_key(shell: Here<'_>, provider: String, key: String) -> Answered<KeyView> {
    let key = Secret::new(&key);
    if key.is_empty() {
        return Err(Failure::new(ErrorCode::Invalid, "there is no key in it: paste the key of the provider"));
    }
    let opened = shell.opened()?;
    aside(move || Ok(opened.models.keys().set(&provider, key).into())).await
}

pub async fn provider_forget_key(shell: Here<'_>, provider: String) -> Answered<()> {
    let opened = shell.opened()?;
    aside(move || Ok(opened.models.keys().remove(&provider)?)).await
}

/// A model's name as it stands in lists, written `starter` or `local/starter`.
fn full_name(id: String) -> String {
    embedded(&id).map_or(id, |file| file.model_id())
}
