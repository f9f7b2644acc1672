//! What a desktop adds to the page: the window itself, the tray, notifications, pickers.

pub mod clipboard;
pub mod close;
pub mod files;
mod follow;
pub mod links;
pub mod notify;
pub mod pick;
pub mod system;
#[cfg(test)]
mod testing;
pub mod tray;
pub mod window;

use std::thread;

use tauri::{AppHandle, Manager, Runtime};

use crate::shell::Shell;
use follow::{News, Sources, follow};

/// Opens the window and sets everything up around it.
///
/// # Errors
/// The window could not be opened.
pub fn set_up<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    begin_to_open(app);
    window::open(app)?;
    tray::add(app);
    system::show_when_clicked(app);
    Ok(())
}

/// Opens the engine beside the window: a person sees that something comes also where that takes long, as while another
/// program holds the database.
fn begin_to_open<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    let open = move || {
        match app.state::<Shell>().open() {
            // Once what stands around the window is set up as well.
            Ok(true) => {
                let opened = app.clone();
                if let Err(error) = app.run_on_main_thread(move || attend(&opened)) {
                    tracing::warn!("nothing is told beside the page, and nothing was carried on: {error}");
                }
            }
            // The page was first.
            Ok(false) => {}
            // The page tries it as well, and says why it cannot be done.
            Err(failure) => tracing::warn!("the engine could not be opened: {}", failure.message),
        }
    };
    if let Err(error) = thread::Builder::new().name("opening".to_owned()).spawn(open) {
        tracing::warn!("the page opens the engine: {error}");
    }
}

/// Keeps everything around the window up with the engine, once it is open, and carries on what was interrupted.
pub fn attend<R: Runtime>(app: &AppHandle<R>) {
    begin_to_follow(app);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        if let Err(failure) = app.state::<Shell>().recover().await {
            // The page says the same: every call of it fails with this.
            tracing::warn!("nothing was carried on: {}", failure.message);
        }
    });
}

/// Keeps what stands outside of the page up with what happens.
fn begin_to_follow<R: Runtime>(app: &AppHandle<R>) {
    let shell = app.state::<Shell>();
    // Without a data folder nothing happens; the page says why.
    if shell.opened().is_err() {
        return;
    }
    let from = Sources { signals: shell.signals().subscribe(), ends: shell.work().ends() };
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let open = || async { app.state::<Shell>().ask(|engine| Ok(engine.requests().open()?)).await };
        let say = |news| tell(&app, news);
        follow(from, open, say).await;
    });
}

async fn tell<R: Runtime>(app: &AppHandle<R>, news: News) {
    match news {
        News::Notice(notice) => notify::tell(app, notice).await,
        News::Waiting(count) => {
            let shown = app.clone();
            let done = app.run_on_main_thread(move || {
                window::entitle(&shown, count);
                tray::count(&shown, count);
            });
            if let Err(error) = done {
                tracing::warn!("nobody sees how much waits for a person: {error}");
            }
        }
    }
}
