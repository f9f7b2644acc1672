//! Chats and their history.

use assent_core::ids::SessionId;
use assent_core::run::Event;
use assent_engine::discovery::workspace_files;
use assent_engine::executor::ExecutorError;
use assent_engine::store::{Hit, ListFilter, SessionRow, StoreError};

use super::settings::folder;
use super::{Answered, Here};
use crate::aside::{Aside, aside};
use crate::wire::Signal;

pub fn session_list(shell: Here<'_>, filter: ListFilter) -> Aside<Vec<SessionRow>> {
    shell.ask(move |engine| Ok(engine.sessions().list(&filter)?))
}

pub fn session_get(shell: Here<'_>, id: SessionId) -> Aside<SessionRow> {
    shell.ask(move |engine| Ok(engine.sessions().get(id.as_str())?))
}

pub fn session_events(shell: Here<'_>, id: SessionId, after: u64) -> Aside<Vec<Event>> {
    shell.ask(move |engine| Ok(engine.sessions().events(&id, after)?))
}

pub async fn session_create(shell: Here<'_>, workspace: String) -> Answered<SessionRow> {
    let opened = shell.opened()?;
    let workspace = aside(move || folder(&workspace)).await?;
    let id = opened.engine.sessions().create(&workspace).await?;
    shell.ask(move |engine| Ok(engine.sessions().get(id.as_str())?)).await
}

/// Has the stream tell of everything that is being written in a session from its beginning: a page that has not listened
/// to it all along has missed that.
pub async fn session_retell(shell: Here<'_>, id: SessionId) -> Answered<()> {
    shell.signals().retell(&id);
    Ok(())
}

pub async fn session_rename(shell: Here<'_>, id: SessionId, title: String) -> Answered<()> {
    Ok(shell.opened()?.engine.sessions().rename(&id, &title).await?)
}

pub async fn session_archive(shell: Here<'_>, id: SessionId, archived: bool) -> Answered<()> {
    Ok(shell.opened()?.engine.sessions().archive(&id, archived).await?)
}

pub async fn session_delete(shell: Here<'_>, id: SessionId) -> Answered<()> {
    shell.work().stop(&id).await;
    match shell.opened()?.engine.sessions().delete(&id).await {
        // Another process was quicker, of which nothing is told but that the session is gone.
        Ok(()) | Err(ExecutorError::Store(StoreError::NotFound { .. })) => {}
        Err(error) => return Err(error.into()),
    }
    shell.signals().tell(Signal::SessionDeleted { session: id });
    Ok(())
}

pub fn session_search(shell: Here<'_>, text: String, limit: usize, within: Option<SessionId>) -> Aside<Vec<Hit>> {
    shell.ask(move |engine| Ok(engine.sessions().search(&text, within.as_ref(), limit)?))
}

pub fn session_files(workspace: String) -> Aside<Vec<String>> {
    aside(move || Ok(workspace_files(&folder(&workspace)?)))
}
