//! The engine of this process: data folder, database, models, tools, prompts.

use std::sync::Arc;

use anyhow::Context;
use assent_engine::Engine;
use assent_engine::clock::{Clock, RandomIds, SystemClock};
use assent_engine::engine::Parts;
use assent_engine::executor::Unwatched;
use assent_engine::prompt::Templates;
use assent_engine::store::{Home, RunLocks, Store};
use assent_engine::tool::{Catalogue, core_tools, human_tools};
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;

use crate::models;
use crate::terminal::Terminal;

/// Sends what the libraries log to standard error, when `ASSENT_LOG` asks for it.
pub fn logging() {
    if let Ok(filter) = EnvFilter::try_from_env("ASSENT_LOG") {
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    }
}

/// What the commands run on.
pub fn runtime() -> anyhow::Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.context("no threads could be started: close some programs and try again")
}

/// Opens the engine on the data folder. Nothing is started and no model is looked for.
pub fn engine(terminal: &Terminal, model: Option<&str>) -> anyhow::Result<Engine> {
    let home = Home::from_environment()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let store = Arc::new(Store::open(&home, clock.clone())?);
    let mut tools = Catalogue::default();
    tools.add_all(core_tools())?;
    tools.add_all(human_tools())?;
    let (templates, left_out) = Templates::with_usable_overrides(&home.prompts())?;
    for problem in left_out {
        terminal.note(&format!("a prompt of yours was left out: {problem}"));
    }
    let models = models::for_command(models::registry(&home, &store)?, model)?;
    let planning = tokio::sync::mpsc::unbounded_channel().0;
    Ok(Engine::open(Parts {
        locks: RunLocks::new(&home),
        store,
        models,
        tools,
        templates,
        live: Arc::new(Unwatched::default()),
        planning,
        hidden: vec![home.root().to_owned()],
        clock,
        ids: Arc::new(RandomIds::default()),
    })?)
}
