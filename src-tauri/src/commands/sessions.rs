//! Chats and their history.

use assent_core::ids::SessionId;
use assent_core::run::Event;
use assent_engine::discovery::workspace_files;
use assent_engine::store::{Hit, ListFilter, SessionRow};

use super::settings::folder;
use super::{Answered, Here};
use crate::wire::Signal;

#[tauri::command]
pub async fn session_list(shell: Here<'_>, filter: ListFilter) -> Answered<Vec<SessionRow>> {
    Ok(shell.engine()?.sessions().list(&filter)?)
}

#[tauri::command]
pub async fn session_get(shell: Here<'_>, id: SessionId) -> Answered<SessionRow> {
    Ok(shell.engine()?.sessions().get(id.as_str())?)
}

#[tauri::command]
pub async fn session_events(shell: Here<'_>, id: SessionId, after: u64) -> Answered<Vec<Event>> {
    Ok(shell.engine()?.sessions().events(&id, after)?)
}

#[tauri::command]
pub async fn session_create(shell: Here<'_>, workspace: String) -> Answered<SessionRow> {
    let sessions = shell.engine()?.sessions();
    let id = sessions.create(&folder(&workspace)?).await?;
    Ok(sessions.get(id.as_str())?)
}

#[tauri::command]
pub async fn session_rename(shell: Here<'_>, id: SessionId, title: String) -> Answered<()> {
    Ok(shell.engine()?.sessions().rename(&id, &title).await?)
}

#[tauri::command]
pub async fn session_archive(shell: Here<'_>, id: SessionId, archived: bool) -> Answered<()> {
    Ok(shell.engine()?.sessions().archive(&id, archived).await?)
}

#[tauri::command]
pub async fn session_delete(shell: Here<'_>, id: SessionId) -> Answered<()> {
    shell.work().stop(&id).await;
    shell.engine()?.sessions().delete(&id)?;
    shell.tell(Signal::SessionDeleted { session: id });
    Ok(())
}

#[tauri::command]
pub async fn session_search(shell: Here<'_>, text: String, limit: usize) -> Answered<Vec<Hit>> {
    Ok(shell.engine()?.sessions().search(&text, limit)?)
}

#[tauri::command]
pub async fn session_files(workspace: String) -> Answered<Vec<String>> {
    Ok(workspace_files(&folder(&workspace)?))
}
