//! The stream of what happens, and what a window begins with.

use assent_engine::store::ListFilter;
use tauri::ipc::Channel;

use super::{Answered, Here, models, settings};
use crate::shell::aside;
use crate::wire::{FirstView, Packet, SpecialistOption};

/// Tells a page of everything from now on, and gives what its first view shows.
#[tauri::command]
pub async fn stream_open(shell: Here<'_>, packets: Channel<Packet>) -> Answered<FirstView> {
    // Read after it has begun, so that nothing is missed between the two.
    shell.listen(move |packet| packets.send(packet).is_ok())?;
    let data_folder = settings::data_folder(&shell)?;
    let opened = shell.opened()?;
    aside(move || {
        let engine = &opened.engine;
        let tools = engine.tools();
        Ok(FirstView {
            settings: settings::view(engine, data_folder)?,
            sessions: engine.sessions().list(&ListFilter { archived: true, limit: 0, offset: 0 })?,
            requests: engine.requests().open()?,
            models: models::listed(&opened.models)?,
            workspaces: settings::workspaces(engine)?,
            tools: tools.list().into_iter().cloned().collect(),
            specialists: tools.executors().into_iter().map(SpecialistOption::from).collect(),
        })
    })
    .await
}

#[tauri::command]
pub async fn stream_taken(shell: Here<'_>, number: u64) -> Answered<()> {
    shell.taken(number);
    Ok(())
}
