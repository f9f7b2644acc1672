//! The window with a real model on this machine: that everything between a message and the model is there. What so small
//! a model says is not judged.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use assent_core::run::EventKind;
use assent_engine::model::registry::ModelRole;
use assent_engine::store::ListFilter;
use assent_tests::model::smoke;
use serde_json::json;

use crate::desktop::process::{kill, processes, until_within};
use crate::desktop::{Desktop, ENTER};
use crate::engine::{open, propose};

/// How long loading the model, reading the prompt and writing may take in all.
const LOADED: Duration = Duration::from_secs(900);

/// A desktop whose programs find the model and its server, the server's program, and a folder that is worked in.
fn with_model(folder: &Path) -> Result<Option<(Desktop, PathBuf, PathBuf)>> {
    let Some(parts) = smoke(folder, "unused".into()) else { return Ok(None) };
    let (server, model) = (parts.places.server()?, parts.places.model(&parts.file)?);
    let models = model.parent().context("a model lies in a folder")?;
    let text = |path: &Path| path.display().to_string();
    let variables = [("ASSENT_LLAMA_SERVER", &*text(&server)), ("ASSENT_MODELS", &*text(models))];
    let Some(desktop) = Desktop::with(&variables)? else { return Ok(None) };
    let notes = desktop.workspace()?;
    std::fs::write(notes.join("a.txt"), "Berlin\n")?;
    open(&desktop.data())?.models.choose(ModelRole::Default, Some(&"local/smoke".parse()?))?;
    Ok(Some((desktop, server, notes)))
}

#[test]
fn a_message_goes_to_the_model_server_and_its_plan_or_answer_is_shown() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let Some((desktop, _, notes)) = with_model(folder.path())? else { return Ok(()) };
    let opened = open(&desktop.data())?;
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

#[test]
fn a_model_server_that_is_killed_in_the_middle_of_a_step_is_started_again_and_the_step_goes_on() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let Some((desktop, server, notes)) = with_model(folder.path())? else { return Ok(()) };
    let steps = json!([{"id": "s1", "description": "Say hello to Berlin", "stepType": "reasoning"}]);
    let session = propose(&desktop.data(), &notes, "Greet", &steps)?;
    let window = desktop.open()?;
    window.click("session", "Greet")?;
    window.follow("strip")?;
    window.click("approve", "")?;
    // Loaded, it reads what it was asked before it writes, which takes seconds.
    window.has_shown(LOADED, &["Loading the model", "running"])?;
    let server = server.to_str().context("the path is text")?;
    let first = processes(server, &desktop.data())?;
    assert_eq!(first.len(), 1, "one server serves this desktop");
    kill(first[0])?;

    let opened = open(&desktop.data())?;
    until_within(LOADED, "the run is over", || {
        let run = opened.engine.runs().list(&session)?.pop();
        Ok(run.filter(|run| run.status.is_final()).map(drop))
    })?;
    let second = processes(server, &desktop.data())?;
    assert!(second.len() == 1 && second != first, "it was started again: {first:?}, {second:?}");
    let events = opened.engine.sessions().events(&session, 0)?;
    let of = |wanted: fn(&EventKind) -> bool| events.iter().filter(|event| wanted(&event.kind)).count();
    assert!(of(|kind| matches!(kind, EventKind::ModelReplied { .. })) > 0, "the step was answered: {events:?}");
    assert_eq!(of(|kind| matches!(kind, EventKind::ModelFailed { .. })), 0, "nothing failed for it: {events:?}");
    window.shows("progress", "of 1")?;
    Ok(())
}

#[test]
fn a_plan_is_changed_and_approved_in_the_window_and_the_model_server_fills_in_the_call_that_writes_the_file()
-> Result<()> {
    let folder = tempfile::tempdir()?;
    let Some((desktop, _, notes)) = with_model(folder.path())? else { return Ok(()) };
    let steps =
        json!([{"id": "s1", "description": "Write a note", "stepType": "tool", "requiredTools": ["create_file"]}]);
    let session = propose(&desktop.data(), &notes, "A note", &steps)?;
    let window = desktop.open()?;
    window.click("session", "A note")?;
    window.click("step", "Write a note")?;
    window.rewrite("edit-description", "Write the word hello to hello.txt")?;
    window.press(&[ENTER])?;
    window.shows("plan-version", "v1, changed")?;
    window.click("approve", "")?;
    let opened = open(&desktop.data())?;
    // Where so small a model wants to write is its own choice: beyond what the plan allows, a person is asked.
    until_within(LOADED, "the run is over", || {
        // By a script: what was allowed a moment ago may go while a mouse aims at it.
        window.evaluate("document.querySelector('[data-testid=request-approve]:not([aria-disabled])')?.click()")?;
        let run = opened.engine.runs().list(&session)?.pop();
        Ok(run.filter(|run| run.status.is_final()).map(drop))
    })?;
    let events = opened.engine.sessions().events(&session, 0)?;
    let written: Vec<_> = std::fs::read_dir(&notes)?.collect::<Result<_, _>>()?;
    let names: Vec<_> = written.iter().map(std::fs::DirEntry::file_name).collect();
    assert!(names.iter().any(|name| name != "a.txt"), "{names:?}: {events:?}");
    window.shows("plan-version", "v2")?;
    window.shows("progress", "1 of 1")?;
    Ok(())
}
