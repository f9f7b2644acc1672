//! `assent model …`

use std::io::{IsTerminal as _, Read as _};
use std::sync::Arc;

use anyhow::{Context, bail};
use assent_engine::clock::SystemClock;
use assent_engine::engine::registry;
use assent_engine::model::local::FileState;
use assent_engine::model::pull::{Fetched, PullError};
use assent_engine::model::registry::{
    Embedded, ModelId, ModelRole, NotAModelId, Protocol, Provider, ProviderError, Registry, Removed,
};
use assent_engine::model::{KeySource, Keys, Secret, key_variable};
use assent_engine::store::{Home, Store};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::args::{ModelCommand, Role};
use crate::commands::offer;
use crate::exit::{Exit, Usage};
use crate::hidden;
use crate::interrupt;
use crate::setup;
use crate::show::duration;
use crate::terminal::{Style, Terminal, plain};

/// Carries out `assent model …`.
pub async fn run(terminal: &Terminal, command: ModelCommand) -> anyhow::Result<Exit> {
    let home = Home::from_environment()?;
    let store = Arc::new(Store::open(&home, Arc::new(SystemClock))?);
    let registry = Arc::new(registry(&home, &store, setup::guard()?, None));
    match command {
        ModelCommand::List => list(terminal, &registry).await,
        ModelCommand::Use { name, role } => choose(terminal, &registry, &name, role),
        ModelCommand::Test { name } => test(terminal, &registry, name.as_deref()).await,
        ModelCommand::Pull { name } => fetch(&registry, terminal, &name).await,
        ModelCommand::Key { provider, forget } => key(terminal, &KeyOf::provider(&provider), forget),
        ModelCommand::Add { provider, url, anthropic, context, plain, replace } => {
            let protocol = if anthropic { Protocol::Anthropic } else { Protocol::Openai };
            let added = Provider { id: provider, base_url: url, protocol, context_tokens: context, plain };
            let outcome =
                if replace { registry.replace_provider(added.clone()) } else { registry.add_provider(added.clone()) };
            said(terminal, &added, outcome)
        }
        ModelCommand::Remove { provider } => remove(terminal, &registry, &provider),
    }
}

async fn list(terminal: &Terminal, registry: &Registry) -> anyhow::Result<Exit> {
    let chosen = [registry.chosen(ModelRole::Planner)?, registry.chosen(ModelRole::Step)?];
    for model in registry.embedded() {
        let (state, detail) = standing(&model);
        line(terminal, &model.id, &chosen, state, &format!("{}, {detail}", model.name))?;
    }
    if let Some(model) = registry.searching() {
        let (state, detail) = standing(&model);
        line(terminal, &model.id, &[], state, &format!("{}, finds tools by meaning, {detail}", model.name))?;
    }
    let found = offer::found(registry).await?;
    for id in &found {
        line(terminal, id, &chosen, "ready", "on this machine")?;
    }
    for id in chosen.iter().filter(|id| id.provider != "local" && !found.contains(id)) {
        line(terminal, id, &chosen, "chosen", "")?;
    }
    if !terminal.json {
        let known: Vec<String> = registry.providers()?.into_iter().map(|provider| provider.id).collect();
        terminal.note(&format!(
            "providers: {}; assent model use PROVIDER/NAME chooses any of their models",
            known.join(", ")
        ));
    }
    Ok(Exit::Done)
}

/// How the file of an embedded model stands, and where it is or what to do.
fn standing(model: &Embedded) -> (&'static str, String) {
    match &model.file {
        FileState::Ready(path) => ("ready", path.display().to_string()),
        FileState::Missing => ("missing", format!("fetch it: assent model pull {}", model.id.name)),
        FileState::Corrupt { path, reason } => ("damaged", format!("{}: {reason}", path.display())),
    }
}

fn line(terminal: &Terminal, id: &ModelId, chosen: &[ModelId], state: &str, detail: &str) -> anyhow::Result<()> {
    let is_chosen = chosen.contains(id);
    if terminal.json {
        return terminal.value(&json!({"id": id.to_string(), "state": state, "detail": detail, "chosen": is_chosen}));
    }
    let mark = if is_chosen { "*" } else { " " };
    let style = if state == "ready" { Style::Good } else { Style::Warn };
    let (id, state) = (plain(&id.to_string()), terminal.paint(style, &format!("{state:<8}")));
    terminal.line(&format!("{mark} {id:<28} {state} {}", terminal.paint(Style::Quiet, &plain(detail))));
    Ok(())
}

/// A model as it is named on the command line.
pub fn model_id(name: &str) -> Result<ModelId, Usage> {
    name.parse().map_err(|problem: NotAModelId| Usage(problem.to_string()))
}

fn choose(terminal: &Terminal, registry: &Registry, name: &str, role: Option<Role>) -> anyhow::Result<Exit> {
    let id = model_id(name)?;
    registry.open(&id)?;
    let role = match role {
        None => ModelRole::Default,
        Some(Role::Planner) => ModelRole::Planner,
        Some(Role::Step) => ModelRole::Step,
    };
    registry.choose(role, Some(&id))?;
    if terminal.json {
        terminal.value(&json!({"id": id.to_string(), "chosen": true}))?;
    } else {
        terminal.line(&format!("new turns use {id}"));
    }
    Ok(Exit::Done)
}

