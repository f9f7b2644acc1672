//! A person's own calls of tools.

use assent_core::ids::SessionId;
use serde_json::{Map, Value};

use super::messages::begun;
use super::{Answered, Here};

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
