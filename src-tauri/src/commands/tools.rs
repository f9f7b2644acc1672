//! Tools, and who may use them.

use assent_core::contract::ToolSpec;
use assent_core::ids::SessionId;
use serde_json::Value;

use super::messages::begun;
use super::{Answered, Here};
use crate::wire::SpecialistOption;

#[tauri::command]
pub async fn tool_list(shell: Here<'_>) -> Answered<Vec<ToolSpec>> {
    Ok(shell.opened()?.engine.tools().list().into_iter().cloned().collect())
}

#[tauri::command]
pub async fn tool_call(shell: Here<'_>, session: SessionId, tool: String, arguments: Value) -> Answered<()> {
    let opened = shell.opened()?;
    let events = opened.engine.changes();
    let own = session.clone();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        opened.engine.turns().call(&own, &tool, arguments, &cancel).await.map(|end| vec![end])
    });
    begun(&session, events, outcome).await
}

#[tauri::command]
pub async fn specialist_list(shell: Here<'_>) -> Answered<Vec<SpecialistOption>> {
    Ok(shell.opened()?.engine.tools().executors().into_iter().map(SpecialistOption::from).collect())
}
