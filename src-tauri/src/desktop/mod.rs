//! What a desktop adds to the page: the window itself, the tray, notifications, pickers.

pub mod clipboard;
pub mod close;
pub mod links;
pub mod notify;
pub mod pick;
pub mod tray;
pub mod window;

use tauri::{App, Manager, Runtime};

use crate::shell::Shell;

/// Opens the window, sets everything up around it, and carries on what was interrupted.
///
/// # Errors
/// The window could not be opened.
pub fn set_up<R: Runtime>(app: &App<R>) -> tauri::Result<()> {
    let app = app.handle();
    window::open(app)?;
    tray::add(app);
    notify::begin(app);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        if let Err(failure) = app.state::<Shell>().recover().await {
            // The page says the same: every call of it fails with this.
            tracing::warn!("nothing was carried on: {}", failure.message);
        }
    });
    Ok(())
}
