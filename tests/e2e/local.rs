//! The window with a real model on this machine: that everything between a message and the model is there. What so small
//! a model says is not judged.

use std::time::Duration;

use anyhow::{Context, Result};
use assent_core::run::EventKind;
use assent_engine::model::registry::ModelRole;
use assent_engine::store::ListFilter;
use assent_tests::model::smoke;

use crate::desktop::Desktop;
use crate::desktop::process::until_within;
use crate::engine::open;

/// How long loading the model, reading the prompt and writing may take in all.
const LOADED: Duration = Duration::from_secs(300);

#[test]
fn a_message_goes_to_the_model_server_and_its_plan_or_answer_is_shown() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let Some(parts) = smoke(folder.path(), "unused".into()) else { return Ok(()) };
    let (server, model) = (parts.places.server()?, parts.places.model(&parts.file)?);
    let models = model.parent().context("a model lies in a folder")?;
    let text = |path: &std::path::Path| path.display().to_string();
    let variables = [("ASSENT_LLAMA_SERVER", &*text(&server)), ("ASSENT_MODELS", &*text(models))];
    let Some(desktop) = Desktop::with(&variables)? else { return Ok(()) };
    let notes = desktop.workspace()?;
    std::fs::write(notes.join("a.txt"), "Berlin\n")?;
    let opened = open(&desktop.data())?;
    opened.models.choose(ModelRole::Default, Some(&"local/smoke".parse()?))?;
    tokio::runtime::Runtime::new()?.block_on(opened.engine.sessions().create(&notes))?;

    let window = desktop.open()?;
    window.ask("Find the lines that mention Berlin")?;
    window.shows("message", "Find the lines that mention Berlin")?;
    let kind = until_within(LOADED, "the model has planned or answered", || {
        let shown = ["plan-card", "answer", "turn-failed"].into_iter();
        shown.map(|kind| Ok(window.has(kind, "")?.then_some(kind))).find_map(Result::transpose).transpose()
    })?;
    assert_ne!(kind, "turn-failed", "{}", window.shows("turn-failed", "")?);
    window.shows("meter", "call")?;
    let latest = opened.engine.sessions().list(&ListFilter { archived: false, limit: 1, offset: 0 })?;
    let events = opened.engine.sessions().events(&latest[0].id, 0)?;
    let replies = events.iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. })).count();
    assert!(replies > 0, "{events:?}");
    window.save_picture()
}
