//! Tools: where they come from, how they are found, and a person's own calls.

use std::path::Path;

use assent_core::contract::ToolSpec;
use assent_core::discovery::{Filter, Query};
use assent_core::ids::SessionId;
use assent_engine::Engine;
use serde_json::{Map, Value};

use super::messages::begun;
use super::{Answered, Here};
use crate::wire::{ToolSearch, ToolsView};

/// So many tools are found at most.
const MOST_FOUND: usize = 50;

#[tauri::command]
pub async fn tool_list(shell: Here<'_>) -> Answered<ToolsView> {
    shell.ask(view).await
}

#[tauri::command]
pub async fn tool_find(shell: Here<'_>, text: String, limit: usize) -> Answered<ToolSearch> {
    shell
        .ask(move |engine| {
            let query = Query { text: &text, limit: limit.min(MOST_FOUND), filter: &Filter::default() };
            Ok(engine.tools().find(&query).into())
        })
        .await
}

#[tauri::command]
pub async fn tool_add_source(shell: Here<'_>, name: String, folder: String) -> Answered<ToolsView> {
    shell
        .ask(move |engine| {
            engine.tools().add_source(&name, Path::new(&folder))?;
            view(engine)
        })
        .await
}

#[tauri::command]
pub async fn tool_remove_source(shell: Here<'_>, name: String) -> Answered<ToolsView> {
    shell
        .ask(move |engine| {
            engine.tools().remove_source(&name)?;
            view(engine)
        })
        .await
}

#[tauri::command]
pub async fn tool_call(
    shell: Here<'_>,
    session: SessionId,
    tool: String,
    arguments: Map<String, Value>,
) -> Answered<()> {
    let opened = shell.opened()?;
    let events = opened.engine.changes();
    let own = session.clone();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        opened.engine.turns().call(&own, &tool, arguments, &cancel).await.map(|end| vec![end])
    });
    begun(&session, events, outcome).await
}

fn view(engine: &Engine) -> Answered<ToolsView> {
    let tools = engine.tools();
    let specs: Vec<ToolSpec> = tools.list().into_iter().cloned().collect();
    Ok(ToolsView {
        tokens: specs.iter().map(ToolSpec::estimated_tokens).collect(),
        tools: specs,
        sources: tools.sources()?.into_iter().map(Into::into).collect(),
        budget: engine.tool_budget()?,
    })
}
