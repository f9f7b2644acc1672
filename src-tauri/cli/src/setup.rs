//! The engine of this process: data folder, database, models, tools, prompts.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use assent_engine::Engine;
use assent_engine::engine::{Opened, Opening};
use assent_engine::live::Watched;
use assent_engine::store::Home;
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;

use crate::commands::model::model_id;
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

/// Opens the engine on the data folder; signs of life go to `live`. Nothing is started and no model is looked for.
pub fn engine(terminal: &Terminal, model: Option<&str>, live: Watched) -> anyhow::Result<Opened> {
    let home = Home::from_environment()?;
    let model = model.map(model_id).transpose()?;
    let notice = Some(live.notice());
    let opened = Engine::at(&home, Opening { guard: guard()?, model, live: Arc::new(live), notice })?;
    for problem in &opened.left_out {
        terminal.note(&format!("a prompt of yours was left out: {problem}"));
    }
    for ignored in &opened.ignored {
        terminal.note(ignored);
    }
    Ok(opened)
}

/// The program that becomes the guard of the model server: this one.
pub fn guard() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("the program does not know where it lies")
}
