//! Models of servers on this machine, offered where they are needed: they are looked for only when the chosen model is
//! not there, or when somebody asks what there is.

use assent_engine::model::local::FileState;
use assent_engine::model::registry::{ModelId, ModelRole, Provider, Registry, detect};
use assent_engine::store::StoreError;

use crate::terminal::{Terminal, plain};

/// So many are offered by number.
const MOST: usize = 9;

/// The models of servers that answer on this machine: Ollama, LM Studio, and endpoints of the person's own.
pub async fn found(registry: &Registry) -> Result<Vec<ModelId>, StoreError> {
    let here: Vec<Provider> = registry.providers()?.into_iter().filter(Provider::is_local).collect();
    Ok(detect(&here).await.into_iter().flat_map(|server| server.models).collect())
}

/// What is said of models that were found.
pub fn words(found: &[ModelId]) -> Option<String> {
    let first = plain(&found.first()?.to_string());
    let others = match found.len() {
        1 => String::new(),
        more => format!(" and {} more (assent model list)", more - 1),
    };
    Some(format!("{first}{others} answers on this machine: assent model use {first}"))
}

/// Where the chosen model is not there, offers those that answer on this machine. A person picks one by its number, and
/// it stays chosen; where there is nobody to ask, it is told how to.
pub async fn offer(registry: &Registry, terminal: &Terminal) -> anyhow::Result<()> {
    if is_there(registry)? {
        return Ok(());
    }
    let found = found(registry).await?;
    let Some(words) = words(&found) else { return Ok(()) };
    if !terminal.interactive || terminal.json {
        terminal.note(&format!("the chosen model is not there; {words}"));
        return Ok(());
    }
    terminal.note("The chosen model is not there. These answer on this machine:");
    for (at, id) in found.iter().take(MOST).enumerate() {
        terminal.note(&format!("  {}  {}", at + 1, plain(&id.to_string())));
    }
    let line = terminal.ask("[number to use it from now on, empty to go on without] ").unwrap_or_default();
    let number = line.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    if let Some(id) = number.and_then(|at| found.iter().take(MOST).nth(at)) {
        registry.choose(ModelRole::Default, Some(id))?;
        terminal.note(&format!("new turns use {}", plain(&id.to_string())));
    }
    Ok(())
}

/// Whether the chosen models can be used, as far as a look at files tells; an endpoint elsewhere is not asked.
fn is_there(registry: &Registry) -> Result<bool, StoreError> {
    for role in [ModelRole::Planner, ModelRole::Step] {
        let chosen = registry.chosen(role)?;
        if chosen.provider != "local" {
            continue;
        }
        let embedded = registry.embedded().into_iter().find(|model| model.id == chosen);
        let ready = embedded.is_some_and(|model| matches!(model.file, FileState::Ready(_)));
        if !ready || registry.places().server().is_err() {
            return Ok(false);
        }
    }
    Ok(true)
}
