//! The stream of what happens, and what a window begins with.

use assent_engine::store::ListFilter;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, Runtime};

use super::{Answered, Here, models, settings};
use crate::aside::aside;
use crate::desktop;
use crate::shell::Shell;
use crate::wire::{FirstView, Packet, SpecialistOption};

/// Tells a page of everything from now on, and gives what its first view shows. An engine that is being opened is waited
/// for; where it could not be, that is tried once more: what was in the way may be gone.
pub async fn stream_open<R: Runtime>(
    app: AppHandle<R>,
    shell: Here<'_>,
    packets: Channel<Packet>,
) -> Answered<FirstView> {
    if shell.opened().is_err() {
        let again = app.clone();
        if aside(move || again.state::<Shell>().open()).await? {
            desktop::attend(&app);
        }
    }
    // Read after it has begun, so that nothing is missed between the two.
    shell.listen(move |packet| packets.send(packet).is_ok())?;
    let data_folder = settings::data_folder(&shell)?;
    let (opened, active) = (shell.opened()?, shell.work().active());
    aside(move || {
        let engine = &opened.engine;
        let tools = engine.tools();
        Ok(FirstView {
            settings: settings::view(engine, data_folder)?,
            sessions: engine.sessions().list(&ListFilter { archived: true, limit: 0, offset: 0 })?,
            requests: engine.requests().open()?,
            plans: engine.plans().standings()?,
            active,
            models: models::listed(&opened.models)?,
            workspaces: settings::workspaces(engine)?,
            tools: tools.list().into_iter().cloned().collect(),
            specialists: tools.executors().into_iter().map(SpecialistOption::from).collect(),
        })
    })
    .await
}

/// The page has written down what it held.
pub async fn stream_written(shell: Here<'_>) -> Answered<()> {
    shell.written();
    Ok(())
}

pub async fn stream_taken(shell: Here<'_>, number: u64) -> Answered<()> {
    shell.taken(number);
    Ok(())
}