async fn test(terminal: &Terminal, registry: &Arc<Registry>, name: Option<&str>) -> anyhow::Result<Exit> {
    let id = match name {
        Some(name) => model_id(name)?,
        None => registry.chosen(ModelRole::Default)?,
    };
    terminal.note(&format!("testing {id} …"));
    let tested = registry.test(&id, &CancellationToken::new()).await?;
    let millis = u64::try_from(tested.took.as_millis()).unwrap_or(u64::MAX);
    if terminal.json {
        let (structured, usage) = (tested.structured, tested.usage);
        terminal
            .value(&json!({"id": id.to_string(), "structured": structured, "usage": usage, "durationMs": millis}))?;
    } else {
        let form =
            if tested.structured { "in the form that was asked for" } else { "but not in the form that was asked for" };
        terminal.line(&format!("{id} answered after {}, {form}", duration(millis)));
    }
    Ok(if tested.structured { Exit::Done } else { Exit::Failed })
}

async fn fetch(registry: &Registry, terminal: &Terminal, name: &str) -> anyhow::Result<Exit> {
    let cancel = CancellationToken::new();
    let _stoppable = interrupt::stops(&cancel);
    let shown = std::sync::atomic::AtomicU64::new(0);
    let progress = |fetched: Fetched| {
        let percent = fetched.done * 100 / fetched.total.max(1);
        if shown.swap(percent, std::sync::atomic::Ordering::Relaxed) != percent {
            terminal.note(&format!("{percent} %"));
        }
    };
    let (file, path) = registry.pull(name, &progress, &cancel).await.map_err(|error| match error {
        PullError::Unknown { .. } => anyhow::Error::new(Usage(error.to_string())),
        error => error.into(),
    })?;
    if terminal.json {
        terminal.value(&json!({"id": file.model_id(), "path": path}))?;
    } else {
        terminal.line(&format!("{} is there: {}", file.name, path.display()));
    }
    Ok(Exit::Done)
}

/// Whose key is given or forgotten.
pub(super) struct KeyOf<'a> {
    /// Under which it is kept.
    pub(super) name: &'a str,
    /// What kind of thing has it.
    pub(super) kind: &'static str,
    /// As it is told.
    pub(super) shown: &'a str,
    /// The command that takes it.
    pub(super) command: String,
}

impl<'a> KeyOf<'a> {
    fn provider(provider: &'a str) -> Self {
        let command = format!("assent model key {provider}");
        Self { name: provider, kind: "provider", shown: provider, command }
    }
}

/// Takes a key, or forgets it.
pub(super) fn key(terminal: &Terminal, of: &KeyOf<'_>, forget: bool) -> anyhow::Result<Exit> {
    let keys = Keys::usual();
    if forget {
        keys.remove(of.name)?;
        return kept(terminal, of, None);
    }
    let key = typed_key(terminal, of)?;
    match keys.set(of.name, key) {
        KeySource::Process(why) => {
            let name = key_variable(of.name);
            bail!("the key was not kept: {why}; set the environment variable {name} instead");
        }
        KeySource::Keyring | KeySource::Environment(_) => kept(terminal, of, Some("keyring")),
    }
}

/// The key as it is typed, which is not shown, or as it comes from a pipe or a file.
pub(super) fn typed_key(terminal: &Terminal, of: &KeyOf<'_>) -> anyhow::Result<Secret> {
    if std::io::stdin().is_terminal() {
        let typed = hidden::ask(terminal, &format!("key of {} (not shown): ", of.shown))?;
        let key = typed.map(|text| Secret::new(&text)).filter(|key| !key.is_empty());
        return key.context("no key was typed, and nothing was changed");
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("the key could not be read from standard input")?;
    let key = Secret::new(&text);
    if key.is_empty() {
        bail!("there is no key on standard input: {} < FILE", of.command);
    }
    Ok(key)
}

fn kept(terminal: &Terminal, of: &KeyOf<'_>, place: Option<&str>) -> anyhow::Result<Exit> {
    if terminal.json {
        terminal.value(&json!({of.kind: of.shown, "kept": place}))?;
    } else if place.is_some() {
        terminal.line("the key is in the system's keyring");
    } else {
        terminal.line("the key is forgotten");
    }
    Ok(Exit::Done)
}

/// Says what came of adding an endpoint.
fn said(terminal: &Terminal, added: &Provider, outcome: Result<(), ProviderError>) -> anyhow::Result<Exit> {
    match outcome {
        Ok(()) if terminal.json => terminal.value(added)?,
        Ok(()) => {
            let id = plain(&added.id);
            terminal.line(&format!("{id} is known; assent model use {id}/NAME chooses one of its models"));
        }
        Err(error @ ProviderError::Unusable { .. }) => return Err(Usage(error.to_string()).into()),
        Err(error @ ProviderError::Taken { .. }) => bail!("{error} (--replace)"),
        Err(error) => return Err(error.into()),
    }
    Ok(Exit::Done)
}

fn remove(terminal: &Terminal, registry: &Registry, provider: &str) -> anyhow::Result<Exit> {
    let Some(removed) = registry.remove_provider(provider)? else {
        bail!("no endpoint of yours is called {provider}; assent model list names those that are known");
    };
    if terminal.json {
        terminal.value(&json!({"provider": provider, "removed": true}))?;
    } else {
        let name = plain(provider);
        terminal.line(&match removed {
            Removed::WithKey => format!("{name} is forgotten, with its key"),
            Removed::KeyMayStay(why) => {
                format!("{name} is forgotten; {why}. A key that is in it stays until assent model key {name} --forget")
            }
        });
    }
    Ok(Exit::Done)
}
